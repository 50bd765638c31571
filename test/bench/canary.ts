// The canary's view of a failover, an upgrade and a lost name server: the loss of each of the four objectives, and the
// time until an alert fires: `node test/bench/canary.ts [EVENT...]`, by default all events, about 30 minutes.
// Prometheus evaluates the rules of the chart over three days of good history. One of the two addresses has two name
// servers behind it, and the other one is a single name server. The operator is not in it, because the canary does not
// use it.
import { OBJECTIVES } from '../../charts/tools/slo/objectives.ts';
import type { NameServer } from '../../deploy/local/name-servers.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import type { Prometheus } from '../support/tools/prometheus.ts';
import { type CanaryStack, GOOD, OBJECTIVE_IDS, REPLICAS, type Slo, startCanaryStack } from './canary-stack.ts';
import { figure, tableLines } from './statistics.ts';
import { type Bench, print, runBench } from './support.ts';

const LIMIT_MS = 60 * 60_000;
/** The rates need two minutes, and a challenge is measured once a minute. */
const WARM_MS = 125_000;
/** The canary is watched for this long after an event. */
const AFTER_MS = 120_000;
/** Between the removal of an endpoint and the end of its pod. */
const DRAIN_MS = 2_000;
/**
 * Kubernetes removes the endpoints of a machine that is lost, and CloudNativePG promotes a standby, after this time.
 */
const LOSS_MS = 45_000;
const LOOK_MS = 1_000;
const MONTH_SECONDS = 30 * 24 * 3_600;

type Count = Readonly<Record<Slo, { bad: number; total: number }>>;

interface Event {
  readonly what: string;
  act(stack: CanaryStack, signal: AbortSignal): Promise<void>;
  /** Repairs the stack afterwards. */
  mend(stack: CanaryStack): Promise<void>;
}

const nothing = async () => undefined;
const partsOf = ({ knot, node }: NameServer) => [knot, node] as const;

async function kill({ running }: CanaryStack, server: NameServer): Promise<void> {
  await Promise.all(partsOf(server).map((name) => running.part(name).stop({ signal: 'SIGKILL' })));
}

async function start({ running }: CanaryStack, server: NameServer): Promise<void> {
  await Promise.all(partsOf(server).map((name) => running.start(name)));
}

function failOver(afterMs: number): Event['act'] {
  return async ({ pair }, signal) => {
    pair.signal(pair.primaryPort(), 'SIGKILL');
    await delay(afterMs, signal);
    await pair.promote();
  };
}

/** One process after the other, as the rolling updates of the chart do it. */
async function upgrade(stack: CanaryStack, signal: AbortSignal): Promise<void> {
  const { api, apiPorts, running, service, nodes } = stack;
  for (const replica of REPLICAS) {
    api.lead(...REPLICAS.filter((name) => name !== replica).map((name) => apiPorts[name]));
    await delay(DRAIN_MS, signal);
    await running.part(replica).stop();
    await running.start(replica);
    api.lead(...Object.values(apiPorts));
  }
  const shared = nodes.slice(0, 2);
  for (const server of nodes) {
    service.lead(...shared.filter((each) => each !== server).map(({ port }) => port));
    await delay(DRAIN_MS, signal);
    await Promise.all(partsOf(server).map((name) => running.part(name).stop()));
    await start(stack, server);
    service.lead(...shared.map(({ port }) => port));
  }
}

const EVENTS: Readonly<Record<string, Event>> = {
  nothing: { what: 'nothing happens: the noise of the machine', act: nothing, mend: nothing },
  failover: {
    what: 'Postgres is killed, and a standby is promoted at once',
    act: failOver(0),
    mend: ({ pair }) => pair.rebuild(),
  },
  'late-failover': {
    what: `Postgres is killed, and a standby is promoted after ${LOSS_MS / 1000} s`,
    act: failOver(LOSS_MS),
    mend: ({ pair }) => pair.rebuild(),
  },
  upgrade: { what: 'api and name servers restart one after the other', act: upgrade, mend: nothing },
  'lost-pod': {
    what: `one of two name servers of an address is lost, and the Service learns it after ${LOSS_MS / 1000} s`,
    act: async (stack, signal) => {
      const [first, second] = stack.nodes as [NameServer, NameServer];
      await kill(stack, second);
      await delay(LOSS_MS, signal);
      stack.service.lead(first.port);
    },
    mend: async (stack) => {
      const [first, second] = stack.nodes as [NameServer, NameServer];
      await start(stack, second);
      stack.service.lead(first.port, second.port);
    },
  },
  'lost-address': {
    what: 'the only name server of an address is lost',
    act: async (stack, signal) => {
      await kill(stack, stack.nodes[2] as NameServer);
      await delay(AFTER_MS, signal);
    },
    mend: (stack) => start(stack, stack.nodes[2] as NameServer),
  },
};

