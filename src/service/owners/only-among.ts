// Whether an owner may begin to own records at a name at which others have records (`onlyAmong`). Without this check,
// any client that may apply sets could add an address to any name of a zone. An owner that has a set at the name and
// type already keeps it. Pure.
import type { RecordType } from '#dns/types/index.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ReadApply, ReadValue } from './set.ts';

/** A record at the name, of any type. */
export interface PlacedRecord {
  id: string;
  type: RecordType;
  /** Seconds; null: the default of the zone. */
  ttl: number | null;
}

/** The records at the name, and their owners. */
export interface Place {
  all(): Iterable<PlacedRecord>;
  /** The texts of the owners of a record, in no order. */
  ownersOf(recordId: string): Iterable<string>;
  /** The id of the record with a value of the set. */
  idOf(value: ReadValue): string | undefined;
}

/** All of them answer queries for addresses, so that a record of one type adds to those of the others. */
const ADDRESSES: readonly RecordType[] = ['A', 'AAAA', 'ALIAS', 'CNAME'];

/**
 * @param defaultTtl that of the zone, in seconds
 * @returns null if it may
 */
export function judgeBeginning(set: ReadApply, place: Place, defaultTtl: number): Refusal | null {
  const { onlyAmong } = set;
  if (onlyAmong === null) return null;
  const adoptedIds = new Set(set.adopt === 'IfIdentical' ? set.values.map((value) => place.idOf(value)) : []);
  const adopts = (record: PlacedRecord) =>
    record.type === set.type && adoptedIds.has(record.id) && (record.ttl ?? defaultTtl) === (set.ttl ?? defaultTtl);
  for (const record of place.all()) {
    if (!isBeside(record.type, set.type)) continue;
    const { type, id } = record;
    let isOwned = false;
    for (const owner of place.ownersOf(id)) {
      isOwned = true;
      if (owner !== set.owner && !owner.startsWith(onlyAmong))
        return refusal('name-taken', { type, owner }, { records: [id], owner });
    }
    if (!isOwned && !adopts(record)) return refusal('name-taken-unowned', { type }, { records: [id] });
  }
  return null;
}

function isBeside(one: RecordType, other: RecordType): boolean {
  return one === other || (ADDRESSES.includes(one) && ADDRESSES.includes(other));
}
