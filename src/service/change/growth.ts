// The number of records and bytes that changes add to a zone. Pure.
import type { Growth } from '#store/zones.ts';

export type { Growth } from '#store/zones.ts';

/** The octets of a record that count towards the quota: those of its name, its content and its comment. */
export function countBytes({ name, content, comment }: Counted): number {
  return Buffer.byteLength(name) + Buffer.byteLength(content) + Buffer.byteLength(comment ?? '');
}

type Counted = { name: string; content: string; comment?: string | null };
type Side = Counted | null;

/** The difference between two states of one record. A state is null if the record does not exist. */
export function growthBetween(before: Side, after: Side): Growth {
  return {
    records: (after === null ? 0 : 1) - (before === null ? 0 : 1),
    bytes: (after === null ? 0 : countBytes(after)) - (before === null ? 0 : countBytes(before)),
  };
}

/** The growth by all changes in these history entries. */
export function sumGrowth(entries: readonly { action: string; before: unknown; after: unknown }[]): Growth {
  const sum = { records: 0, bytes: 0 };
  for (const { action, before, after } of entries) {
    if (!action.startsWith('record.')) continue;
    const { records, bytes } = growthBetween(before as Side, after as Side);
    sum.records += records;
    sum.bytes += bytes;
  }
  return sum;
}

/** The largest growth that the changes of these history entries can reach, one after the other. */
export function largestGrowth(entries: readonly { action: string; before: unknown; after: unknown }[]): Growth {
  const most = { records: 0, bytes: 0 };
  for (const entry of entries) {
    const { records, bytes } = sumGrowth([entry]);
    most.records += Math.max(0, records);
    most.bytes += Math.max(0, bytes);
  }
  return most;
}
