// docs/reference/metrics.md: every metric of each process, read from registries that the functions of the processes
// fill.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { buildApp } from '#api/app.ts';
import { countDatabaseLosses, watchDatabase, watchReach } from '#api/metrics.ts';
import { realClock } from '#base/clock.ts';
import { Keyring } from '#base/keyring.ts';
import { createCanaryMetrics } from '#canary/metrics.ts';
import { createPaceMetrics } from '#client/pace/metrics.ts';
import { createUpdateMetrics } from '#doors/dns-update/metrics.ts';
import { createLoadGuard } from '#http/hooks/load-guard.ts';
import { countRefusedConnections } from '#http/hooks/metrics.ts';
import { openReadLimit } from '#http/hooks/read-limit.ts';
import { createStore } from '#kube/cache/store.ts';
import { countLeadership, createKubeMetrics } from '#kube/metrics.ts';
import { watchZones } from '#nameserver/edge/metrics.ts';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { watchKnot } from '#nameserver/knot/metrics.ts';
import { createNodeMetrics } from '#nameserver/node/metrics.ts';
import { createProberMetrics } from '#nameserver/node/probe-metrics.ts';
import { createTransferMetrics } from '#nameserver/node/transfer-metrics.ts';
import { createAliases } from '#nameserver/resolver/aliases.ts';
import { createTargetMetrics } from '#nameserver/resolver/target-metrics.ts';
import {
  countControlPlane,
  countCordoned,
  countHeartbeats,
  countHeld,
  countServiceRequests,
  countUnreachable,
  countWaitingStatuses,
  createObserver,
} from '#operator/run/metrics.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { watchChecks } from '#service/checks/metrics.ts';
import { watchClusters } from '#service/clusters/metrics.ts';
import type { ServiceContext } from '#service/context.ts';
import { watchEncryption } from '#service/encryption/watch.ts';
import { watchKeyRolls } from '#service/key-rolls/metrics.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import { observeApplied, watchNodes } from '#service/nodes/node-metrics.ts';
import { createLeaseMetrics } from '#service/owners/leases.ts';
import { countRetention } from '#service/retention-metrics.ts';
import { watchSizes } from '#service/usage-metrics.ts';
import type { SolverContext } from '#solver/context.ts';
import { createSolve } from '#solver/solve.ts';
import { type Db, REASONS } from '#store/database.ts';
import { watchCertificateExpiry } from '#telemetry/certificate-expiry.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics, METRICS_PREFIX, type Metrics } from '#telemetry/metrics.ts';
import { createTokenMetrics } from '#tokens/metrics.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

