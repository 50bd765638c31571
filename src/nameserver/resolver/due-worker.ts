// Takes due targets from their table and looks them up, until the signal. It runs in every api process: the table gives
// each target to one process, for the time of a lease, so that another process takes the targets of one that died.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Limit } from '#base/limit.ts';
import type { Db } from '#store/database.ts';
import type { DueQuery, OwnedTarget } from '#store/due-targets.ts';

export interface DueWork<Target extends OwnedTarget> {
  /** The targets, and the effect of an outage of the database, in the words of the log. */
  readonly targets: string;
  readonly meanwhile: string;
  /** The lookups that run at the same time; the group is the owner of a target. */
  readonly limit: Limit;
  /** Targets under way at once, and for one owner. */
  readonly atOnce: number;
  readonly each: number;
  /** Longer than a lookup takes, in ms. */
  readonly leaseMs: number;
  /** The time between two queries for due targets, in ms. */
  readonly pollMs: number;
  /** The time between two sweeps, in ms. */
  readonly sweepMs: number;
  sweep(): Promise<void>;
  take(db: Db, query: DueQuery): Promise<Target[]>;
  /** Looks a target up and stores the result. */
  refresh(target: Target, signal: AbortSignal): Promise<void>;
}

/** After an error of the database, in ms. */
const RETRY_MS = 2_000;

/** Resolves after the signal has aborted and the lookups that run have ended. */
export async function runDueTargets<Target extends OwnedTarget>(
  work: DueWork<Target>,
  { db, log, now }: { db: Db; log: Logger; now(): number },
  signal: AbortSignal,
): Promise<void> {
  const { targets, atOnce, each, leaseMs, pollMs, sweepMs } = work;
  const running = new Set<Promise<void>>();
  let sweepAt = 0;
  let isFailing = false;
  while (!signal.aborted) {
    let wait = pollMs;
    try {
      if (now() >= sweepAt) {
        await work.sweep();
        sweepAt = now() + sweepMs;
      }
      const limit = atOnce - work.limit.used;
      const query = { limit, each, taken: work.limit.usedByGroup(), leaseMs };
      for (const target of limit > 0 ? await work.take(db, query) : []) {
        const refresh = startRefresh(work, target, log, signal).finally(() => running.delete(refresh));
        running.add(refresh);
      }
      if (isFailing) log.info(`the queries for due ${targets} succeed again`);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, `failed to query due ${targets}; ${work.meanwhile}`);
      isFailing = true;
      wait = RETRY_MS;
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(running);
}

async function startRefresh<Target extends OwnedTarget>(
  work: DueWork<Target>,
  target: Target,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const leave = work.limit.tryTake(target.owner);
  try {
    await work.refresh(target, signal);
  } catch (error) {
    // The lease expires, and the target is tried again.
    log.warn({ err: error, target: target.target }, `failed to store the result of one of the ${work.targets}`);
  } finally {
    leave?.();
  }
}
