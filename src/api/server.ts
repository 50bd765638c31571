// The api process: migrations, the listening sockets, and an orderly end. Wiring only.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Db, openDatabase } from '../store/database.ts';
import { dropOldAnswers } from '../store/idempotency.ts';
import { isMigrated, migrateDatabase } from '../store/migrate.ts';
import { setService } from '../store/zones.ts';
import { type HealthReport, startHealthServer } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { inSpan, startTracing } from '../telemetry/tracing.ts';
import type { House } from '../zones/change.ts';
import type { Delegation } from '../zones/delegation.ts';
import { createZoneQueue } from '../zones/queue.ts';
import { buildApp, type Console } from './app.ts';
import { watchDatabase } from './metrics.ts';
import { untilPrepared } from './prepare.ts';

export const API_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'DATABASE_URL',
  'ZONESTEAD_LISTEN',
  'ZONESTEAD_NAMESERVERS',
  'ZONESTEAD_HOSTMASTER',
  'ZONESTEAD_PUBLIC_SUFFIXES',
  'ZONESTEAD_LIMITS',
  'ZONESTEAD_BUSY_AFTER_MS',
  'ZONESTEAD_DATABASE_CONNECTIONS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the api needs of other rooms, which it must not know. */
export interface Outside {
  delegation: Delegation;
  /** Pages for people. (Default: there are none.) */
  console?: Console;
  /** `run` works until the signal. */
  aliases(context: { db: Db; log: Logger; metrics: Metrics }): {
    prepare(target: string): Promise<void>;
    run(signal: AbortSignal): Promise<void>;
  };
}

/**
 * Serves until the signal. While the database cannot be reached or migrated it says so, is not ready, and tries again.
 * @throws when a port is taken
 */
export async function runApi(
  config: Config<(typeof API_SETTINGS)[number]>,
  outside: Outside,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'api', level: config.ZONESTEAD_LOG_LEVEL });
  const nameservers = config.ZONESTEAD_NAMESERVERS;
  const metrics = createMetrics({ component: 'api' });
  let ready = async (): Promise<HealthReport> => ({ ok: false, checks: { database: 'not reached yet' } });
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: () => ready(),
  });
  const prepare = () => migrateDatabase(config.DATABASE_URL);
  const tell = (problem: string) => {
    ready = async () => ({ ok: false, checks: { database: problem } });
  };
  if (!(await untilPrepared(prepare, log, tell, signal))) {
    await health.close();
    return;
  }
  const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'zonestead-api' });
  const transaction = {
    name: 'transaction',
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
  } as const;
  const database = openDatabase(config.DATABASE_URL, {
    ...(tracing.isOn ? { around: (work) => inSpan(tracing, transaction, work) } : {}),
    name: 'zonestead-api',
    max: config.ZONESTEAD_DATABASE_CONNECTIONS,
    lockTimeoutMs: config.ZONESTEAD_BUSY_AFTER_MS,
  });
  const { db } = database;
  await setService(db, { nameservers, hostmaster: config.ZONESTEAD_HOSTMASTER ?? `hostmaster.${nameservers[0]}` });

  watchDatabase(metrics, database, config.ZONESTEAD_DATABASE_CONNECTIONS);
  const aliases = outside.aliases({ db, log, metrics });

  const house: House = {
    db,
    queue: createZoneQueue(config.ZONESTEAD_BUSY_AFTER_MS),
    busyAfterMs: config.ZONESTEAD_BUSY_AFTER_MS,
    nameservers,
    delegation: outside.delegation,
    prepareAlias: aliases.prepare,
    allowPublicSuffixes: config.ZONESTEAD_PUBLIC_SUFFIXES === 'allow',
    now: () => new Date(),
    random: randomBytes,
  };
  const app = buildApp({
    house,
    log,
    limits: config.ZONESTEAD_LIMITS,
    metrics,
    tracing,
    ...(outside.console ? { console: outside.console } : {}),
  });
  const sweep = setInterval(() => {
    dropOldAnswers(db, new Date(Date.now() - DAY_MS)).catch((error) => log.warn({ err: error }, 'old answers stay'));
  }, DAY_MS / 24);

  const resolving = aliases.run(signal);
  await app.listen(config.ZONESTEAD_LISTEN);
  ready = async () => ((await isMigrated(db)) ? { ok: true } : { ok: false, checks: { database: 'not migrated' } });
  log.info({ address: app.server.address() }, 'listening');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(sweep);
  // Requests under way finish; idle keep-alive connections are closed at once.
  await app.close();
  await resolving;
  await health.close();
  await database.close();
  await tracing.close();
  log.info('stopped');
}
