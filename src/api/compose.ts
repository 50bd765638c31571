// Builds the api from its settings: the database, the service, the HTTP application and the background work. The
// process (server.ts) and the integration tests call the same function, so that tests run the wiring of production.

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { BUCKETS } from '#base/buckets.ts';
import { realClock } from '#base/clock.ts';
import { hostText } from '#base/postgres-address.ts';
import type { Config } from '#config.ts';
import type { IsTrusted } from '#http/connections/client-address.ts';
import { readProxyHeaders } from '#http/connections/proxy-listener.ts';
import { shareLimits } from '#http/connections/sockets.ts';
import type { TlsListener } from '#http/connections/tls-listener.ts';
import { createLoadGuard } from '#http/hooks/load-guard.ts';
import { countDatabaseLosses, countRefusedConnections, watchDatabase } from '#http/hooks/metrics.ts';
import { checkProxies, trustedProxies } from '#http/hooks/proxies.ts';
import type { Guard } from '#http/load/load.ts';
import { createMeter, type Meter } from '#http/load/measure.ts';
import { keepCertificate, tlsListenerOf } from '#http/tls.ts';
import type { Actor } from '#service/accounts/actor.ts';
import { createZoneQueue } from '#service/change/queue.ts';
import { watchClusters } from '#service/clusters/metrics.ts';
import { runClusterWatch } from '#service/clusters/watch.ts';
import type { Delegation, ServiceContext } from '#service/context.ts';
import { type Arrivals, createArrivals } from '#service/nodes/arrivals.ts';
import { createChildZones } from '#service/nodes/child-zones.ts';
import { createCommits } from '#service/nodes/commits.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { createHub } from '#service/nodes/hub.ts';
import { keysStillValid } from '#service/nodes/keys.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import { watchNodes } from '#service/nodes/node-metrics.ts';
import { createReports } from '#service/nodes/reports.ts';
import { createServedSource } from '#service/nodes/source.ts';
import { runTransferDecisions } from '#service/nodes/transfers.ts';
import { createLeaseMetrics, overdueLease, runLeases } from '#service/owners/leases.ts';
import { limitWork, type WorkLimitOptions } from '#service/permits.ts';
import { ROUND_MS, runRetention } from '#service/retention.ts';
import type { WatchTimes } from '#store/cluster-watch.ts';
import { countClusters } from '#store/clusters.ts';
import { type Database, type Db, openDatabase, REASONS } from '#store/database.ts';
import { allNodes, livingRows } from '#store/nodes.ts';
import { refreshServiceNames } from '#store/secondaries.ts';
import { setService } from '#store/zones.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Tracing } from '#telemetry/span.ts';
import { inSpan } from '#telemetry/tracing.ts';
import { buildApp, type Console } from './app.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

/** A port of the process that is not HTTP. */
export interface Listener {
  /** @throws if the port is in use */
  listen(at: { host: string; port: number }): Promise<void>;
  port(): number;
  /** Finishes the requests in progress. */
  close(): Promise<void>;
}

/** The parts of the api that come from other rooms. */
export interface ApiParts {
  delegation: Delegation;
  /** The verifier of tokens, which `close` ends. Absent: no token is accepted. */
  tokens?(parts: { log: Logger; metrics: Metrics }): {
    verifier: NonNullable<ServiceContext['tokens']>;
    close(): Promise<void>;
  };
  /** The port of DNS updates. */
  updates?(parts: {
    context: ServiceContext;
    /** Record writes per minute of a key; null: no limit. */
    limitOf(actor: Actor): number | null;
    arrivals: Arrivals;
    load: Guard;
    log: Logger;
    metrics: Metrics;
  }): Listener;
  /** The pages of the console. */
  console?: Console;
  /** `run` works until the signal aborts. */
  aliases(context: { db: Db; log: Logger; metrics: Metrics }): {
    prepare(target: { target: string; owner: string }): Promise<void>;
    run(signal: AbortSignal): Promise<void>;
  };
}

/** Logging, metrics and tracing of the process. */
interface Telemetry {
  log: Logger;
  metrics: Metrics;
  /** Absent: no spans are recorded. */
  tracing?: Tracing;
}

interface ComposeOptions {
  /** The time limit for a request to arrive, in ms. (Default: 30000; 10000 for its headers.) */
  requestMs?: number;
  /** The time between two rounds of the retention, in ms. (Default: 60000.) */
  retentionEveryMs?: number;
  /** When a silent cluster is lost. (Default: see service/clusters/watch.ts.) */
  clusterTimes?: WatchTimes | undefined;
  /** Measures the load of the process. (Default: a real measurement.) */
  meter?: Meter;
  /** The time for leases, lifetimes of keys and the history. (Default: that of the machine.) */
  now?: () => Date;
}

