// The work that repeats for as long as the api runs: the watch of clusters, transfers, leases and the retention.
import { realClock } from '#base/clock.ts';
import type { Config } from '#config.ts';
import { runClusterWatch } from '#service/clusters/watch.ts';
import type { ServiceContext } from '#service/context.ts';
import { runTransferDecisions } from '#service/nodes/transfers.ts';
import { createLeaseMetrics, overdueLease, runLeases } from '#service/owners/leases.ts';
import { runRetention } from '#service/retention.ts';
import type { WatchTimes } from '#store/cluster-watch.ts';
import type { Telemetry } from './parts.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export interface RoundTimes {
  /** The time between two rounds of the retention, in ms. */
  retentionEveryMs: number;
  /** When a silent cluster is lost. (Default: see service/clusters/watch.ts.) */
  clusterTimes: WatchTimes | undefined;
}

/** @returns promises that resolve after the signal has aborted */
export function runRounds(
  context: ServiceContext,
  config: Config<(typeof COMPOSE_SETTINGS)[number]>,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  { retentionEveryMs, clusterTimes }: RoundTimes,
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
