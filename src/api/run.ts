// The api process: probes, migrations, the listening socket and a graceful shutdown. compose.ts builds everything else.
import type { Config } from '#config.ts';
import { checkProxies } from '#http/hooks/proxies.ts';
import { isMigrated, migrateDatabase } from '#store/migrate.ts';
import { type HealthReport, startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startTracing } from '#telemetry/tracing.ts';
import { composeApi } from './compose.ts';
import type { ApiParts } from './parts.ts';
import { untilPrepared } from './prepare.ts';
import type { API_SETTINGS } from './settings.ts';

/**
 * Serves until the signal aborts. While the database is not reachable or not migrated, the process is not ready,
 * reports the cause, and retries.
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
  let ready = async (): Promise<HealthReport> => ({ ok: false, checks: { database: 'not connected yet' } });
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: () => ready(),
  });
  const prepare = () => migrateDatabase(config.DATABASE_URL);
  const report = (problem: string) => {
    ready = async () => ({ ok: false, checks: { database: problem } });
  };
  if (!(await untilPrepared(prepare, log, report, signal))) {
    await health.close();
    return;
  }
  const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'zonestead-api' });
  const { app, tls, updates, context, close } = await composeApi(config, parts, { log, metrics, tracing });
  await app.listen(config.ZONESTEAD_LISTEN);
  if (config.ZONESTEAD_TLS_LISTEN !== undefined) await tls?.listen(config.ZONESTEAD_TLS_LISTEN);
  if (config.ZONESTEAD_UPDATE_LISTEN !== undefined) await updates?.listen(config.ZONESTEAD_UPDATE_LISTEN);
  ready = async () =>
    (await isMigrated(context.db)) ? { ok: true } : { ok: false, checks: { database: 'not migrated' } };
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
  // Requests in progress finish. Idle keep-alive connections are closed at once.
  await close();
  await health.close();
  await tracing.close();
  log.info('stopped');
}
