// The metrics of the connections to the database.
//
//   zonestead_database_up                         1 while the server that takes writes is reached
//   zonestead_database_operations_in_flight       statements and transactions in progress
//   zonestead_database_connections_max
//   zonestead_database_losses_total{reason}       refused, lost, ended, read-only, silent, standby
import type { Metrics } from '#telemetry/metrics.ts';

/** From the start of the process, so that one that never reaches the database shows it. */
export function watchReach(metrics: Metrics, isUp: () => boolean): void {
  metrics.gauge({
    name: 'database_up',
    help: '1 while the api reaches a database server that takes writes, 0 from the loss of its connections until a server answers again.',
    collect: (gauge) => gauge.set(isUp() ? 1 : 0),
  });
}

/** @param max the size of the connection pool */
export function watchDatabase(metrics: Metrics, database: { work(): number }, max: number): void {
  metrics.gauge({
    name: 'database_operations_in_flight',
    help: 'Database statements and transactions in progress. Those that exceed the connection pool share a connection or wait for one.',
    collect: (gauge) => gauge.set(database.work()),
  });
  metrics.gauge({ name: 'database_connections_max', help: 'Size of the pool of database connections.' }).set(max);
}

/** Returns the function that counts one replacement of the connections. @param reasons all that there are */
export function countDatabaseLosses(metrics: Metrics, reasons: readonly string[]): (reason: string) => void {
  const losses = metrics.counter({
    name: 'database_losses_total',
    help: 'Replacements of the database connections: the server refused one (refused), one was lost (lost), the server ended it (ended), the server takes no writes (read-only) or does not answer (silent), or a commit waits for a synchronous standby (standby).',
    labels: ['reason'],
  });
  for (const reason of reasons) losses.inc({ reason }, 0);
  return (reason) => losses.inc({ reason });
}
