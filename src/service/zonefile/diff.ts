// Computes the changes that make a zone equal to a zone file. Pure.
import type { ParsedRecord } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import type { StoredValue } from '#store/zone-values.ts';
import { digestText } from '../change/row-writes.ts';

export interface ZoneUpdate {
  stored: StoredValue;
  record: ParsedRecord;
  /** Whether only the TTL changes. The stored content keeps its spelling then. */
  isSameValue: boolean;
}

export interface ZoneDiff {
  creates: ParsedRecord[];
  updates: ZoneUpdate[];
  deletes: StoredValue[];
  unchanged: number;
}

/** The number of records between two steps. */
const STEP = 250;

/**
 * Compares the stored records with the wanted ones, in steps. A record that keeps its value keeps its id and the
 * spelling of its content. If a record set loses one value and gets another one, the stored record is updated and keeps
 * its id.
 */
export function* diffZone(
  storedValues: readonly StoredValue[],
  wantedRecords: readonly ParsedRecord[],
): Steps<ZoneDiff> {
  const remainingValues = new Map<string, StoredValue>();
  for (const [index, row] of storedValues.entries()) {
    if (index % STEP === 0) yield;
    remainingValues.set(keyOf(row, row.digest), row);
  }
  const diff: ZoneDiff = { creates: [], updates: [], deletes: [], unchanged: 0 };
  if (remainingValues.size === 0) return { ...diff, creates: [...wantedRecords] };
  const unmatched: ParsedRecord[] = [];
  for (const [index, record] of wantedRecords.entries()) {
    if (index % STEP === 0) yield;
    const key = keyOf(record, digestText(record.wire));
    const row = remainingValues.get(key);
    remainingValues.delete(key);
    if (row === undefined) unmatched.push(record);
    else if (row.ttl === record.ttl) diff.unchanged += 1;
    else diff.updates.push({ stored: row, record, isSameValue: true });
  }
  const free = new Map<string, StoredValue[]>();
  let index = 0;
  for (const row of remainingValues.values()) {
    if (index++ % STEP === 0) yield;
    const set = setOf(row);
    const rows = free.get(set);
    if (rows === undefined) free.set(set, [row]);
    else rows.push(row);
  }
  // The loop below takes rows from the end, because shift() on a long list is slow.
  for (const rows of free.values()) rows.reverse();
  for (const [at, record] of unmatched.entries()) {
    if (at % STEP === 0) yield;
    const row = free.get(setOf(record))?.pop();
    if (row === undefined) diff.creates.push(record);
    else diff.updates.push({ stored: row, record, isSameValue: false });
  }
  for (const rows of free.values()) for (const row of rows) diff.deletes.push(row);
  return diff;
}

export function sizeOf({ creates, updates, deletes }: ZoneDiff): number {
  return creates.length + updates.length + deletes.length;
}

function setOf({ ordername, type }: { ordername: string; type: string }): string {
  return `${ordername}\n${type}`;
}

function keyOf(record: { ordername: string; type: string }, digest: string): string {
  return `${digest}${setOf(record)}`;
}
