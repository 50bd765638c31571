// The alert rules as files, judged by promtool and held against what they belong to: a runbook for every alert, a case
// that fires and one that does not.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { type AlertRule, caseFiles, RULE_FILES, RULES, readAlerts, readRules } from '../../support/chart/alerts.ts';
import { render, type Values } from '../../support/chart/chart.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const { signal } = new AbortController();
/** In the files, in the place of the namespace of the release. */
const IN = 'namespace=~".+"';

const read = (file: string) => readFile(`${ROOT}/${file}`, 'utf8');

async function promtool(...args: string[]): Promise<string> {
  const { code, tail } = await runCommand({
    command: inject('peers').promtool,
    args,
    cwd: ROOT,
    timeoutMs: 120_000,
    signal,
  });
  return code === 0 ? 'fine' : tail;
}

test('the rules are well formed, and fire and keep quiet as their cases say', async () => {
  expect((await readdir(`${ROOT}/${RULES}`)).map((name) => `${RULES}/${name}`).sort()).toEqual([...RULE_FILES].sort());
  expect(await promtool('check', 'rules', ...RULE_FILES)).toBe('fine');
  expect(await promtool('test', 'rules', ...(await caseFiles()))).toBe('fine');
});

test('every alert has a case in which it fires and one in which it must not', async () => {
  interface Case {
    input_series: { series: string }[];
    promql_expr_test: { expr: string; exp_samples: { labels: string }[] }[];
  }
  const files = await Promise.all((await caseFiles()).map(read));
  const tests = files.flatMap((text) => (parse(text) as { tests: Case[] }).tests);
  const nameOf = ({ promql_expr_test: [first] }: Case) => /alertname="(\w+)"/.exec(first?.expr ?? '')?.[1];
  const by = Map.groupBy(tests, nameOf);
  const alerts = await readAlerts();
  expect([...by.keys()].sort()).toEqual([...new Set(alerts.map(({ alert }) => alert))].sort());
  for (const [alert, cases] of by) {
    const samples = cases.flatMap(({ promql_expr_test: all }) => all.flatMap(({ exp_samples: each }) => each));
    // A rule for each severity and window.
    for (const { labels } of alerts.filter((each) => each.alert === alert)) {
      const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
      const fires = samples.some((sample) => wanted.every((label) => sample.labels.includes(label)));
      expect([alert, labels, fires]).toEqual([alert, labels, true]);
    }
    // Alerts about absence have a case of their own for it; the others have one healthy series in the same case.
    const quiet = cases.some(
      ({ promql_expr_test: [first], input_series: series }) => (first?.exp_samples.length ?? 0) < series.length,
    );
    expect([alert, quiet]).toEqual([alert, true]);
  }
});

test('no alert and no runbook has “stopped” with an infinitive, which means the opposite', async () => {
  const texts = (await readAlerts()).flatMap(({ annotations }) => [
    annotations.summary ?? '',
    annotations.description ?? '',
  ]);
  for (const text of [...texts, await read('docs/reference/alerts.md')])
    expect(/\bstop(s|ped)? to \w+/.exec(text)?.[0] ?? null).toBeNull();
});

test('every alert has its runbook, and every runbook its alert', async () => {
  const text = await read('docs/reference/alerts.md');
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = '', ...body] = section.split('\n');
        return [title.trim(), body.join('\n')] as const;
      }),
  );
  const all = await readAlerts();
  expect([...sections.keys()]).toEqual([...new Set(all.map(({ alert }) => alert))]);
  for (const { alert, labels, annotations } of all) {
    expect(annotations).toEqual({
      summary: expect.any(String),
      description: expect.any(String),
      runbook_url: `alerts.md#${alert.toLowerCase()}`,
    });
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    const parts = [...(sections.get(alert) ?? '').matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part);
    expect([alert, parts]).toEqual([alert, ['Meaning', 'Impact', 'Diagnosis', 'Mitigation']]);
  }
});

test('a rule that must know its installation says so: absent series, and every selector of the objectives', async () => {
  for (const rule of await readRules()) {
    for (const [, inside] of rule.expr.matchAll(/absent\(([^)]*)\)/g)) expect(inside).toContain(IN);
    if (!('record' in rule) && !rule.expr.includes('zonestead_slo:')) continue;
    const selectors = [...rule.expr.matchAll(/zonestead_[\w:]+(\{[^}]*\})?/g)];
    expect(selectors.length).toBeGreaterThan(0);
    for (const [text] of selectors) expect(text).toContain(IN);
  }
});

interface Group {
  name: string;
  rules: AlertRule[];
}

const RULE: Values = { monitoring: { prometheusRule: { enabled: true } } };
const ONLY_NODES = {
  api: { enabled: false },
  operator: { enabled: false },
  solver: { enabled: false },
  crds: { enabled: false },
  nameserver: { feed: { url: 'https://dns.example.net' }, nodeKey: { existingSecret: 'key' } },
};

async function groupsOf(values: Values, namespace = 'zonestead'): Promise<Group[]> {
  const objects = await render({ ...RULE, ...values }, { namespace });
  return objects.find(({ kind }) => kind === 'PrometheusRule')?.spec.groups;
}

