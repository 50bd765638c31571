// The metrics of the companion's own work.
import type { Metrics } from '#telemetry/metrics.ts';

interface CompanionMetrics {
  /** Counts one query for changed zones. @param purged the zones that were dropped from the cache of PowerDNS */
  looked(ok: boolean, purged: number): void;
}

/**
 * Registers the metrics. Call it once per registry.
 * @param servers the number of PostgreSQL servers behind the database address
 */
export function createCompanionMetrics(metrics: Metrics, servers: () => number): CompanionMetrics {
  const looks = metrics.counter({
    name: 'nameserver_looks_total',
    help: 'Queries for changed zones, by result.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) looks.inc({ result }, 0);
  const purges = metrics.counter({
    name: 'nameserver_purges_total',
    help: 'Zones that the companion dropped from the cache of PowerDNS because they had changed.',
  });
  // Grows while queries fail: a change may have waited that long, unless PowerDNS' own cache has expired (5 s).
  let lastLook = performance.now();
  metrics.gauge({
    name: 'nameserver_flush_lag_seconds',
    help: 'Seconds since the last successful query for changed zones.',
    collect: (gauge) => gauge.set((performance.now() - lastLook) / 1000),
  });
  const intervals = metrics.histogram({
    name: 'nameserver_look_interval_seconds',
    help: 'Seconds between two successful queries for changed zones. A changed zone stays in the cache of PowerDNS for at most this time.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  metrics.gauge({
    name: 'nameserver_database_servers',
    help: 'PostgreSQL servers that the database address alternates among. More than 1 makes answers outdated.',
    collect: (gauge) => gauge.set(servers()),
  });
  return {
    looked: (ok, purged) => {
      if (ok) {
        const now = performance.now();
        intervals.observe((now - lastLook) / 1000);
        lastLook = now;
      }
      looks.inc({ result: ok ? 'ok' : 'failed' });
      purges.inc(purged);
    },
  };
}