/** The sums of the canary's counters, and the seconds of old answers since then. */
async function count({ canaryUrl }: CanaryStack, prometheus: Prometheus, sinceMs: number): Promise<Count> {
  const text = await (await fetch(`${canaryUrl}/metrics`)).text();
  const sum = (name: string, isBad: (labels: string) => boolean) => {
    const lines = [...text.matchAll(new RegExp(`^zonestead_${name}\\{(.*)\\} ([\\d.e+]+)$`, 'gm'))];
    const add = (chosen: typeof lines) => chosen.reduce((total, [, , value]) => total + Number(value), 0);
    return { total: add(lines), bad: add(lines.filter(([, labels = '']) => isBad(labels))) };
  };
  const seconds = Math.max(1, Math.round((performance.now() - sinceMs) / 1000));
  const [old] = await prometheus.query(
    `30 * sum(sum_over_time(zonestead_slo:bad:rate2m{slo="freshness"}[${seconds}s]))`,
  );
  return {
    answers: sum('canary_queries_total', (labels) => !labels.includes('result="right"')),
    freshness: { bad: old?.value ?? 0, total: seconds },
    changes: sum('canary_changes_total', (labels) => !labels.includes('result="answered"')),
    challenges: sum('canary_challenges_total', (labels) => labels.includes('result="failed"')),
  };
}

/** The first moment at which each alert of an objective fires, in s after the beginning; until the signal. */
async function watchAlerts(prometheus: Prometheus, signal: AbortSignal): Promise<Map<Slo, string>> {
  const first = new Map<Slo, string>();
  const since = performance.now();
  const firing = async () => prometheus.query('ALERTS{alertstate="firing"}');
  while (!signal.aborted) {
    for (const { metric } of await firing()) {
      const slo = metric.slo as Slo;
      if (first.has(slo)) continue;
      const seconds = Math.round((performance.now() - since) / 1000);
      first.set(slo, `${seconds} s (${metric.window})`);
      print(`  ${metric.alertname} with the window ${metric.window} fires after ${seconds} s`);
    }
    await delay(LOOK_MS, signal).catch(nothing);
  }
  return first;
}

async function measure(name: string, event: Event, stack: CanaryStack, bench: Bench): Promise<string[][]> {
  const prometheus = await stack.observe();
  await delay(WARM_MS, bench.signal);
  const since = performance.now();
  const before = await count(stack, prometheus, since);
  const over = new AbortController();
  const alerts = watchAlerts(prometheus, AbortSignal.any([over.signal, bench.signal]));
  print(`${name}: ${event.what}`);
  await event.act(stack, bench.signal);
  print(`  the event ends after ${figure((performance.now() - since) / 1000)} s`);
  await delay(AFTER_MS, bench.signal);
  const after = await count(stack, prometheus, since);
  over.abort();
  const fired = await alerts;
  await event.mend(stack);
  return OBJECTIVE_IDS.map((slo) => {
    const bad = after[slo].bad - (slo === 'freshness' ? 0 : before[slo].bad);
    const total = after[slo].total - (slo === 'freshness' ? 0 : before[slo].total);
    const target = OBJECTIVES.find(({ id }) => id === slo)?.target ?? 1;
    const budget = (1 - target) * GOOD[slo] * MONTH_SECONDS;
    return [
      name,
      slo,
      `${figure(bad)} of ${figure(total)}`,
      `${figure((100 * bad) / budget)} %`,
      fired.get(slo) ?? '-',
    ];
  });
}

async function run(bench: Bench): Promise<void> {
  const asked = process.argv.slice(2);
  const stack = await startCanaryStack(bench);
  const rows: string[][] = [];
  for (const [name, event] of Object.entries(EVENTS).filter(([each]) => asked.length === 0 || asked.includes(each))) {
    const measured = await measure(name, event, stack, bench);
    for (const line of tableLines(measured)) print(`  ${line}`);
    rows.push(...measured);
  }
  const heading = ['event', 'objective', 'bad events', 'share of the budget of 30 days', 'first alert after'];
  for (const line of tableLines([heading, ...rows])) print(line);
}

await runBench('The view of a canary', LIMIT_MS, run);
