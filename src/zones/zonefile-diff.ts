// What has to be done so that a zone holds the records of a file. Pure.
import type { ParsedRecord } from '../dns/record.ts';
import type { RecordRow } from '../store/records.ts';
import { digestOf } from './write-records.ts';

export interface ZoneDiff {
  creates: ParsedRecord[];
  updates: { stored: RecordRow; record: ParsedRecord }[];
  deletes: RecordRow[];
  unchanged: number;
}

/**
 * A record whose value stays keeps its id, and its content as it was once written. So does one whose value changes while
 * another of its name and type goes: it is updated.
 */
export function diffZone(
  stored: readonly (RecordRow & { digest: Uint8Array })[],
  wanted: readonly ParsedRecord[],
): ZoneDiff {
  const left = new Map(stored.map((row) => [`${setOf(row)}\n${hex(row.digest)}`, row]));
  const diff: ZoneDiff = { creates: [], updates: [], deletes: [], unchanged: 0 };
  const unmatched: ParsedRecord[] = [];
  for (const record of wanted) {
    const key = `${setOf(record)}\n${hex(digestOf(record.wire))}`;
    const row = left.get(key);
    left.delete(key);
    if (row === undefined) unmatched.push(record);
    else if (row.ttl === record.ttl) diff.unchanged += 1;
    else diff.updates.push({ stored: row, record: { ...record, content: row.content } });
  }
  const free = Map.groupBy(left.values(), setOf);
  for (const record of unmatched) {
    const row = free.get(setOf(record))?.shift();
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

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
