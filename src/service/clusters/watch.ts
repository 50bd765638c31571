// The watch of clusters: once a second, every process looks for clusters that are silent, and finishes marking records
// that a process left unmarked. One look is one statement that locks its row, so several processes look as one.
import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { unmarkedClusters } from '#store/cluster-marks.ts';
import { findLostClusters, hasClusters, type WatchTimes } from '#store/cluster-watch.ts';
import { type MarkContext, markCluster } from './mark.ts';

/** How long a cluster is silent before it is lost, in ms. Six heartbeats. */
export const LOST_MS = 60_000;
const TIMES: WatchTimes = { lostMs: LOST_MS, gapMs: 10_000 };
const EVERY_MS = 1_000;
/** The request that changed the state marks the records itself, for this long in ms. */
const LEFT_MS = 2_000;
const LOST_AT_ONCE = 20;

export interface WatchOptions extends MarkContext {
  log: Logger;
  clock: Clock;
  /** (Default: 60 s of silence, and 10 s between two looks are a gap.) */
  times?: WatchTimes;
  /** (Default: 2000.) */
  leftMs?: number;
}

/** One look. */
export async function watchRound(
  { log, times = TIMES, leftMs = LEFT_MS, ...context }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasClusters(context.db))) return;
  const lostClusters = await findLostClusters(context.db, times, LOST_AT_ONCE);
  for (const cluster of lostClusters) log.warn(cluster, 'a cluster is lost: it sent no heartbeat');
  const lostKeys = new Set(lostClusters.map(({ owner, name }) => `${owner} ${name}`));
  const unmarkedRows = await unmarkedClusters(context.db, LOST_AT_ONCE);
  for (const cluster of unmarkedRows) {
    if (signal.aborted) return;
    const isNewlyLost = lostKeys.has(`${cluster.owner} ${cluster.name}`);
    if (!isNewlyLost && cluster.sinceMs < leftMs) continue;
    await markCluster(context, cluster, () => signal.aborted).catch((error) => {
      log.warn({ err: error, cluster: cluster.name }, 'failed to mark the records of a cluster; retrying');
    });
  }
}

/** Looks once a second until the signal aborts. */
export async function runClusterWatch(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { log, clock } = options;
  let hasFailed = false;
  while (!signal.aborted) {
    try {
      await watchRound(options, signal);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !signal.aborted) log.warn({ err: error }, 'failed to look for lost clusters; retrying');
      hasFailed = true;
    }
    await sleep(clock, EVERY_MS, signal).catch(() => undefined);
  }
}
