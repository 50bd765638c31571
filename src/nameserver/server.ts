// The nameserver process: the companion with its health and metrics. Wiring only.
import type { Config } from '#config.ts';
import { openDatabase } from '#store/database.ts';
import { serverIdentity } from '#store/server-identity.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { answeringProblem } from './companion/answering.ts';
import { runCompanion } from './companion/companion.ts';
import { createCompanionMetrics } from './companion/metrics.ts';
import { watchOneServer } from './companion/one-server.ts';
import { watchPowerDns } from './companion/statistics.ts';
import type { NAMESERVER_SETTINGS } from './settings.ts';

/**
 * Runs until the signal aborts. The process is ready while its last query for changed zones succeeded and PowerDNS answers (if
 * its address is known), and only after the database address is known to lead to one server. If the address turns out to be
 * load-balanced later, there is an alert and a log line, but the server stays ready: answers that are up to 5 s old are
 * better than none.
 */
export async function runNameserver(
  config: Config<(typeof NAMESERVER_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'nameserver', level: config.ZONESTEAD_LOG_LEVEL });
  const database = openDatabase(config.ZONESTEAD_NAMESERVER_DATABASE_URL, {
    name: 'zonestead-nameserver',
    max: 1,
    statementTimeoutMs: 2_000,
    anyServer: true,
  });
  const metrics = createMetrics({ component: 'nameserver' });
  watchPowerDns(metrics, config.ZONESTEAD_PDNS_SOCKET);
  const oneServer = watchOneServer(() =>
    serverIdentity(config.ZONESTEAD_NAMESERVER_DATABASE_URL, 'zonestead-nameserver'),
  );
  const counters = createCompanionMetrics(metrics, () => oneServer.count());
  const watching = oneServer.run(signal);
  let ready = false;
  let wasReady = false;
  let told: string | null = null;
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: async () => {
      const address = config.ZONESTEAD_PDNS_ADDRESS;
      const problem = address === undefined ? null : await answeringProblem(address, signal);
      const several = oneServer.problem();
      const checks = {
        companion: ready ? 'looks for changed zones' : 'cannot query changed zones',
        ...(problem === null ? {} : { powerdns: problem }),
        ...(several === null ? {} : { database: several }),
      };
      const ok = ready && problem === null && (wasReady || several === null);
      wasReady ||= ok;
      return { ok, checks };
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
        const several = oneServer.count() > 1 ? oneServer.problem() : null;
        if (several !== null && several !== told) log.error(several);
        told = several;
        counters.looked(ok, purged);
      },
    },
    signal,
  );
  await watching;
  await health.close();
  await database.close();
}
