/**
 * What a zone's other records have to say to a write: rules X1–X19 as one ordered chain of small rules; the first one
 * that objects gives the answer. The caller loads the surroundings under the zone's lock; nothing is looked up here.
 */
import {
  boundSize,
  keepAliasAlone,
  keepCnameAlone,
  keepHttpsAliasSingle,
  keepNullMxAlone,
  leavesDsAlone,
  refuseDuplicate,
  requireDelegation,
} from './beside.ts';
import { refuseLoop } from './chain.ts';
import { keepCutClean, refuseOccluded, refuseToHide, useChildZone } from './cuts.ts';
import type { ParsedRecord } from './record.ts';
import { FINE, type Neighbour, type Surroundings, type WriteRule } from './surroundings.ts';
import type { RecordType } from './types/index.ts';
import { conflict, type Verdict } from './verdict.ts';

export { MAX_LINKS, nextNeeded } from './chain.ts';
export type { Neighbour, Surroundings, ZoneCut } from './surroundings.ts';

/** In the order in which a user can mend: the wrong zone first, then the same record, then its company. */
const WRITE_RULES: readonly WriteRule[] = [
  useChildZone, // X15
  refuseOccluded, // X13, below a cut
  refuseDuplicate, // X7
  keepCnameAlone, // X1, X2
  keepAliasAlone, // X5
  keepNullMxAlone, // RFC 7505
  requireDelegation, // X12
  keepCutClean, // X13, at a cut
  refuseToHide, // X14
  keepHttpsAliasSingle, // X19
  refuseLoop, // X4
  boundSize, // X18
];

/** Judges the creation of `record`, or the replacement of a stored one by it. */
export function judgeWrite(record: ParsedRecord, around: Surroundings): Verdict<null> {
  for (const rule of WRITE_RULES) {
    const verdict = rule(record, around);
    if (!verdict.ok) return verdict;
  }
  return FINE;
}

/** Judges the deletion of a record; `rest` is what stays at its name. */
export function judgeDelete(removed: { name: string; type: RecordType }, rest: Neighbour[]): Verdict<null> {
  const ds = leavesDsAlone(removed, rest);
  if (ds === null) return FINE;
  return conflict(
    'type',
    `This is the last NS record of ${removed.name}, which has the DS record ${ds.id}; delete the DS first.`,
  );
}
