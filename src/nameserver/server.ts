// The nameserver process: the companion with its health and metrics. Wiring only.
import type { Config } from '../config.ts';
import { openDatabase } from '../store/database.ts';
import { startHealthServer } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { answeringProblem } from './answering.ts';
import { runCompanion } from './companion.ts';
import { watchPowerDns } from './statistics.ts';

export const NAMESERVER_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_NAMESERVER_DATABASE_URL',
  'ZONESTEAD_PDNS_SOCKET',
  'ZONESTEAD_POLL_MS',
  'ZONESTEAD_PDNS_ADDRESS',
] as const;

/** Runs until the signal. Ready while the last look for changed zones worked, and PowerDNS answers where that is known. */
export async function runNameserver(
  config: Config<(typeof NAMESERVER_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'nameserver', level: config.ZONESTEAD_LOG_LEVEL });
  const database = openDatabase(config.ZONESTEAD_NAMESERVER_DATABASE_URL, {
    name: 'zonestead-nameserver',
    max: 1,
    statementTimeoutMs: 2_000,
  });
  const metrics = createMetrics({ component: 'nameserver' });
  const looks = metrics.counter({
    name: 'nameserver_looks_total',
    help: 'Looks for changed zones, by result.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) looks.inc({ result }, 0);
  const purges = metrics.counter({
    name: 'nameserver_purges_total',
    help: 'Zones dropped from the cache of PowerDNS.',
  });
  // Grows while looks fail: a change may have waited that long, if PowerDNS did not forget it by itself (5 s).
  let lastLook = performance.now();
  metrics.gauge({
    name: 'nameserver_flush_lag_seconds',
    help: 'Time since the last look for changed zones that worked.',
    collect: (gauge) => gauge.set((performance.now() - lastLook) / 1000),
  });
  const intervals = metrics.histogram({
    name: 'nameserver_look_interval_seconds',
    help: 'Time between two looks that worked: how long a change waits at most before its zone is dropped from the cache.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  watchPowerDns(metrics, config.ZONESTEAD_PDNS_SOCKET);
  let ready = false;
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: async () => {
      const address = config.ZONESTEAD_PDNS_ADDRESS;
      const problem = address === undefined ? null : await answeringProblem(address, signal);
      const checks = {
        companion: ready ? 'looks for changed zones' : 'cannot look for changed zones',
        ...(problem === null ? {} : { powerdns: problem }),
      };
      return { ok: ready && problem === null, checks };
    },
  });
  await runCompanion(
    {
      db: database.db,
      socket: config.ZONESTEAD_PDNS_SOCKET,
      pollMs: config.ZONESTEAD_POLL_MS,
      log,
      onLook: (ok, purged) => {
        ready = ok;
        if (ok) {
          const now = performance.now();
          intervals.observe((now - lastLook) / 1000);
          lastLook = now;
        }
        looks.inc({ result: ok ? 'ok' : 'failed' });
        purges.inc(purged);
      },
    },
    signal,
  );
  await health.close();
  await database.close();
}