interface MetricFacts {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

const log = createLogger({ name: 'docs', level: 'silent' });

/**
 * The functions that register the metrics of each process. Only a scrape or the work of the process uses the empty
 * arguments.
 */
const PROCESSES: Readonly<Record<string, (metrics: Metrics) => Promise<void> | void>> = {
  api: async (metrics) => {
    await buildApp({ context: {} as ServiceContext, log, limits: true, metrics }).close();
    const meter = { read: () => ({}) as never, close: () => undefined };
    createLoadGuard({ meter, metrics, bodyBytes: 0, now: Date.now }).close();
    openReadLimit(null, metrics);
    watchReach(metrics, () => false);
    watchDatabase(metrics, { work: () => 0 }, 0);
    countDatabaseLosses(metrics, REASONS);
    countRefusedConnections(metrics);
    watchCertificateExpiry(metrics);
    createFeedMetrics(metrics);
    watchNodes(metrics, async () => []);
    observeApplied(metrics);
    countRetention(metrics);
    createLeaseMetrics(
      metrics,
      async () => null,
      () => new Date(),
    );
    watchEncryption({ metrics, log, keyring: new Keyring([]), now: () => new Date() }, async () => []);
    watchKeyRolls(
      metrics,
      async () => ({ rolls: 0, since: null }),
      () => new Date(),
    );
    watchChecks(metrics, async () => ({ Unknown: 0, Healthy: 0, Unhealthy: 0 }));
    watchSizes(metrics, () => Promise.reject(new Error('unused')), 0);
    createUpdateMetrics(metrics);
    createTokenMetrics(metrics, () => ({ all: 0, failing: 0 }));
    watchClusters(metrics, async () => ({
      active: 0,
      drained: 0,
      lost: 0,
      unsettled: 0,
      etcdRestored: 0,
      controlPlaneAway: 0,
    }));
    createAliases({ db: {} as Db, resolve: () => Promise.reject(new Error('unused')), log, metrics, now: Date.now });
    createTargetMetrics(metrics);
  },
  nameserver: (metrics) => {
    const numbers = { lagSeconds: () => 0, zones: () => 0, failing: () => 0, waiting: () => 0, unlisted: () => 0 };
    const facts = {
      clockOffSeconds: () => 0,
      isConnected: () => true,
      feedEnding: () => null,
      signatureSeconds: () => 0,
      isEngineUp: () => true,
      isStateStored: () => true,
    };
    createNodeMetrics(metrics, { ...numbers, ...facts });
    createProberMetrics(metrics, () => 0);
    createTransferMetrics(
      metrics,
      () => 'none',
      () => [],
    );
    watchKnot(metrics, knotFolder('/nonexistent'));
  },
  edge: (metrics) => {
    watchKnot(metrics, knotFolder('/nonexistent'));
    watchZones(metrics, () => Promise.reject(new Error('unused')), { clock: realClock, log });
  },
  operator: (metrics) => {
    createKubeMetrics(metrics);
    countHeld(metrics, { held: 0 }, { list: () => [] });
    countUnreachable(metrics, { unreachable: () => [], answered: () => new Set() });
    countCordoned(metrics, () => []);
    countWaitingStatuses(metrics, { waiting: 0 });
    countHeartbeats(metrics, { failingMs: () => 0, isRestored: () => false });
    countControlPlane(metrics, { failingMs: () => 0 });
    countLeadership(metrics, undefined);
    createPaceMetrics(metrics, realClock);
    countServiceRequests(metrics);
    const caches = { zones: createStore<DNSZone>({ log }), records: createStore<DNSRecord>({ log }) };
    createObserver(metrics, caches);
  },
  solver: (metrics) => {
    createSolve({} as SolverContext, metrics);
    watchCertificateExpiry(metrics);
  },
  'external-dns': () => undefined,
  canary: (metrics) => void createCanaryMetrics(metrics, () => new Map()),
};

/**
 * The metrics of a registry, sorted by name. @throws if a metric is of another type than counter, gauge and histogram
 */
export function listMetricFacts(registry: Registry): MetricFacts[] {
  return registry
    .getMetricsAsArray()
    .map((metric) => {
      const { name, help } = metric;
      const type = findMetricType(metric);
      if (type === null) throw new Error(`${name} is neither a counter, a gauge nor a histogram`);
      // The types of prom-client do not declare labelNames, which every metric has.
      const { labelNames } = metric as unknown as { labelNames: readonly string[] };
      return { name, help, type, labels: labelNames.filter((label) => label !== 'le') };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function findMetricType(metric: unknown): MetricFacts['type'] | null {
  if (metric instanceof Counter) return 'counter';
  if (metric instanceof Gauge) return 'gauge';
  return metric instanceof Histogram ? 'histogram' : null;
}

/** The metrics by process. Those that every process has are under `all` alone. */
export async function readMetrics(): Promise<Readonly<Record<string, MetricFacts[]>>> {
  const all = createMetrics({ component: 'docs', processMetrics: false });
  const facts: Record<string, MetricFacts[]> = { all: listMetricFacts(all.registry) };
  for (const [component, register] of Object.entries(PROCESSES)) {
    const metrics = createMetrics({ processMetrics: false });
    await register(metrics);
    facts[component] = listMetricFacts(metrics.registry);
  }
  return facts;
}

const TITLES: Readonly<Record<string, string>> = { all: 'All processes' };
const NOTES: Readonly<Record<string, string>> = {
  all: 'Every process also serves the metrics of Node.js with the names that they have in every program, which begin with `process_` and `nodejs_`: memory, CPU, event loop and garbage collection. They are the default metrics of [prom-client](https://github.com/siimon/prom-client#default-metrics).',
  nameserver:
    'Each name server node serves these metrics. It reads those that begin with `zonestead_dns_` from knotd over its control socket, at most every two seconds.',
  edge: 'The container `metrics` of each edge serves these metrics. It reads the counters as a node does, and the zones twice a minute.',
  operator: `The metrics \`${METRICS_PREFIX}pace_*\` describe the writes that wait for their turn within the write limits, by lane: \`acme\` (certificates), \`change\` and \`create\`. Namespaces take turns, and no label contains a name: \`${METRICS_PREFIX}pace_waiting_namespaces\` and \`${METRICS_PREFIX}workqueue_waiting_groups\` say how many of them wait. An operator that is not the leader has its objects in the queue too, so read \`${METRICS_PREFIX}workqueue_depth\` together with \`${METRICS_PREFIX}leader\`.`,
  'external-dns': 'The process has no metrics besides those of all processes.',
  canary: `Each canary serves these metrics. \`address\` is the IP address of a name server, with its port if that is not 53: at most 64 of them at a time. [Measure DNS from outside](../how-to/measure-dns-from-outside.md) says how the canary judges answers.`,
};

function buildSection(component: string, facts: readonly MetricFacts[]): string[] {
  const note = NOTES[component];
  const rows = facts.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    plain(help),
  ]);
  return [
    `## ${TITLES[component] ?? component}`,
    ...(note === undefined ? [] : [paragraph(note)]),
    ...(rows.length === 0 ? [] : [table(['metric', 'type', 'labels', 'meaning'], rows)]),
  ];
}

export async function metricsPage(): Promise<string> {
  const sections = Object.entries(await readMetrics()).flatMap(([component, facts]) => buildSection(component, facts));
  return page(
    'Metrics',
    paragraph('This page lists the metrics that each process serves on `/metrics` of port 9090.'),
    paragraph(
      'Each series exists with the value zero from the start, except series that can only exist after an event, such as the status of an answer. A histogram `<name>` has the series `<name>_bucket`, `<name>_sum` and `<name>_count`. [Alerts](alerts.md) lists the alerts that use these metrics.',
    ),
    ...sections,
  );
}
