// The parts of a request that succeed or fail alone, for a request whose changes are written one by one.
import type { SetResult } from '../owners/set.ts';
import { Refusal } from '../refusal.ts';
import type { BatchResult } from './change.ts';
import { inBatch, type Member } from './judge.ts';
import type { RrsetResult } from './rrsets.ts';

export type PartResult = BatchResult | SetResult | RrsetResult<unknown>;

/**
 * Each part as a request of its own, which is not atomic: one change, or one set, or the exact sets of one owner. A request
 * that depends on the RRsets that exist is one part.
 */
export function partsOf(whole: Member): { index: number; member: Member }[] {
  const part = { ...whole, caller: { ...whole.caller, once: null }, places: null, atomic: false, isSingle: false };
  if (whole.rrsets !== null) return [{ index: 0, member: { ...part, atomic: true } }];
  if (whole.sets === null)
    return whole.changes.map((change, index) => ({ index, member: { ...judgedOnce(part, index), changes: [change] } }));
  const units = new Map<unknown, { index: number; member: Member & { sets: NonNullable<Member['sets']>[number][] } }>();
  for (const [index, set] of whole.sets.entries()) {
    const isExact = 'exact' in set && set.exact;
    const key = isExact ? set.owner : index;
    const unit = units.get(key);
    if (unit) unit.member.sets.push(set);
    else units.set(key, { index, member: { ...judgedOnce(part, units.size), sets: [set] } });
  }
  return [...units.values()];
}

/** The condition of the whole request is judged with its first part: the transaction holds the lock until the last one. */
function judgedOnce(part: Member, index: number): Member {
  return index === 0 ? part : { ...part, caller: { ...part.caller, condition: null } };
}

/** @throws Refusal of the whole request, which is atomic, if the part was refused */
export function refusedPart(whole: Member, result: PartResult, index: number): void {
  if (result.ok) return;
  const refused = new Refusal(result.refusal);
  if (whole.isSingle) throw refused;
  throw whole.sets === null ? inBatch(refused, index) : refused.within(`sets.${index}`);
}

/** The answer to the whole request. @param results in the order of partsOf */
export function answerOf(whole: Member, results: readonly PartResult[]): unknown {
  const [first] = results;
  if (whole.isSingle && first?.ok && 'record' in first) return first.record;
  if (whole.sets === null) return results;
  const order = partsOf(whole).flatMap(({ member }) => member.sets ?? []);
  return whole.sets.map((set) => results[order.indexOf(set)]);
}
