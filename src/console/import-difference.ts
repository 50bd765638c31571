// The difference between a zone and a zone file as a page shows it: the counts in full, of the records the first ones, and
// whose records are touched. Pure.
import type { ParsedRecord } from '../dns/record.ts';
import type { RecordRow } from '../store/records.ts';
import type { ZoneFilePreview } from '../zones/zonefile.ts';
import { clip } from './shown.ts';

export interface Line {
  name: string;
  type: string;
  /** Priority, content and TTL in one text; null: there is none. */
  before: string | null;
  after: string | null;
  managedBy: string | null;
}

export interface Difference {
  serial: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  ignored: number;
  /** Deleted ones first: those are what one looks for. */
  lines: Line[];
  /** How many more there are. */
  more: number;
  /** What objects elsewhere own among the changed and deleted; null: nothing. */
  foreign: { records: number; owners: string[] } | null;
}

const LINES = 100;
const VALUE = 120;
const OWNERS = 5;

/** @param zone with the default TTL, in seconds, which is shown where a record has none of its own */
export function shownDifference(
  { serial, ignored, diff }: Pick<ZoneFilePreview, 'serial' | 'ignored' | 'diff'>,
  zone: { defaultTtl: number },
): Difference {
  const { creates = [], updates = [], deletes = [], unchanged = 0 } = diff ?? {};
  const words = (record: Pick<ParsedRecord | RecordRow, 'content' | 'ttl' | 'priority'>) =>
    `${record.priority === null ? '' : `${record.priority} `}${clip(record.content, VALUE)} (${record.ttl ?? zone.defaultTtl} s)`;
  const line = (before: RecordRow | null, after: ParsedRecord | null): Line => ({
    name: (before ?? after)?.name ?? '',
    type: (before ?? after)?.type ?? '',
    before: before && words(before),
    after: after && words(after),
    managedBy: before?.managedBy ?? null,
  });
  // Only those that are shown are made: there may be a hundred thousand.
  const [gone, changed] = [deletes.slice(0, LINES), updates.slice(0, LINES)];
  const lines = [
    ...gone.map((row) => line(row, null)),
    ...changed.map(({ stored, record }) => line(stored, record)),
    ...creates.slice(0, LINES).map((record) => line(null, record)),
  ].slice(0, LINES);
  const owners = [...deletes, ...updates.map(({ stored }) => stored)].flatMap(({ managedBy }) => managedBy ?? []);
  const named = [...new Set(owners)];
  return {
    serial,
    created: creates.length,
    updated: updates.length,
    deleted: deletes.length,
    unchanged,
    ignored,
    lines,
    more: creates.length + updates.length + deletes.length - lines.length,
    foreign:
      owners.length === 0
        ? null
        : { records: owners.length, owners: [...named.slice(0, OWNERS), ...(named.length > OWNERS ? ['others'] : [])] },
  };
}
