// The operations that write the records of owners.
import { changeZone } from '../change/change.ts';
import { countWrites, type WriteBudget } from '../change/write-budget.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { writesBeforeJudging } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import type { SetBatch, SetInput, SetResult } from './set.ts';
import { setWork } from './set-work.ts';

/**
 * Applies the sets of owners and returns their results, in their order. A set that is as it should be writes nothing.
 * @param budget counts the sets that write something or are refused in the write window, and one write for every 100
 * values before anything is judged; null: no limit
 * @throws Refusal no_zone, unauthorized, rate_limited, busy; if the batch is atomic, the first refusal of a set, with
 * the field `sets.<index>`
 */
export async function applySets(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  batch: SetBatch,
  budget: WriteBudget | null,
): Promise<SetResult[]> {
  const values = batch.sets.reduce((sum, set) => sum + countValues(set), 0);
  await countWrites(budget, writesBeforeJudging(values));
  return changeZone(context, caller, zoneId, setWork(batch), budget);
}

/** A set without values counts as one with a single value. */
function countValues(set: SetInput | Refusal): number {
  return set instanceof Refusal ? 1 : Math.max(1, set.values?.length ?? 0);
}

/**
 * Releases sets whose lease has ended. One that was renewed or released meanwhile stays as it is.
 * @throws Refusal no_zone, busy
 */
export async function releaseEnded(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  leases: readonly { owner: string; name: string; type: string }[],
): Promise<SetResult[]> {
  const sets = leases.map(({ owner, name, type }) => ({ owner, name, type, values: [], onlyEnded: true }));
  return applySets(context, caller, zoneId, { atomic: false, sets }, null);
}