test('a release has the rules of the components that it has', async () => {
  const names = async (values: Values) => (await groupsOf(values)).map(({ name }) => name.replace('zonestead-', ''));
  const all = ['nameserver', 'nodes', 'api', 'database', 'operator', 'solver', 'processes', 'slo'];
  expect(await names({})).toEqual(all);
  expect(await names({ database: { mode: 'cnpg', cnpg: { operatorInstalled: true } } })).toEqual([
    ...all.slice(0, 4),
    'cnpg',
    ...all.slice(4),
  ]);
  expect(await names({ edge: { enabled: true } })).toEqual([all[0], 'edge', ...all.slice(1)]);
  const { nameserver: _, ...noProcesses } = ONLY_NODES;
  const region = { enabled: true, primaries: ['192.0.2.53:53'], tsig: { existingSecret: 'tsig' } };
  expect(await names({ ...noProcesses, nameserver: { enabled: false }, edge: region })).toEqual([
    ...['nameserver', 'edge', 'processes', 'slo'],
  ]);
  expect(await names(ONLY_NODES)).toEqual(['nameserver', 'processes', 'slo']);
  expect(await names({ operator: { enabled: false }, solver: { enabled: false } })).toEqual(
    all.filter((name) => name !== 'operator' && name !== 'solver'),
  );
});

test('the loss of one installation is not hidden by another one in the same Prometheus, and a region release misses no api', async () => {
  const folder = await temporaryFolder('rules');
  const rendered = await Promise.all([groupsOf({}, 'one'), groupsOf({}, 'two'), groupsOf(ONLY_NODES, 'region')]);
  const files = ['one', 'two', 'region'];
  for (const [at, groups] of rendered.entries())
    await writeFile(join(folder, `${files[at]}.yaml`), JSON.stringify({ groups }));
  const healthy = (namespace: string) => [
    { series: `zonestead_dns_up{namespace="${namespace}", instance="ns"}`, values: '1x20' },
    { series: `zonestead_build_info{namespace="${namespace}", instance="api", component="api"}`, values: '1x20' },
    { series: `zonestead_leader{namespace="${namespace}", instance="op"}`, values: '1x20' },
    {
      series: `zonestead_dns_answers_total{namespace="${namespace}", instance="ns", rcode="NOERROR"}`,
      values: '0+60x20',
    },
  ];
  // Installation two has vanished.
  const lost = healthy('two').map((each) => ({ ...each, values: `${each.values.split('x')[0]}x3 stale` }));
  const region = healthy('region').filter(({ series }) => series.includes('_dns_'));
  const fired = (alert: string, labels: string) => ({
    labels: `ALERTS{alertname="${alert}", alertstate="firing", namespace="two", severity="critical"${labels}}`,
    value: 1,
  });
  const tests = [
    {
      name: 'the loss of one',
      interval: '1m',
      input_series: [...healthy('one'), ...lost, ...region],
      promql_expr_test: [
        {
          expr: 'ALERTS{alertstate="firing"}',
          eval_time: '8m',
          exp_samples: [
            fired('ZonesteadNoNameserver', ''),
            fired('ZonesteadApiAbsent', ', component="api"'),
            fired('ZonesteadNoLeader', ''),
          ],
        },
        {
          expr: 'count by (namespace) (zonestead_slo:total:rate2m{slo="answers"})',
          eval_time: '3m',
          exp_samples: files.map((namespace) => ({ labels: `{namespace="${namespace}"}`, value: 1 })),
        },
      ],
    },
  ];
  const file = join(folder, 'rules.test.yaml');
  const cases = { rule_files: files.map((name) => `${name}.yaml`), evaluation_interval: '30s', tests };
  await writeFile(file, JSON.stringify(cases));
  expect(await promtool('test', 'rules', file)).toBe('fine');
});

test('the alert about full volumes of the database is about the Cluster of the values, and the dashboard shows them', async () => {
  const folder = await temporaryFolder('volumes');
  const database = { mode: 'cnpg', cnpg: { operatorInstalled: true, clusterName: 'orders-2026' } };
  const objects = await render({
    database,
    monitoring: { prometheusRule: { enabled: true }, dashboard: { enabled: true } },
  });
  const { groups } = objects.find(({ kind }) => kind === 'PrometheusRule')?.spec ?? {};
  await writeFile(join(folder, 'rules.yaml'), JSON.stringify({ groups }));
  // All are nearly full.
  const claims = ['orders-2026-1', 'orders-2026-2-wal', 'orders-1', 'orders-2026-copy-1', 'zonestead-db-1'];
  const series = claims.flatMap((claim) =>
    Object.entries({ available: '1x20', capacity: '10x20' }).map(([kind, values]) => ({
      series: `kubelet_volume_stats_${kind}_bytes{namespace="zonestead", persistentvolumeclaim="${claim}"}`,
      values,
    })),
  );
  const expr =
    'count by (persistentvolumeclaim) (ALERTS{alertname="ZonesteadDatabaseVolumeFull", alertstate="firing"})';
  const samples = claims.slice(0, 2).map((claim) => ({ labels: `{persistentvolumeclaim="${claim}"}`, value: 1 }));
  const promqlTest = { expr, eval_time: '15m', exp_samples: samples };
  const cases = [{ name: 'volumes', interval: '1m', input_series: series, promql_expr_test: [promqlTest] }];
  const file = join(folder, 'rules.test.yaml');
  await writeFile(file, JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: cases }));
  expect(await promtool('test', 'rules', file)).toBe('fine');
  const dashboard = objects.find(({ metadata }) => metadata.name === 'zonestead-dashboard')?.data['zonestead.json'];
  const selectors = dashboard.match(/kubelet_volume_stats_[^}]*persistentvolumeclaim=~[^}]*/g);
  expect(selectors.filter((text: string) => text.includes('orders-2026-.+')).length).toBe(2);
  expect(dashboard).not.toContain('-db-');
});
