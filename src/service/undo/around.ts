// Plans the restore of an RRset around the records of owners: those stay as they are, because the owner would write
// them again, and the others become as they were. Pure.
import type { RecordType } from '#dns/types/index.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import type { PresentRecord, RecordedValue } from '#store/undo.ts';
import { editsBetween } from '../records/rrsets.ts';
import type { OwnedRrset } from './answer.ts';
import { isChallenge, ownedMessage } from './owned.ts';
import {
  conflictOf,
  formerOwners,
  type Planned,
  type PlanningZone,
  plannedOf,
  storedOf,
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
  const stored = rows.map(storedOf);
  const held = new Map(rows.flatMap(({ id, owners }) => (owners.length > 0 ? [[id, owners] as const] : [])));
  const kept = stored.filter(({ id }) => held.has(id));
  const free = stored.filter(({ id }) => !held.has(id));
  const left = leftIds(past, rows);
  const wanted = new WantedRecords(free.filter(({ id }) => !past.values.has(id)));
  for (const [id, value] of past.values) {
    const problem = value && !left.has(id) && wanted.addPast(zone, past, id, value);
    if (problem) return { planned: conflictOf(past, problem), left: null };
  }
  // A value that an owner has by now is there already.
  const values = new Set(kept.map(({ record }) => keyOfOctets(record.wire)));
  const restored = wanted.records.filter((record) => !values.has(keyOfOctets(record.wire)));
  const after = [...kept.map(({ id, record }) => ({ ...record, id })), ...restored];
  return {
    planned: plannedOf(zone, past, { stored, edits: editsBetween(free, restored), wanted: after }),
    left: leftOf(past, rows, held, left),
  };
}

/** The records that an owner has now, and those that an owner changed and that are gone with their value. */
function leftIds(past: PastRrset, rows: readonly PresentRecord[]): Set<string> {
  const owners = new Map(rows.map((row) => [row.id, row.owners]));
  const free = new Set(rows.flatMap((row) => (row.owners.length > 0 ? [] : [textOf([row], false)])));
  const isLeft = ([id, value]: readonly [string, RecordedValue | null]) => {
    const now = owners.get(id);
    if (now !== undefined) return now.length > 0;
    return formerOwners(past, id).length > 0 && !(value !== null && free.has(textOf([value], false)));
  };
  return new Set([...past.values].filter(isLeft).map(([id]) => id));
}

function leftOf(
  past: PastRrset,
  rows: readonly PresentRecord[],
  held: LeftRrset['held'],
  left: ReadonlySet<string>,
): LeftRrset | null {
  if (left.size === 0) return null;
  const { name, type, change } = past;
  const owners = new Set([...left].flatMap((id) => held.get(id) ?? formerOwners(past, id)));
  const owned: OwnedRrset[] = [];
  for (const owner of owners) {
    const now = rows.filter((row) => row.owners.includes(owner));
    const then = [...left].flatMap((id): RecordedValue[] => {
      const value = past.values.get(id) ?? null;
      return value !== null && (held.get(id) ?? formerOwners(past, id)).includes(owner) ? [value] : [];
    });
    const values = [...now.filter(({ id }) => !left.has(id)), ...then];
    if (isChallenge(owner, type) || textOf(values, true) === textOf(now, true)) continue;
    const ttl = textOf(values, false) === textOf(now, false) ? (then[0]?.ttl ?? null) : null;
    owned.push({ name, type, owner, message: ownedMessage({ owner, isHeld: now.length > 0, values, ttl }) });
  }
  return { name, type, change, held, owned };
}

function textOf(values: readonly Pick<RecordedValue, 'content' | 'priority' | 'ttl'>[], withTtl: boolean): string {
  return values
    .map(({ content, priority, ttl }) => JSON.stringify([content, priority, withTtl ? ttl : null]))
    .sort()
    .join();
}