export interface Api {
  /** The application, which does not listen yet. */
  app: FastifyInstance;
  /** The same with TLS, which does not listen yet; null without ZONESTEAD_TLS_LISTEN. */
  tls: TlsListener | null;
  /** The port of DNS updates, which does not listen yet; null without ZONESTEAD_UPDATE_LISTEN. */
  updates: Listener | null;
  context: ServiceContext;
  /** Finishes requests in progress, ends the background work, and then closes the database. */
  close(): Promise<void>;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Planning a file of 8 MiB takes about 100 MB. Two of them fit the memory limit of the chart. */
const IMPORTS = { total: 2, share: 1, waiting: 6, waitMs: 20_000, work: 'imports of zone files' };

/** One waits for the lock of the tree of zones while another holds it. */
const ADDITIONS = { total: 2, share: 1, waiting: 256, work: 'creations of zones' };

/** Reads that hold a connection while their client reads may use a quarter of the pool, and one team half of that. */
function largeReads(connections: number): WorkLimitOptions {
  const total = Math.max(1, Math.floor(connections / 4));
  // Longer than a client that reads nothing keeps its permit.
  return { total, share: Math.ceil(total / 2), waiting: 32, waitMs: 15_000, work: 'large reads' };
}

/**
 * Reads of whole zones by name servers hold a connection each, and may use a quarter of the pool. A node that starts
 * reads many zones, so it may use all of that, and others wait their turn.
 */
function nodeReads(connections: number): WorkLimitOptions {
  const total = Math.max(1, Math.floor(connections / 4));
  return { total, share: total, waiting: 512, waitMs: 20_000, work: 'reads of zones by name servers' };
}

/**
 * Opens the database, which must have the schema of this version, and starts the background work.
 * @throws if the database does not answer; everything is closed in that case
 */
export async function composeApi(
  config: Config<(typeof COMPOSE_SETTINGS)[number]>,
  parts: ApiParts,
  { log, metrics, tracing }: Telemetry,
  {
    requestMs,
    retentionEveryMs = ROUND_MS,
    clusterTimes,
    meter = createMeter(),
    now = () => new Date(),
  }: ComposeOptions = {},
): Promise<Api> {
  checkProxies(config);
  const database = openApiDatabase(config, { log, metrics, ...(tracing ? { tracing } : {}) });
  const { db } = database;
  await storeNames(database, config);
  watchDatabase(metrics, database, config.ZONESTEAD_DATABASE_CONNECTIONS);
  watchClusters(metrics, () => countClusters(db));
  const aliases = parts.aliases({ db, log, metrics });
  const tokens = parts.tokens?.({ log, metrics });
  const childZones = createChildZones(realClock);
  const context: ServiceContext = {
    db,
    queue: createZoneQueue(config.ZONESTEAD_BUSY_AFTER_MS),
    busyAfterMs: config.ZONESTEAD_BUSY_AFTER_MS,
    imports: limitWork(IMPORTS),
    additions: limitWork({ ...ADDITIONS, waitMs: config.ZONESTEAD_BUSY_AFTER_MS }),
    largeReads: limitWork(largeReads(config.ZONESTEAD_DATABASE_CONNECTIONS)),
    commits: createCommits(),
    childZones,
    nameservers: config.ZONESTEAD_NAMESERVERS,
    delegation: parts.delegation,
    prepareAlias: (target) => aliases.prepare(target),
    allowPublicSuffixes: config.ZONESTEAD_PUBLIC_SUFFIXES === 'allow',
    reservedNames: config.ZONESTEAD_RESERVED_NAMES,
    quotas: quotasIn(config),
    quarantineMs: config.ZONESTEAD_QUARANTINE_HOURS * HOUR_MS,
    tokens: tokens?.verifier,
    now,
    random: randomBytes,
  };
  const isTrusted = trustedProxies(config);
  const guard = createLoadGuard({
    meter,
    metrics,
    bodyBytes: config.ZONESTEAD_BODY_MEMORY_MB * 2 ** 20,
    now: Date.now,
  });
  const feed = composeFeed(context, config.ZONESTEAD_DATABASE_CONNECTIONS, log, metrics);
  const app = buildApp({
    isTrusted,
    proxyHeader: config.ZONESTEAD_PROXY_HEADER,
    guard,
    feed,
    plainFeed: config.ZONESTEAD_FEED_WITHOUT_TLS === 'allow',
    powerDns: config.ZONESTEAD_PDNS_API,
    context,
    log,
    limits: config.ZONESTEAD_LIMITS,
    metrics,
    ...(tracing ? { tracing } : {}),
    ...(parts.console ? { console: parts.console } : {}),
    ...(requestMs === undefined ? {} : { requestMs }),
  });
  const updates =
    parts.updates?.({
      context,
      limitOf: ({ recordWrites }) => recordWrites ?? (config.ZONESTEAD_LIMITS ? BUCKETS.records.limit : null),
      arrivals: feed.arrivals,
      load: guard.of('updates'),
      log,
      metrics,
    }) ?? null;
  const tls = config.ZONESTEAD_TLS_LISTEN === undefined ? null : tlsListenerOf(app, requestMs);
  limitServers([app.server, ...(tls === null ? [] : [tls.server])], config, isTrusted, { log, metrics });
  const end = new AbortController();
  const background = [
    aliases.run(end.signal),
    childZones.run(context, log, end.signal),
    ...runRounds(context, config, { log, metrics }, { retentionEveryMs, clusterTimes }, end.signal),
  ];
  if (tls !== null) background.push((await keepCertificate(tls, config, { log, metrics }, end.signal)).ended);
  return {
    app,
    tls,
    updates,
    context,
    close: async () => {
      await Promise.all([app.close(), tls?.close(), updates?.close()]);
      guard.close();
      end.abort();
      await Promise.all([...background, tokens?.close()]);
      await database.close();
    },
  };
}

type ComposeConfig = Config<(typeof COMPOSE_SETTINGS)[number]>;

/** Writes the names of the name servers to the database, which it closes if that fails. */
async function storeNames(database: Database, config: ComposeConfig): Promise<void> {
  const nameservers = config.ZONESTEAD_NAMESERVERS;
  const hostmaster = config.ZONESTEAD_HOSTMASTER ?? `hostmaster.${nameservers[0]}`;
  try {
    await setService(database.db, { nameservers, hostmaster });
    await refreshServiceNames(database.db);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function quotasIn(config: ComposeConfig): ServiceContext['quotas'] {
  return {
    zones: config.ZONESTEAD_QUOTA_ZONES,
    records: config.ZONESTEAD_QUOTA_RECORDS,
    bytes: config.ZONESTEAD_QUOTA_BYTES,
    keys: config.ZONESTEAD_QUOTA_KEYS,
    members: config.ZONESTEAD_QUOTA_MEMBERS,
  };
}

function limitServers(
  servers: readonly Server[],
  config: ComposeConfig,
  isTrusted: IsTrusted,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
): void {
  const limitConnections = shareLimits(
    {
      total: config.ZONESTEAD_MAX_CONNECTIONS,
      perAddress: config.ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS,
      isExempt: isTrusted,
    },
    countRefusedConnections(metrics),
  );
  for (const server of servers) {
    limitConnections(server);
    if (!config.ZONESTEAD_PROXY_PROTOCOL) continue;
    // Reads the header before the limits on connections apply, so that they use the client's address.
    readProxyHeaders(server, isTrusted, (proxy, problem) =>
      log.debug({ proxy, problem }, 'a connection of a trusted proxy was refused: no valid PROXY protocol header'),
    );
  }
}

/** Work that repeats for as long as the process runs. @returns promises that resolve after the signal has aborted */
function runRounds(
  context: ServiceContext,
  config: ComposeConfig,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  { retentionEveryMs, clusterTimes }: { retentionEveryMs: number; clusterTimes: ComposeOptions['clusterTimes'] },
  signal: AbortSignal,
): Promise<void>[] {
  const { db, now } = context;
  const retention = {
    historyMs: config.ZONESTEAD_HISTORY_DAYS * DAY_MS,
    historyBytes: config.ZONESTEAD_HISTORY_BYTES,
    answersMs: config.ZONESTEAD_IDEMPOTENCY_HOURS * HOUR_MS,
  };
  const times = clusterTimes ? { times: clusterTimes } : {};
  const leaseMetrics = createLeaseMetrics(metrics, overdueLease(db, now), now);
  return [
    runClusterWatch({ ...context, log, clock: realClock, ...times }, signal),
    runTransferDecisions(db, realClock, log, signal),
    runLeases(context, { log, metrics: leaseMetrics }, signal),
    runRetention({ db, log, settings: retention, now, everyMs: retentionEveryMs }, signal),
  ];
}

function composeFeed(context: ServiceContext, connections: number, log: Logger, metrics: Metrics): Feed {
  const source = createServedSource({ db: context.db });
  const reads = limitWork(nodeReads(connections));
  watchNodes(metrics, () => allNodes(context.db));
  const feedMetrics = createFeedMetrics(metrics);
  const { commits = createCommits() } = context;
  const validKeys = (ids: readonly string[]) => keysStillValid(context, ids);
  const hub = createHub({ source, clock: realClock, log, metrics: feedMetrics, commits, reads, validKeys });
  const arrivals = createArrivals({ read: () => livingRows(context.db), clock: realClock });
  const reports = createReports(log, realClock.now, () => {
    arrivals.reported();
    context.childZones?.reported();
  });
  return { hub, source, reads, reports, arrivals };
}

function openApiDatabase(
  config: Config<(typeof COMPOSE_SETTINGS)[number]>,
  { log, metrics, tracing }: Telemetry,
): Database {
  const transaction = {
    name: 'transaction',
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
  } as const;
  return openDatabase(config.DATABASE_URL, {
    ...(tracing?.isOn ? { around: (work) => inSpan(tracing, transaction, work) } : {}),
    name: 'zonestead-api',
    max: config.ZONESTEAD_DATABASE_CONNECTIONS,
    lockTimeoutMs: config.ZONESTEAD_BUSY_AFTER_MS,
    onLoss: countDatabaseLosses(metrics, REASONS),
    onPrimary: (host, before) =>
      log.info(
        { primary: hostText(host), ...(before === null ? {} : { before: hostText(before) }) },
        'the primary of the database is another server than before',
      ),
  });
}
