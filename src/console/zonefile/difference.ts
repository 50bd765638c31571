// The difference between a zone and a zone file, as a page shows it: exact counts, the first records, and the external
// objects whose records change. Pure.
import { nameOfOrder } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { ZoneDiff } from '#service/zonefile/diff.ts';
import type { ZoneFilePreview } from '#service/zonefile/import.ts';
import { clipText } from '../shell/shown.ts';

export interface PreviewLine {
  name: string;
  type: string;
  /** Priority, content and TTL as one text. Null if there is no record. */
  before: string | null;
  after: string | null;
  managedBy: string | null;
}

interface Difference {
  serial: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  ignored: number;
  /** Deleted records come first, because they matter most to the reader. */
  lines: PreviewLine[];
  /** The number of changed records that the page does not show. */
  more: number;
  /** The external objects that manage changed or deleted records. Null if there are none. */
  foreign: { records: number; owners: string[] } | null;
}

const LINES = 100;
const VALUE = 120;
const OWNERS = 5;

/** @param zone with the default TTL, in seconds, which is shown for a record without a TTL of its own */
export function shownDifference(
  { serial, ignored, diff, contents }: Pick<ZoneFilePreview, 'serial' | 'ignored' | 'diff' | 'contents'>,
  zone: { defaultTtl: number },
): Difference {
  const { creates = [], updates = [], deletes = [], unchanged = 0 } = diff ?? {};
  const words = (record: { content: string; ttl: number | null; priority: number | null }) =>
    `${record.priority === null ? '' : `${record.priority} `}${clipText(record.content, VALUE)} (${record.ttl ?? zone.defaultTtl} s)`;
  const line = (
    before: ZoneDiff['deletes'][number] | null,
    after: ParsedRecord | null,
    isSameValue = false,
  ): PreviewLine => {
    const storedValue = before && { ttl: before.ttl, ...(contents.get(before.id) ?? { content: '…', priority: null }) };
    return {
      name: before === null ? (after?.name ?? '') : nameOfOrder(before.ordername),
      type: (before ?? after)?.type ?? '',
      before: storedValue && words(storedValue),
      // The stored spelling of the content is kept.
      after: after && words(isSameValue && storedValue ? { ...storedValue, ttl: after.ttl } : after),
      managedBy: before?.managedBy ?? null,
    };
  };
  // Builds lines for the shown records only, because there can be 100,000.
  const [shownDeletes, shownUpdates] = [deletes.slice(0, LINES), updates.slice(0, LINES)];
  const lines = [
    ...shownDeletes.map((row) => line(row, null)),
    ...shownUpdates.map(({ stored, record, isSameValue }) => line(stored, record, isSameValue)),
    ...creates.slice(0, LINES).map((record) => line(null, record)),
  ].slice(0, LINES);
  return {
    serial,
    created: creates.length,
    updated: updates.length,
    deleted: deletes.length,
    unchanged,
    ignored,
    lines,
    more: creates.length + updates.length + deletes.length - lines.length,
    foreign: diff && foreignIn(diff),
  };
}

/** The external objects that manage changed or deleted records. Null if there are none. */
export function foreignIn({ deletes, updates }: ZoneDiff): Difference['foreign'] {
  let records = 0;
  const ownerNames = new Set<string>();
  const count = ({ managedBy }: ZoneDiff['deletes'][number]) => {
    if (managedBy === null) return;
    records += 1;
    if (ownerNames.size <= OWNERS) ownerNames.add(managedBy);
  };
  for (const deletedValue of deletes) count(deletedValue);
  for (const { stored } of updates) count(stored);
  if (records === 0) return null;
  return { records, owners: [...[...ownerNames].slice(0, OWNERS), ...(ownerNames.size > OWNERS ? ['others'] : [])] };
}
