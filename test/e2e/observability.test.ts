// The metrics and traces of the whole stack, on real parts: Debian's Prometheus scrapes all processes and runs every
// query of the dashboard and of the alerts; an OTLP receiver gets the traces; and one id leads from an Event to the row
// in the history.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { fetchZones } from '#client/lists.ts';
import { createZone, listZoneChanges } from '#contract/operations/zones.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { adminAddSecondary } from '#service/secondaries/administration.ts';
import { ROWS } from '../../charts/tools/dashboard/dashboard.ts';
import { ensureAuthority, ensureCertificate } from '../../deploy/local/parts/certificates.ts';
import { startCommand } from '../../deploy/local/parts/command.ts';
import type { Part } from '../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { type AlertRule, RULE_FILES, readAlerts, readRules } from '../support/chart/alerts.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/http/otlp-receiver.ts';
import { type RunningSecondary, startRunning } from '../support/knot/secondaries.ts';
import { temporaryFolder } from '../support/runner/temporary.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack/stack.ts';
import { type Prometheus, type Series, startPrometheus } from '../support/tools/prometheus.ts';
import {
  fillLegend,
  parseGroupingLabels,
  parseSelectors,
  parseShownLabels,
  withoutVariables,
} from './promql.support.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
/** A share exists only where there are events, and here no certificate is requested. The stack runs no edge. */
const [SHARE, ELSEWHERE] = [/^zonestead_slo:bad:ratio_/, /^zonestead_edge_/];
/** The labels that a scrape of pods adds; all others must come from the processes. */
const TARGET_LABELS = ['namespace', 'region', 'pod', 'instance', 'job'];
/** Normal Events of a namespace are limited: 20 of one reason at once. */
const MANY = 15;
const REQUEST_ID = 'zonestead.dev/request-id';
const { signal } = new AbortController();
let otlp: OtlpReceiver;
let stack: TestStack;
let solver: Part;
let canary: Part;
/** Starts the canary, whose changes are not those of the first tests. */
let startCanary: () => Promise<Part>;
let prometheus: Prometheus;
let secondary: RunningSecondary;
beforeAll(async () => {
  otlp = await startOtlpReceiver();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' };
  const folder = await temporaryFolder('observability');
  stack = await startTestStack({ settings });
  const parts = ['solverHealth', 'solverPort', 'canaryHealth'].map((name) => ({ name }));
  const { solverHealth, solverPort, canaryHealth } = await allocatePorts(parts, { stateDir: folder });
  solver = await startSolver(folder, solverPort as number, solverHealth as number);
  startCanary = () => startCanaryIn(folder, canaryHealth as number);
  secondary = await addSecondary(folder);
  const scraped = { ...stack.stack.healthPorts, solver: solverHealth, canary: canaryHealth };
  const labels = { namespace: 'zonestead', region: 'eu' };
  const targetOf = ([pod, port]: [string, unknown]) => ({ address: `127.0.0.1:${port}`, labels: { ...labels, pod } });
  const targets = Object.entries(scraped).map(targetOf);
  const ruleFiles = RULE_FILES.map((file) => join(ROOT, file));
  prometheus = await startPrometheus(inject('peers').prometheus, folder, targets, ruleFiles);
});
afterAll(async () => {
  await prometheus?.stop();
  await canary?.stop();
  await solver?.stop();
  await stack?.stop();
  await otlp?.close();
});

/** A knotd that transfers all zones of the stack. */
async function addSecondary(stateDir: string): Promise<RunningSecondary> {
  const { databaseUrl, dns } = stack.stack.service;
  const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir });
  const input = { name: 'eu', addresses: [`127.0.0.1:${port}`], zones: 'all' as const };
  const { key } = await adminAddSecondary(databaseUrl, input, randomBytes, new Date());
  return startRunning('knot', port, { primaries: [dns], key, zones: null, catalog: catalogName('eu') });
}

