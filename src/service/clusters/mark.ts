// Changes which records of a cluster are served after the state of the cluster changed. store/cluster-marks.ts
// describes the steps. Each can be repeated, also by several processes at once, so that a crash leaves nothing behind
// that the next attempt does not do.
import { setTimeout as pause } from 'node:timers/promises';
import {
  correctRecords,
  othersHaveEnded,
  settleCluster,
  type UnmarkedCluster,
  unmarkedCluster,
} from '#store/cluster-marks.ts';
import type { Db } from '#store/database.ts';
import { isLockFailure } from '../change/once.ts';
import type { Commits } from '../nodes/commits.ts';

export interface MarkContext {
  db: Db;
  commits?: Commits;
}

/** Writes take milliseconds, so a few looks nearly always see all of them end; the watch looks again later. */
const [LOOKS, LOOK_MS] = [20, 50];

/**
 * @param isOver whether to stop between two transactions
 * @returns whether the cluster is settled
 * @throws SQLSTATE 55P03 if a zone stays locked
 */
export async function markCluster(
  { db, commits }: MarkContext,
  cluster: UnmarkedCluster,
  isOver: () => boolean,
): Promise<boolean> {
  const announce = () => commits?.announce();
  if (!(await correctRecords(db, cluster, announce, isOver))) return false;
  for (let looks = 1; !(await othersHaveEnded(db, cluster)); looks += 1) {
    if (looks === LOOKS || isOver()) return false;
    await pause(LOOK_MS);
  }
  if (!(await correctRecords(db, cluster, announce, isOver))) return false;
  await settleCluster(db, cluster);
  return true;
}

/** How long a request works on the records, in ms. The watch of clusters does the rest. */
const REQUEST_MS = 5_000;

/**
 * Marks a cluster whose state a request has changed. The change is committed, so a locked zone is left to the watch.
 */
export async function markNow(
  context: MarkContext & { now(): Date },
  { owner, name }: { owner: string; name: string },
): Promise<void> {
  const end = context.now().getTime() + REQUEST_MS;
  const unmarkedRow = await unmarkedCluster(context.db, owner, name);
  if (unmarkedRow === null) return;
  try {
    await markCluster(context, unmarkedRow, () => context.now().getTime() >= end);
  } catch (error) {
    if (!isLockFailure(error)) throw error;
  }
}
