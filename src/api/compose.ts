// Builds the api from its settings, in this order:
//
//     the database      database.ts     opened, with the names of the name servers
//     the service       context.ts      settings, permits, the queue of zones
//     the load guard    src/http/hooks/load-guard.ts
//     the feed          feed.ts         for name servers
//     HTTP              app.ts          the hooks of every request, and the protocols
//     DNS updates       parts.ts        a port that is not HTTP
//     listeners         listeners.ts    limits on connections, TLS
//     background        rounds.ts       work that repeats
//
// The process (run.ts) and the integration tests call the same function, so that tests run the wiring of production.
import type { FastifyInstance } from 'fastify';
import { realClock } from '#base/clock.ts';
import { createMayProbe } from '#base/probes/allowed.ts';
import type { Config } from '#config.ts';
import type { UpdateListener } from '#doors/dns-update/door.ts';
import type { TlsListener } from '#http/connections/tls-listener.ts';
import { createLoadGuard, type LoadGuard } from '#http/hooks/load-guard.ts';
import { checkProxies, trustedProxies } from '#http/hooks/proxies.ts';
import { openReadLimit } from '#http/hooks/read-limit.ts';
import { createMeter, type Meter } from '#http/load/measure.ts';
import type { ReadLimit } from '#http/load/read-limit.ts';
import { createAppListener, keepCertificate } from '#http/tls.ts';
import { watchClusters } from '#service/clusters/metrics.ts';
import type { ServiceContext } from '#service/context.ts';
import { createChildZones } from '#service/nodes/child-zones.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { ROUND_MS } from '#service/retention.ts';
import { countClusters } from '#store/clusters.ts';
import { buildApp } from './app.ts';
import { createContext } from './context.ts';
import { openApiDatabase } from './database.ts';
import { createFeed } from './feed.ts';
import { limitServers } from './listeners.ts';
import type { ApiParts, Telemetry } from './parts.ts';
import { type RoundTimes, runRounds } from './rounds.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';
import { chooseWriteLimits } from './write-limits.ts';

type Settings = Config<(typeof COMPOSE_SETTINGS)[number]>;

interface ComposeOptions extends Partial<RoundTimes> {
  /** The time limit for a request to arrive, in ms. (Default: 30000; 10000 for its headers.) */
  requestMs?: number;
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
  updates: UpdateListener | null;
  context: ServiceContext;
  /** Finishes requests in progress, ends the background work, and then closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, which must have the schema of this version, and starts the background work.
 * @throws if the database does not answer; everything is closed in that case
 */
export async function composeApi(
  config: Settings,
  parts: ApiParts,
  telemetry: Telemetry,
  options: ComposeOptions = {},
): Promise<Api> {
  const { log, metrics } = telemetry;
  const { requestMs, meter = createMeter(), now = () => new Date() } = options;
  checkProxies(config);
  const database = await openApiDatabase(config, telemetry);
  const { db } = database;
  watchClusters(metrics, () => countClusters(db));
  const aliases = parts.aliases({ db, log, metrics });
  const tokens = parts.tokens?.({ log, metrics });
  const childZones = createChildZones(realClock);
  const context = createContext(config, {
    db,
    childZones,
    now,
    delegation: parts.delegation,
    ...(parts.sightKeys === undefined ? {} : { sightKeys: parts.sightKeys }),
    prepareAlias: (target) => aliases.prepare(target),
    tokens: tokens?.verifier,
  });
  const bodyBytes = config.ZONESTEAD_BODY_MEMORY_MB * 2 ** 20;
  const guard = createLoadGuard({ meter, metrics, bodyBytes, now: Date.now });
  const mayProbe = createMayProbe(config.ZONESTEAD_CHECK_NETWORKS, config.ZONESTEAD_CHECK_PORTS);
  const feed = createFeed(context, config.ZONESTEAD_DATABASE_CONNECTIONS, mayProbe, { log, metrics });
  const reads = openReadLimit(config.ZONESTEAD_LIMITS ? config.ZONESTEAD_READS_PER_MINUTE : null, metrics);
  const app = createApp(config, parts, telemetry, { context, guard, reads, feed, requestMs });
  const updates = createUpdates(config, parts, telemetry, { context, guard, reads, feed });
  const tls = config.ZONESTEAD_TLS_LISTEN === undefined ? null : createAppListener(app, requestMs);
  limitServers([app.server, ...(tls === null ? [] : [tls.server])], config, { log, metrics });
  const end = new AbortController();
  const { retentionEveryMs = ROUND_MS, clusterTimes, targetTimes } = options;
  const background = [
    aliases.run(end.signal),
    childZones.run(context, log, end.signal),
    ...runRounds(
      context,
      config,
      { log, metrics },
      { retentionEveryMs, clusterTimes, targetTimes },
      { targets: parts.targets, mayProbe },
      end.signal,
    ),
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

/** The service, and what protects and feeds it. */
interface Core {
  readonly context: ServiceContext;
  readonly guard: LoadGuard;
  readonly reads: ReadLimit;
  readonly feed: Feed;
}

function createApp(
  config: Settings,
  parts: ApiParts,
  { log, metrics, tracing }: Telemetry,
  { requestMs, ...core }: Core & { requestMs: number | undefined },
): FastifyInstance {
  return buildApp({
    ...core,
    isTrusted: trustedProxies(config),
    proxyHeader: config.ZONESTEAD_PROXY_HEADER,
    hasTls: config.ZONESTEAD_TLS_LISTEN !== undefined,
    plainFeed: config.ZONESTEAD_FEED_WITHOUT_TLS === 'allow',
    powerDns: config.ZONESTEAD_PDNS_API,
    log,
    limits: config.ZONESTEAD_LIMITS,
    metrics,
    ...(config.ZONESTEAD_DOCS_URL === undefined ? {} : { docsUrl: config.ZONESTEAD_DOCS_URL }),
    ...(tracing ? { tracing } : {}),
    ...(parts.console ? { console: parts.console } : {}),
    ...(requestMs === undefined ? {} : { requestMs }),
  });
}

function createUpdates(
  config: Settings,
  { updates }: ApiParts,
  { log, metrics }: Telemetry,
  { context, guard, reads, feed }: Core,
): UpdateListener | null {
  if (updates === undefined) return null;
  const { records: limitOf } = chooseWriteLimits(config.ZONESTEAD_LIMITS);
  return updates({ context, limitOf, arrivals: feed.arrivals, load: guard.of('updates'), reads, log, metrics });
}