/** Without cert-manager: its metrics are there from the start. */
async function startSolver(stateDir: string, port: number, healthPort: number): Promise<Part> {
  const { cluster } = stack.stack;
  await stack.kubectl('apply', '--server-side', '-f', join(ROOT, 'deploy/solver/rbac.yaml'));
  const authority = await ensureAuthority({ dir: stateDir, name: 'ca', commonName: 'test' });
  const files = { dir: stateDir, name: 'solver', commonName: 'solver', authority, hosts: ['localhost'] };
  const { certificateFile, keyFile } = await ensureCertificate(files);
  const account = await cluster.identity?.('system:serviceaccount:zonestead:zonestead-solver', []);
  const env = {
    KUBECONFIG: account ?? '',
    ZONESTEAD_SOLVER_LISTEN: `127.0.0.1:${port}`,
    ZONESTEAD_TLS_CERT_FILE: certificateFile,
    ZONESTEAD_TLS_KEY_FILE: keyFile,
  };
  return startCommand({ name: 'solver', env, main: inject('program'), healthPort, stateDir, signal });
}

/** With a zone and a key of its own. */
async function startCanaryIn(stateDir: string, healthPort: number): Promise<Part> {
  const { service } = stack.stack;
  const body = { zoneName: 'canary.example', owner: `org:${service.keys.first.team}` };
  await stack.client.call(createZone, { body });
  const env = {
    ZONESTEAD_URL: service.url,
    ZONESTEAD_API_KEY: service.keys.first.key,
    ZONESTEAD_NAMESERVER_ADDRESSES: service.nameserverAddresses,
    ZONESTEAD_CANARY_ZONE: body.zoneName,
    ZONESTEAD_CANARY_CHANGE_SECONDS: '5',
    ZONESTEAD_CANARY_QUERY_SECONDS: '1',
  };
  return startCommand({ name: 'canary', env, main: inject('program'), healthPort, stateDir, signal });
}

