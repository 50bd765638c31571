// Gives records to the owners that the registry of external-dns named. A repetition changes nothing.
import { applyRecords } from '#contract/operations/owners.ts';
import { MAX_SETS, type RecordSet } from '#contract/owners.ts';
import type { Session } from '../rest/session.ts';
import { type Pace, sendInTurn } from './pace.ts';
import type { FoundRecord } from './read.ts';

/**
 * @returns the number of record sets that have an owner
 * @throws Error of the client if another owner has a record
 */
export async function giveToOwners(
  session: Session & Pace,
  zoneId: string,
  records: readonly FoundRecord[],
): Promise<number> {
  const { client, signal } = session;
  const sets = groupOwnedSets(records);
  for (let at = 0; at < sets.length; at += MAX_SETS) {
    const body = { atomic: true, sets: sets.slice(at, at + MAX_SETS) };
    const done = () => `${at} of ${sets.length} record sets have their owners`;
    await sendInTurn(session, done, () => client.call(applyRecords, { params: { id: zoneId }, body }, { signal }));
  }
  return sets.length;
}

/** One set for each owner, name and type. The records exist already, so the set adopts them. */
export function groupOwnedSets(records: readonly FoundRecord[]): RecordSet[] {
  const sets = new Map<string, RecordSet & { values: { content: string; priority?: number }[] }>();
  for (const { owner, record } of records) {
    if (owner === undefined) continue;
    const { name, type, ttl, content, priority } = record;
    const key = `${name} ${type} ${owner}`;
    const value = { content, ...(priority === null ? {} : { priority }) };
    const set = sets.get(key);
    if (set !== undefined) set.values.push(value);
    else sets.set(key, { owner, name, type, values: [value], adopt: 'IfIdentical', ...(ttl === null ? {} : { ttl }) });
  }
  return [...sets.values()];
}
