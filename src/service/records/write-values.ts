// Writes many changes of records of a zone in one transaction, in pieces that Postgres and the process can bear.
import type { Tx } from '#store/database.ts';
import { insertValues, releaseValues, removeValues, updateValues, type ZoneWrite } from '#store/zone-values.ts';
import { refusal } from '../refusal.ts';
import { constraintOf } from './write.ts';

interface ValueChanges {
  /** The ids of the records that are deleted. */
  deletes: readonly string[];
  updates: Parameters<typeof updateValues>[2];
  /** The ids of updated records that could exchange their values, because they are in one record set. */
  exchanging: readonly string[];
  creates: Parameters<typeof insertValues>[2];
}

/**
 * Deletes first and inserts last, so that no intermediate state violates a constraint.
 * @throws Refusal conflict if a constraint rejects a change that the rules allowed
 */
export async function writeValues(
  tx: Tx,
  to: ZoneWrite,
  { deletes, updates, exchanging, creates }: ValueChanges,
): Promise<void> {
  try {
    await removeValues(tx, to, deletes);
    if (exchanging.length > 0) await releaseValues(tx, exchanging);
    await updateValues(tx, to, updates);
    await insertValues(tx, to, creates);
  } catch (error) {
    const constraint = constraintOf(error);
    throw constraint === null ? error : refusal('database-constraint', { constraint });
  }
}
