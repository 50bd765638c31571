// Plans how an RRset gets the records that it had: the edits, the difference that a preview shows, or the conflict. Pure.
import { orderName } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { OwnedRecord, RecordedValue } from '#store/undo.ts';
import { type Edit, editsBetween, type Stored, type WantedRecord } from '../records/rrsets.ts';
import { type Conflict, type Difference, shownValue } from './answer.ts';
import { ownedMessage } from './owned.ts';
import type { PastRrset } from './rewind.ts';

/** An RRset that is put back. */
export interface PlannedRrset {
  past: PastRrset;
  difference: Difference;
  edits: Edit[];
  /** All records of the RRset as they should be. */
  wanted: WantedRecord[];
}

interface Zone {
  name: string;
  defaultTtl: number;
}

/**
 * @param rows the records at this name and type as they are
 * @returns null if nothing differs
 */
export function planRrset(
  zone: Zone,
  past: PastRrset,
  rows: readonly OwnedRecord[],
): PlannedRrset | { conflict: Conflict } | null {
  const { name, type, change } = past;
  const conflictOf = (message: string) => ({ conflict: { change, name, type, message } });
  const stored = rows.map(storedOf);
  const wanted = new Map<string, WantedRecord>();
  const add = (record: WantedRecord) => {
    const key = Buffer.from(record.wire).toString('base64');
    if (!wanted.has(key)) wanted.set(key, record);
  };
  for (const { id, record } of stored) if (!past.values.has(id)) add(record);
  for (const [id, value] of past.values) {
    if (value === null) continue;
    const parsed = parsedValue(zone, past, value);
    if (typeof parsed === 'string') return conflictOf(`the earlier value is no longer accepted: ${parsed}`);
    add({ ...parsed, id });
  }
  const edits = editsBetween(stored, [...wanted.values()]);
  if (edits.length === 0) return null;
  const changed = new Set(edits.flatMap((edit) => (edit.kind === 'create' ? [] : [edit.id])));
  const held = rows.flatMap(({ id, owners }) => (changed.has(id) ? owners : []));
  const values = [...wanted.values()];
  if (held.length > 0 || past.owners.size > 0) return conflictOf(ownedMessage(held, past.owners, values));
  const show = (records: readonly ParsedRecord[]) => records.map((record) => shownValue(record, zone.defaultTtl));
  const difference = { name, type, before: show(stored.map(({ record }) => record)), after: show(values) };
  return { past, difference, edits, wanted: values };
}

/** A sentence if the value is not accepted any more. */
function parsedValue(
  zone: Zone,
  { name, type }: Pick<PastRrset, 'name' | 'type'>,
  { content, ttl, priority, comment }: RecordedValue,
): ParsedRecord | string {
  const parsed = parseRecord({ name, type, content, ttl, priority, comment }, zone.name);
  return parsed.ok ? parsed.value : parsed.problem.message;
}

/** @throws Error if the row cannot be parsed, because another program wrote it */
function storedOf({ id, owners: _, ...row }: OwnedRecord): Stored {
  const parsed = parseRdata(row.type, row.content, row.priority);
  if (!parsed.ok) throw new Error(`record ${id} does not parse: ${parsed.problem.message}`);
  return { id, record: { ...row, wire: parsed.value.wire, target: parsed.value.target } };
}

export function placeOf({ name, type }: Pick<PastRrset, 'name' | 'type'>): { ordername: string; type: string } {
  return { ordername: orderName(name), type };
}
