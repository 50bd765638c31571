// Whether an owner may begin to own records at a name at which others have records (`onlyAmong`). Without this check, any client
// that may apply sets could add an address to any name of a zone. An owner that has a set at the name and type already keeps it. Pure.
import type { RecordType } from '#dns/types/index.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { Present } from './decide.ts';
import type { ReadApply } from './set.ts';

/** A record at the name, of any type. */
export interface PlacedRecord extends Present {
  type: RecordType;
}

/** All of them answer queries for addresses, so that a record of one type adds to those of the others. */
const ADDRESSES: readonly RecordType[] = ['A', 'AAAA', 'ALIAS', 'CNAME'];

/** @param present all records at the name @param defaultTtl that of the zone, in seconds @returns null if it may */
export function judgeBeginning(set: ReadApply, present: readonly PlacedRecord[], defaultTtl: number): Refusal | null {
  const { onlyAmong } = set;
  if (onlyAmong === null) return null;
  const adopted = new Set(set.adopt === 'IfIdentical' ? set.values.map(({ digest }) => digest) : []);
  const adopts = (record: PlacedRecord) =>
    record.type === set.type && adopted.has(record.digest) && (record.ttl ?? defaultTtl) === (set.ttl ?? defaultTtl);
  for (const record of present) {
    if (!isBeside(record.type, set.type)) continue;
    const { type, id, owners } = record;
    if (owners.length === 0 && !adopts(record)) return refusal('name-taken-unowned', { type }, { records: [id] });
    const stranger = owners.find(({ owner }) => owner !== set.owner && !owner.startsWith(onlyAmong));
    if (stranger)
      return refusal('name-taken', { type, owner: stranger.owner }, { records: [id], owner: stranger.owner });
  }
  return null;
}

function isBeside(one: RecordType, other: RecordType): boolean {
  return one === other || (ADDRESSES.includes(one) && ADDRESSES.includes(other));
}
