// The api process: probes, migrations, the listening socket and a graceful shutdown. compose.ts builds everything else.
import { chooseListenAddress } from '#base/listen-address.ts';
import type { Config } from '#config.ts';
import { checkProxies } from '#http/hooks/proxies.ts';
import { migrateDatabase } from '#store/migrate.ts';
import { type HealthReport, startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startTracing } from '#telemetry/tracing.ts';
import { composeApi } from './compose.ts';
import { watchReach } from './metrics.ts';
import type { ApiParts } from './parts.ts';
import { checkDatabase, untilPrepared } from './prepare.ts';
import type { API_SETTINGS } from './settings.ts';

/**
 * Serves until the signal aborts. Until the database has been reached and migrated, the process is not ready, reports
 * the cause, and retries. A later loss of the database leaves it ready: all replicas lose it together, and without a
 * ready one clients would get no answer in the place of 503 with Retry-After.
 * @throws if a port is in use
 */
export async function runApi(
  config: Config<(typeof API_SETTINGS)[number]>,
  parts: ApiParts,
  signal: AbortSignal,
): Promise<void> {
  checkProxies(config);
  const log = createLogger({ name: 'api', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'api' });
  let ready: HealthReport = { ok: false, checks: { database: 'not connected yet' } };
  let deep = async () => ready;
  let isUp = () => false;
  watchReach(metrics, () => isUp());
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: () => ready,
    deep: () => deep(),
  });
  const prepare = () => migrateDatabase(config.DATABASE_URL).then(() => undefined);
  const report = (problem: string) => {
    ready = { ok: false, checks: { database: problem } };
  };
  if (!(await untilPrepared(prepare, log, report, signal))) {
    await health.close();
    return;
  }
  const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'zonestead-api' });
  const { app, tls, updates, context, close } = await composeApi(config, parts, { log, metrics, tracing });
  isUp = () => context.db.isUp;
  for (const [server, place] of [
    [app, config.ZONESTEAD_LISTEN],
    [tls, config.ZONESTEAD_TLS_LISTEN],
    [updates, config.ZONESTEAD_UPDATE_LISTEN],
  ] as const) {
    if (place !== undefined) await server?.listen({ ...place, host: await chooseListenAddress(place.host) });
  }
  ready = { ok: true };
  deep = () => checkDatabase(context.db);
  log.info(
    {
      address: app.server.address(),
      ...(tls === null ? {} : { tls: tls.server.address() }),
      ...(updates === null ? {} : { updates: updates.port() }),
    },
    'listening',
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  ready = { ok: false, checks: { process: 'shutting down' } };
  deep = async () => ready;
  // Requests in progress finish. Idle keep-alive connections are closed at once.
  await close();
  await health.close();
  await tracing.close();
  log.info('stopped');
}