/** The log of the process, without the marks of its sessions. */
async function linesOf(part: Part): Promise<Record<string, unknown>[]> {
  const text = await readFile(part.logFile, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

interface Event {
  metadata: { annotations?: Record<string, string> };
  reason: string;
  regarding: { name: string };
}

interface Noted {
  id: string;
  reason: string;
  object: string;
}

async function eventsWithIds(): Promise<Noted[]> {
  const items = await stack.kube.list<Event>('event', 'default');
  return items.flatMap(({ metadata, reason, regarding }) => {
    const id = metadata.annotations?.[REQUEST_ID];
    return id === undefined ? [] : [{ id, reason, object: regarding.name }];
  });
}

const names = Array.from({ length: MANY }, (_, index) => `many-${index}`);

test('one id from an Event to the history is that of the run which wrote, for objects that went out together as well', async () => {
  const records = names.map((name, index) =>
    recordObject(name, 'seen', { name, type: 'A', content: `192.0.2.${index}` }),
  );
  // A record that waits for its zone would have other Events first.
  expect(await stack.apply(zoneObject('seen', 'seen.example'))).toMatchObject({ ok: true });
  await stack.ready('zdz/seen');
  // All at once, so that many go out together.
  const applied = await Promise.all(records.map((each) => stack.apply(each)));
  for (const each of applied) expect(each).toMatchObject({ ok: true });
  await stack.ready(...names.map((name) => `zdr/${name}`));
  const sql = postgres(stack.stack.service.databaseUrl, { max: 1 });
  const rows = await sql<{ action: string; id: string; name: string }[]>`
      select action, request_id as id, coalesce(after->>'name', zone_name) as name from changes order by id`;
  await sql.end();
  const objectOf = ({ action, name }: (typeof rows)[number]) => (action === 'zone.create' ? 'seen' : name);
  // Events are sent at a limited rate.
  const withoutEvent = async () => {
    const events = await eventsWithIds();
    return rows.filter((row) => !events.some(({ id, object }) => id === row.id && object === objectOf(row)));
  };
  await expect.poll(withoutEvent).toEqual([]);
  const [api, operator] = await Promise.all([
    linesOf(stack.stack.service.running.part('api')),
    linesOf(stack.stack.operator.part('operator')),
  ]);
  expect(rows.filter(({ action }) => action === 'record.create')).toHaveLength(MANY);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(MANY + 1);
  for (const row of rows) {
    const { action, id, name } = row;
    const written = operator.find(({ reconcileId, msg }) => reconcileId === id && msg === 'written');
    expect(written).toMatchObject({ key: `default/${objectOf(row)}`, write: expect.any(String) });
    const answered = api.find(({ requestId, msg }) => requestId === id && (msg === 'write' || msg === 'change'));
    expect([name, answered?.status]).toEqual([name, action === 'zone.create' ? 200 : expect.any(Number)]);
  }
  // Otherwise nothing was proven of batches.
  const together = api.filter(({ msg, batch }) => msg === 'change' && batch !== undefined);
  expect(together.length).toBeGreaterThan(1);
  expect(together).toContainEqual(expect.objectContaining({ action: 'apply', status: 200 }));
});

test('one id from an Event to the history is that of an edit too, which leaves Ready as it is', async () => {
  const edited = recordObject('many-0', 'seen', { name: 'many-0', type: 'A', content: '198.51.100.1' });
  expect(await stack.apply(edited)).toMatchObject({ ok: true });
  const update = async () => {
    const [zone] = await fetchZones(stack.client, { zoneName: 'seen.example' });
    const { changes } = await stack.client.call(listZoneChanges, {
      params: { id: zone?.id ?? '' },
      query: { limit: 1 },
    });
    return changes.find(({ action }) => action === 'record.update')?.requestId;
  };
  await expect.poll(update).toBeDefined();
  const id = await update();
  await expect.poll(eventsWithIds).toContainEqual(expect.objectContaining({ id, object: 'many-0' }));
});

test('one id from an Event to the history leads to a trace: run, request, answer and transaction, and a batch to the runs of all its changes', async () => {
  const all = otlp.spans;
  const childOf = (parent: { traceId: string; spanId: string } | undefined, kind: number, service: string) =>
    all.find(
      (span) =>
        span.traceId === parent?.traceId &&
        span.parentSpanId === parent.spanId &&
        span.kind === kind &&
        span.service === service,
    );
  const created = () => {
    const { object, id } = { object: 'DNSZone default/seen', id: 'zonestead.request_id' };
    const event = all.filter(({ name }) => name === 'reconcile DNSZone');
    for (const run of event.filter(({ attributes }) => attributes['zonestead.object'] === object)) {
      const request = all.find(
        (span) =>
          span.parentSpanId === run.spanId && span.attributes['url.path'] === '/v1/dns/zones' && span.name === 'POST',
      );
      const answer = childOf(request, 2, 'zonestead-api');
      const transaction = childOf(answer, 3, 'zonestead-api');
      if (transaction)
        return { ids: [run, request, answer].map((span) => span?.attributes[id]), run, answer, transaction };
    }
    return undefined;
  };
  await expect.poll(created).toBeDefined();
  const chain = created();
  expect(chain?.run).toMatchObject({ service: 'zonestead-operator', kind: 1, failed: false, parentSpanId: '' });
  expect(chain?.answer).toMatchObject({
    name: 'POST /v1/dns/zones',
    attributes: { 'http.route': '/v1/dns/zones', 'http.response.status_code': 200 },
  });
  expect(chain?.transaction).toMatchObject({ name: 'transaction', attributes: { 'db.system.name': 'postgresql' } });
  expect(new Set(chain?.ids).size).toBe(1);

  const runsOfBatch = () => {
    const batches = all.filter(
      ({ attributes }) => String(attributes['url.path']).endsWith(':apply') && attributes['http.route'],
    );
    // A request with a single set is a child of its run, and has no links.
    const request = all.find(
      ({ spanId, links }) => links.length > 0 && batches.some(({ parentSpanId }) => parentSpanId === spanId),
    );
    const runs = request?.links.map(({ spanId }) => all.find((span) => span.spanId === spanId)?.name);
    return [...new Set(runs)];
  };
  // The span of a run is sent when it ends, after those of its requests.
  await expect.poll(runsOfBatch).toEqual(['reconcile DNSRecord']);
  expect(JSON.stringify(all)).not.toContain(stack.stack.service.keys.operator.key);
});

describe('every query', () => {
  const panels = ROWS.flatMap((row) => row.panels);
  let alerts: AlertRule[];
  let labels: Map<string, ReadonlySet<string>>;

  beforeAll(async () => {
    // Those of CloudNativePG and of the kubelet are not here.
    alerts = await readAlerts(RULE_FILES.filter((file) => !file.endsWith('cnpg.yaml')));
    const inTime = { timeout: 100_000, interval: 200 };
    canary = await startCanary();
    const all = { api: true, nameserver: true, operator: true, solver: true, canary: true };
    await vi.waitFor(async () => expect(await prometheus.up()).toEqual(all), inTime);
    await stack.dig('many-0.seen.example', 'A');
    const follows =
      'zonestead_node_secondary_zones{state="current"} > 0 and on (secondary) zonestead_node_secondary_behind_seconds == 0';
    await vi.waitFor(async () => expect(await prometheus.query(follows)).toHaveLength(1), inTime);
    // The rules of the objectives run every 30 s.
    const recorded = () => prometheus.query('zonestead_slo:bad:ratio_3d{slo="answers"}');
    await vi.waitFor(async () => expect(await recorded()).toHaveLength(1), inTime);
    // Two scrapes at least after all that happened: a rate needs them.
    const scraped = async () => (await prometheus.query('max(timestamp(zonestead_build_info))'))[0]?.value ?? 0;
    const before = await scraped();
    await vi.waitFor(async () => expect(await scraped()).toBeGreaterThan(before + 2), inTime);
    labels = labelsByMetric(await prometheus.series('{__name__=~"zonestead_.*"}'));
  });

  /** @returns the errors in its names */
  function strangers(expr: string, shown: string): string[] {
    const selectors = parseSelectors(expr);
    const known = new Set(TARGET_LABELS);
    const wrong: string[] = [];
    for (const { metric, matchers } of selectors.filter((each) => !ELSEWHERE.test(each.metric))) {
      const own = labels.get(metric);
      if (own === undefined) wrong.push(`no process exposes ${metric}`);
      for (const label of own ?? []) known.add(label);
      for (const { label } of matchers) if (own && !own.has(label)) wrong.push(`${metric} has no label ${label}`);
    }
    for (const label of [...parseGroupingLabels(expr), ...parseShownLabels(shown)])
      if (!known.has(label) && label !== 'value') wrong.push(`no series in it has label ${label}`);
    return selectors.length === 0 ? ['selects nothing'] : wrong;
  }

  /** A value that no series has is a slip of the pen, but for statuses: those come when they are answered. */
  async function emptySelectors(expr: string): Promise<string[]> {
    const empty: string[] = [];
    for (const { metric, matchers } of parseSelectors(expr)) {
      if (ELSEWHERE.test(metric) || SHARE.test(metric)) continue;
      const fixed = matchers.filter(({ label }) => label !== 'code');
      const text = fixed.map(({ label, operator, value }) => `${label}${operator}"${value}"`).join(', ');
      if ((await prometheus.series(`${metric}{${text}}`)).length === 0) empty.push(`${metric}{${text}}`);
    }
    return empty;
  }

  test('every query about the canary finds right answers and changes in time, and no others', async () => {
    const value = async (expr: string) => (await prometheus.query(`sum(${expr})`))[0]?.value;
    await expect.poll(() => value('zonestead_canary_changes_total{result="answered"}')).toBeGreaterThan(0);
    await expect.poll(() => value('zonestead_canary_queries_total{result="right"}')).toBeGreaterThan(10);
    for (const others of ['queries_total{result!="right"}', 'changes_total{result!="answered"}'])
      expect(await prometheus.query(`zonestead_canary_${others} > 0`)).toEqual([]);
    expect(await value('zonestead_canary_challenges_total')).toBe(0);
    // Between a change and the next question about it, the gauge has the time since the change.
    await expect.poll(() => value('zonestead_canary_freshness_seconds')).toBe(0);
  });

  test('every query in the dashboard runs, uses only metrics that the processes expose, and shows lines with distinct names', async () => {
    for (const { title, kind, queries } of panels) {
      const shown: string[] = [];
      for (const { expr, legend, from } of queries) {
        if (from !== undefined) continue;
        const text = withoutVariables(expr);
        expect([title, strangers(text, legend), await emptySelectors(text)]).toEqual([title, [], []]);
        // On a busy machine, a scrape may come too late for a rate.
        let found: Awaited<ReturnType<typeof prometheus.query>> = [];
        const isFound = async () => {
          found = await prometheus.query(text.replaceAll(' > 0', ''));
          return [title, text, found.length > 0];
        };
        await expect.poll(isFound).toEqual([title, text, true]);
        if (kind !== 'table') shown.push(...found.map(({ metric }) => fillLegend(legend, metric)));
      }
      // One number without a name, or lines that have each their own.
      if (queries.every(({ from }) => from !== undefined)) continue;
      if (kind === 'stat') expect([title, shown]).toEqual([title, ['']]);
      else expect([title, shown.filter((name, at) => name === '' || shown.indexOf(name) !== at)]).toEqual([title, []]);
    }
  });

  test('every query in the alerts runs, uses only metrics that the processes expose, and none fires on a healthy stack', async () => {
    for (const { alert, expr, annotations } of alerts) {
      const shown = Object.values(annotations).join(' ');
      expect([alert, strangers(expr, shown), await emptySelectors(expr)]).toEqual([alert, [], []]);
    }
    for (const rule of await readRules()) {
      if ('record' in rule)
        expect([rule.record, strangers(rule.expr, ''), await emptySelectors(rule.expr)]).toEqual([rule.record, [], []]);
    }
    const rules = async () =>
      (await prometheus.rules())
        .filter(({ type }) => type === 'alerting')
        .map(({ name, health, lastError, state }) => ({ name, health, lastError, state }))
        .sort((a, b) => a.name.localeCompare(b.name));
    // On a busy machine, one may be pending for a moment.
    // The stack has no edge, and ZonesteadNoEdge says that.
    const wanted = (await readAlerts()).map(({ alert }) => ({
      ...{ name: alert, health: 'ok', lastError: undefined },
      state: alert === 'ZonesteadNoEdge' ? 'firing' : 'inactive',
    }));
    await expect.poll(rules).toEqual(wanted.sort((a, b) => a.name.localeCompare(b.name)));
  });

  test('every query about secondaries finds one that is stopped, and forgets it when it answers again', async () => {
    const { expr = '' } = alerts.find(({ alert }) => alert === 'ZonesteadSecondarySilent') ?? {};
    const found = async () => (await prometheus.query(expr)).map(({ metric }) => metric.secondary);
    await expect.poll(found).toEqual([]);
    await secondary.stop();
    // The source asks for a zone after each change.
    const changed = recordObject('many-2', 'seen', { name: 'many-2', type: 'A', content: '198.51.100.2' });
    expect(await stack.apply(changed)).toMatchObject({ ok: true });
    await expect.poll(found).toEqual(['eu']);
    const state = async () => (await prometheus.rules()).find(({ name }) => name === 'ZonesteadSecondarySilent')?.state;
    await expect.poll(state).toBe('pending');
    await secondary.start();
    await expect.poll(found).toEqual([]);
  });

  test("every query on knotd's counters counts the DNS queries", async () => {
    const asked = async () => (await prometheus.query('sum(zonestead_dns_queries_total)'))[0]?.value ?? 0;
    const before = await asked();
    for (let index = 0; index < 5; index += 1) await stack.dig('many-1.seen.example', 'A');
    await expect.poll(asked).toBeGreaterThanOrEqual(before + 5);
    const answered = async () =>
      (await prometheus.query('sum(zonestead_dns_answers_total{rcode="NOERROR"})'))[0]?.value;
    await expect.poll(answered).toBeGreaterThanOrEqual(5);
  });
});

function labelsByMetric(series: Series[]): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { __name__: name = '', ...labels } of series) {
    const known = found.get(name) ?? new Set();
    for (const label of Object.keys(labels)) known.add(label);
    found.set(name, known);
  }
  return found;
}
