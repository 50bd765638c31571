/**
 * Judges a write against the other records of the zone: the rules of contract X1 to X23 are one ordered chain of small
 * rules, and the first objection is the result. The caller loads the surroundings while it holds the zone's lock; the
 * rules look nothing up.
 */

import type { ParsedRecord } from '../record.ts';
import type { RecordType } from '../types/index.ts';
import { conflict, type Verdict } from '../verdict.ts';
import { refuseLoop } from './chain.ts';
import { keepCutClean, refuseOccluded, refuseToHide, useChildZone } from './cuts.ts';
import { keepDnameSingle, refuseRedirected, refuseToRedirect } from './redirections.ts';
import {
  boundSize,
  keepAliasAlone,
  keepAliasFormSingle,
  keepCnameAlone,
  keepNullMxAlone,
  leavesDsAlone,
  refuseDuplicate,
  requireDelegation,
} from './same-name.ts';
import { FINE, type RecordsAtName, type Surroundings, type WriteRule } from './surroundings.ts';

export { MAX_LINKS } from './chain.ts';
export type { Neighbour, Surroundings, ZoneCut } from './surroundings.ts';

/**
 * The order in which a user can fix the problems: first the wrong zone, then the same record, then other records of the
 * name.
 */
const WRITE_RULES: readonly WriteRule[] = [
  useChildZone, // X15
  refuseOccluded, // X13, below a cut
  refuseRedirected, // X21
  refuseDuplicate, // X7
  keepCnameAlone, // X1, X2
  keepAliasAlone, // X5
  keepDnameSingle, // X20
  keepNullMxAlone, // X23
  requireDelegation, // X12
  keepCutClean, // X13, at a cut
  refuseToHide, // X14
  refuseToRedirect, // X22
  keepAliasFormSingle, // X19
  refuseLoop, // X4
  boundSize, // X18
];

/** Without the rules about duplicates and sizes, which zone-check.ts judges a set at a time. */
export const RULES_OF_A_ZONE: readonly WriteRule[] = WRITE_RULES.filter(
  (rule) => rule !== refuseDuplicate && rule !== boundSize,
);

/** Judges the creation of `record`, or the replacement of a stored one by it. */
export function judgeWrite(record: ParsedRecord, around: Surroundings, rules = WRITE_RULES): Verdict<null> {
  for (const rule of rules) {
    const verdict = rule(record, around);
    if (!verdict.ok) return verdict;
  }
  return FINE;
}

/** Judges the deletion of a record; `rest` are the records that remain at its name. */
export function judgeDelete(removedRecord: { name: string; type: RecordType }, rest: RecordsAtName): Verdict<null> {
  const ds = leavesDsAlone(removedRecord, rest);
  if (ds === null) return FINE;
  return conflict(
    'ds-needs-ns',
    'type',
    `This is the last NS record of ${removedRecord.name}, which has the DS record ${ds.id}; delete the DS first.`,
    [ds.id],
  );
}
