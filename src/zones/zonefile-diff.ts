// What has to be done so that a zone holds the records of a file. Pure.
import type { ParsedRecord } from '../dns/record.ts';
import type { Steps } from '../dns/steps.ts';
import type { RecordRow } from '../store/records.ts';

export interface ZoneDiff {
  creates: ParsedRecord[];
  updates: { stored: RecordRow; record: ParsedRecord }[];
  deletes: RecordRow[];
  unchanged: number;
}

/** Records between two steps. */
const STEP = 2_000;

/**
 * In steps. A record whose value stays keeps its id, and its content as it was once written. So does one whose value
 * changes while another of its name and type goes: it is updated.
 */
export function* diffZone(stored: readonly RecordRow[], wanted: readonly ParsedRecord[]): Steps<ZoneDiff> {
  const left = new Map<string, RecordRow>();
  for (const [index, row] of stored.entries()) {
    if (index % STEP === 0) yield;
    left.set(uniqueKey(row), row);
  }
  const diff: ZoneDiff = { creates: [], updates: [], deletes: [], unchanged: 0 };
  const unmatched: ParsedRecord[] = [];
  for (const [index, record] of wanted.entries()) {
    if (index % STEP === 0) yield;
    const key = uniqueKey(record);
    const row = left.get(key);
    left.delete(key);
    if (row === undefined) unmatched.push(record);
    else if (row.ttl === record.ttl) diff.unchanged += 1;
    else diff.updates.push({ stored: row, record: { ...record, content: row.content } });
  }
  const free = Map.groupBy(left.values(), setOf);
  // From the end, because taking from the front of a long list costs its length.
  for (const rows of free.values()) rows.reverse();
  for (const record of unmatched) {
    const row = free.get(setOf(record))?.pop();
    if (row === undefined) diff.creates.push(record);
    else diff.updates.push({ stored: row, record });
  }
  diff.deletes = [...free.values()].flat();
  return diff;
}

export function sizeOf({ creates, updates, deletes }: ZoneDiff): number {
  return creates.length + updates.length + deletes.length;
}

function setOf({ ordername, type }: Pick<RecordRow, 'ordername' | 'type'>): string {
  return `${ordername}\n${type}`;
}

/** RDATA in the form that is served is one text a value, as the wire form is. */
function uniqueKey(record: Pick<RecordRow, 'ordername' | 'type' | 'rdata'>): string {
  return `${setOf(record)}\n${record.rdata}`;
}
