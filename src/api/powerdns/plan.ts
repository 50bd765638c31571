// Applies the changes of a request to the stored RRsets, in their order. Pure.
import type { ParsedRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import { equalBytes } from '#dns/wire/octets.ts';
import { busy } from '#service/queue.ts';
import type { CurrentRrsets, Rrset, RrsetPlan, RrsetWork } from '#service/records/rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { withComments } from './comments.ts';
import type { RrsetChange } from './read-rrsets.ts';

/**
 * The work for `editRrsets`. Its plan runs while the zone is locked, or against an unchanged zone.
 * @param serial the serial that the zone must have: with another one the work is refused as `busy`. (Default: any.)
 */
export function workOf(changes: readonly RrsetChange[], serial?: number): RrsetWork<null> {
  return {
    names: [...new Set(changes.map(({ name }) => name))],
    candidates: changes.flatMap(({ kind, records }) => (kind === 'PRUNE' ? [] : (records ?? []))),
    plan: (current) => {
      if (serial !== undefined && (current.isChanged || current.zone.serial !== serial)) return busy();
      try {
        return planOf(changes, current);
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    },
  };
}

/** @throws Refusal if comments find no record */
export function planOf(changes: readonly RrsetChange[], { at, zone }: CurrentRrsets): RrsetPlan<null> {
  const touched = new Map<string, Rrset>();
  const stored = (name: string, type: RecordType) => at(name).find((each) => each.type === type)?.records ?? [];
  for (const { kind, name, type, records, comments } of changes) {
    const key = `${name} ${type}`;
    const before = touched.get(key)?.records ?? stored(name, type);
    const next = records === null ? before : STEPS[kind](before, records, zone.defaultTtl);
    touched.set(key, { name, type, records: withComments(next, before, comments) });
  }
  return { rrsets: [...touched.values()], answer: null };
}

type Step = (
  before: readonly ParsedRecord[],
  records: readonly ParsedRecord[],
  defaultTtl: number,
) => readonly ParsedRecord[];

const STEPS: Readonly<Record<RrsetChange['kind'], Step>> = {
  REPLACE: (before, records, defaultTtl) => records.map((record) => asStored(before, record, defaultTtl)),
  DELETE: () => [],
  EXTEND: (before, [record], defaultTtl) => {
    if (record === undefined || twinOf(before, record) !== undefined) return before;
    const ttl = record.ttl ?? before[0]?.ttl ?? null;
    // An RRset has one TTL in this protocol.
    return [...before, { ...record, ttl }].map((each) => asStored(before, { ...each, ttl }, defaultTtl));
  },
  PRUNE: (before, [record]) => (record === undefined ? before : before.filter((each) => !isSame(each, record))),
};

/** A record whose TTL is the zone's default keeps having none of its own, because a client cannot see the difference. */
function asStored(before: readonly ParsedRecord[], record: ParsedRecord, defaultTtl: number): ParsedRecord {
  const twin = twinOf(before, record);
  return twin !== undefined && (twin.ttl ?? defaultTtl) === (record.ttl ?? defaultTtl) ? twin : record;
}

function twinOf(records: readonly ParsedRecord[], record: ParsedRecord): ParsedRecord | undefined {
  return records.find((each) => isSame(each, record));
}

function isSame(one: ParsedRecord, other: ParsedRecord): boolean {
  return equalBytes(one.wire, other.wire);
}
