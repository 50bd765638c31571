// Plans how an RRset gets the records that it had: the edits, the difference that a preview shows, or the conflict.
// Pure.
import { orderName } from '#dns/names/name.ts';
import { type ParsedRecord, parseStoredRecord } from '#dns/record.ts';
import { parseRdata } from '#dns/types/index.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import type { PresentRecord, RecordedValue } from '#store/undo.ts';
import { editsBetween, type RecordEdit, type Stored, type WantedRecord } from '../records/rrsets.ts';
import { type Conflict, shownValue, type UndoDifference } from './answer.ts';
import { ownedMessage } from './owned.ts';
import type { PastRrset } from './rewind.ts';

/** An RRset that is put back. */
export interface PlannedRrset {
  past: PastRrset;
  difference: UndoDifference;
  edits: RecordEdit[];
  /** All records of the RRset as they should be. */
  wanted: WantedRecord[];
}

/** Null: nothing differs. */
export type Planned = PlannedRrset | { conflict: Conflict } | null;

export interface PlanningZone {
  name: string;
  defaultTtl: number;
}

/**
 * Plans an undo. A record that an owner has, or that an owner removed, is a conflict.
 * @param rows the records at this name and type as they are
 */
export function planRrset(zone: PlanningZone, past: PastRrset, rows: readonly PresentRecord[]): Planned {
  const storedRecords = rows.map(toStored);
  const wantedRecords = new WantedRecords(storedRecords.filter(({ id }) => !past.values.has(id)));
  for (const [id, value] of past.values) {
    const problem = value && wantedRecords.addPast(zone, past, id, value);
    if (problem) return conflictOf(past, problem);
  }
  const edits = editsBetween(storedRecords, wantedRecords.records);
  const changedIds = new Set(edits.flatMap((edit) => (edit.kind === 'create' ? [] : [edit.id])));
  const currentOwners = rows.flatMap(({ id, owners }) => (changedIds.has(id) ? owners : []));
  const pastOwners = edits.flatMap((edit) => (edit.kind === 'create' ? formerOwners(past, edit.record.id ?? '') : []));
  const owner = currentOwners[0] ?? pastOwners[0];
  if (owner === undefined)
    return toPlannedRrset(zone, past, { stored: storedRecords, edits, wanted: wantedRecords.records });
  return conflictOf(past, ownedMessage({ owner, isHeld: currentOwners.length > 0, values: wantedRecords.records }));
}

/** The records that an RRset should have, each value once. */
export class WantedRecords {
  readonly #records: Map<string, WantedRecord>;

  constructor(storedRecords: readonly Stored[]) {
    this.#records = new Map(storedRecords.map(({ id, record }) => [keyOfOctets(record.wire), { ...record, id }]));
  }

  /** @returns a sentence if the value is not accepted any more */
  addPast(zone: PlanningZone, { name, type }: PastRrset, id: string, value: RecordedValue): string | null {
    const { content, ttl, priority, comment, health } = value;
    const fields = { check: null, ...health };
    const parsed = parseStoredRecord({ name, type, content, ttl, priority, comment, ...fields }, zone.name);
    if (!parsed.ok) return `the earlier value is no longer accepted: ${parsed.problem.message}`;
    const key = keyOfOctets(parsed.value.wire);
    if (!this.#records.has(key)) this.#records.set(key, { ...parsed.value, id });
    return null;
  }

  get records(): WantedRecord[] {
    return [...this.#records.values()];
  }
}

/** The owners that made some of the changes of a record. */
export function formerOwners({ owners }: Pick<PastRrset, 'owners'>, recordId: string): string[] {
  return [...(owners.get(recordId) ?? [])];
}

export function conflictOf({ name, type, change }: PastRrset, message: string): { conflict: Conflict } {
  return { conflict: { change, name, type, message } };
}

/** @param storedRecords all records of the RRset as they are */
export function toPlannedRrset(
  zone: PlanningZone,
  past: PastRrset,
  { stored, edits, wanted }: { stored: readonly Stored[]; edits: RecordEdit[]; wanted: WantedRecord[] },
): PlannedRrset | null {
  if (edits.length === 0) return null;
  const show = (records: readonly ParsedRecord[]) => records.map((record) => shownValue(record, zone.defaultTtl));
  const { name, type } = past;
  const difference = { name, type, before: show(stored.map(({ record }) => record)), after: show(wanted) };
  return { past, difference, edits, wanted };
}

/** @throws Error if the row cannot be parsed, because another program wrote it */
export function toStored({ id, owners: _, ...row }: PresentRecord): Stored {
  const parsed = parseRdata(row.type, row.content, row.priority);
  if (!parsed.ok) throw new Error(`record ${id} does not parse: ${parsed.problem.message}`);
  return { id, record: { ...row, wire: parsed.value.wire, target: parsed.value.target } };
}

export function placeOf({ name, type }: Pick<PastRrset, 'name' | 'type'>): { ordername: string; type: string } {
  return { ordername: orderName(name), type };
}
