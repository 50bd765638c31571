// Plans the restore of an RRset around the records of owners: those stay as they are, because the owner would write
// them again, and the others become as they were. Pure.
import type { RecordType } from '#dns/types/index.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import type { PresentRecord, RecordedValue } from '#store/undo.ts';
import { editsBetween } from '../records/rrsets.ts';
import type { OwnedRrset } from './answer.ts';
import { isChallengeOwner, ownedMessage } from './owned.ts';
import {
  conflictOf,
  formerOwners,
  type Planned,
  type PlanningZone,
  toPlannedRrset,
  toStored,
  WantedRecords,
} from './plan.ts';
import type { PastRrset } from './rewind.ts';

/** Records of owners that are not as they were, and stay so. */
export interface LeftRrset {
  name: string;
  type: RecordType;
  /** The newest change since the time of the restore. */
  change: number;
  /** The records of owners that are there now, with their owners, by id. */
  held: ReadonlyMap<string, readonly string[]>;
  /** For each owner, the change that brings back the earlier records. Empty for ACME challenges, which come and go. */
  owned: OwnedRrset[];
}

/** @param rows the records at this name and type as they are */
export function planAround(
  zone: PlanningZone,
  past: PastRrset,
  rows: readonly PresentRecord[],
): { planned: Planned; left: LeftRrset | null } {
  const storedRecords = rows.map(toStored);
  const ownersById = new Map(rows.flatMap(({ id, owners }) => (owners.length > 0 ? [[id, owners] as const] : [])));
  const ownedRecords = storedRecords.filter(({ id }) => ownersById.has(id));
  const free = storedRecords.filter(({ id }) => !ownersById.has(id));
  const untouchedIds = leftIds(past, rows);
  const wantedRecords = new WantedRecords(free.filter(({ id }) => !past.values.has(id)));
  for (const [id, value] of past.values) {
    const problem = value && !untouchedIds.has(id) && wantedRecords.addPast(zone, past, id, value);
    if (problem) return { planned: conflictOf(past, problem), left: null };
  }
  // A value that an owner has by now is there already.
  const values = new Set(ownedRecords.map(({ record }) => keyOfOctets(record.wire)));
  const restoredRecords = wantedRecords.records.filter((record) => !values.has(keyOfOctets(record.wire)));
  const after = [...ownedRecords.map(({ id, record }) => ({ ...record, id })), ...restoredRecords];
  return {
    planned: toPlannedRrset(zone, past, {
      stored: storedRecords,
      edits: editsBetween(free, restoredRecords),
      wanted: after,
    }),
    left: toLeftRrset(past, rows, ownersById, untouchedIds),
  };
}

/** The records that an owner has now, and those that an owner changed and that are gone with their value. */
function leftIds(past: PastRrset, rows: readonly PresentRecord[]): Set<string> {
  const owners = new Map(rows.map((row) => [row.id, row.owners]));
  const free = new Set(rows.flatMap((row) => (row.owners.length > 0 ? [] : [serializeValues([row], false)])));
  const isLeft = ([id, value]: readonly [string, RecordedValue | null]) => {
    const now = owners.get(id);
    if (now !== undefined) return now.length > 0;
    return formerOwners(past, id).length > 0 && !(value !== null && free.has(serializeValues([value], false)));
  };
  return new Set([...past.values].filter(isLeft).map(([id]) => id));
}

function toLeftRrset(
  past: PastRrset,
  rows: readonly PresentRecord[],
  ownersById: LeftRrset['held'],
  untouchedIds: ReadonlySet<string>,
): LeftRrset | null {
  if (untouchedIds.size === 0) return null;
  const { name, type, change } = past;
  const owners = new Set([...untouchedIds].flatMap((id) => ownersById.get(id) ?? formerOwners(past, id)));
  const ownedRrsets: OwnedRrset[] = [];
  for (const owner of owners) {
    const now = rows.filter((row) => row.owners.includes(owner));
    const then = [...untouchedIds].flatMap((id): RecordedValue[] => {
      const value = past.values.get(id) ?? null;
      return value !== null && (ownersById.get(id) ?? formerOwners(past, id)).includes(owner) ? [value] : [];
    });
    const values = [...now.filter(({ id }) => !untouchedIds.has(id)), ...then];
    if (isChallengeOwner(owner, type) || serializeValues(values, true) === serializeValues(now, true)) continue;
    const ttl = serializeValues(values, false) === serializeValues(now, false) ? (then[0]?.ttl ?? null) : null;
    ownedRrsets.push({ name, type, owner, message: ownedMessage({ owner, isHeld: now.length > 0, values, ttl }) });
  }
  return { name, type, change, held: ownersById, owned: ownedRrsets };
}

function serializeValues(
  values: readonly Pick<RecordedValue, 'content' | 'priority' | 'ttl'>[],
  withTtl: boolean,
): string {
  return values
    .map(({ content, priority, ttl }) => JSON.stringify([content, priority, withTtl ? ttl : null]))
    .sort()
    .join();
}
