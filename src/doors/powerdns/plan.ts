// Applies the changes of a request to the stored RRsets, in their order and in steps. Pure. Each change costs as much
// as its own records, however many the RRset has.
import type { ParsedRecord } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import { busy } from '#service/change/queue.ts';
import type { CurrentRrsets, Rrset, RrsetEdit, RrsetPlan } from '#service/records/rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { withComments } from './comments.ts';
import type { RrsetChange } from './read-rrsets.ts';

/**
 * The work for `editRrsets`. Its plan runs while the zone is locked, or against an unchanged zone.
 * @param serial the serial that the zone must have: with another one the work is refused as `busy`. Absent: any.
 */
export function buildPowerDnsEdit(changes: readonly RrsetChange[], serial?: number): RrsetEdit<null> {
  return {
    names: [...new Set(changes.map(({ name }) => name))],
    touches: changes,
    namesOwners: true,
    candidates: changes.flatMap(({ kind, records }) => (kind === 'PRUNE' ? [] : (records ?? []))),
    *plan(current) {
      if (serial !== undefined && (current.isChanged || current.zone.serial !== serial)) return busy();
      try {
        return yield* planPowerDnsChange(changes, current);
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    },
  };
}

/** @throws Refusal if comments find no record */
export function* planPowerDnsChange(
  changes: readonly RrsetChange[],
  { at, zone }: CurrentRrsets,
): Steps<RrsetPlan<null>> {
  const workingByKey = new Map<string, Working>();
  for (const change of changes) {
    yield;
    const { name, type } = change;
    const key = `${name} ${type}`;
    const working =
      workingByKey.get(key) ?? toWorking(name, type, at(name).find((each) => each.type === type)?.records ?? []);
    workingByKey.set(key, working);
    apply(working, change, zone.defaultTtl);
  }
  return { rrsets: [...workingByKey.values()].map((working) => toRrset(working, zone.defaultTtl)), answer: null };
}

/** An RRset between two changes. */
interface Working {
  name: string;
  type: RecordType;
  /** By wire form. */
  records: Map<string, ParsedRecord>;
  /** The TTL of all records, which an EXTEND sets; undefined: each has its own. */
  ttl: number | null | undefined;
}

function toWorking(name: string, type: RecordType, records: readonly ParsedRecord[]): Working {
  return { name, type, records: byValue(records), ttl: undefined };
}

function byValue(records: readonly ParsedRecord[]): Map<string, ParsedRecord> {
  return new Map(records.map((each) => [keyOfOctets(each.wire), each]));
}

function apply(working: Working, { kind, records, comments }: RrsetChange, defaultTtl: number): void {
  switch (kind) {
    case 'DELETE':
      working.records.clear();
      return;
    case 'EXTEND':
      for (const record of records ?? []) extend(working, record);
      return;
    case 'PRUNE':
      for (const record of records ?? []) working.records.delete(keyOfOctets(record.wire));
      return;
    case 'REPLACE': {
      const before = toRrset(working, defaultTtl).records;
      const recordsByValue = byValue(before);
      const next = records === null ? before : records.map((each) => asStored(recordsByValue, each, defaultTtl));
      working.records = byValue(withComments(next, before, comments));
      working.ttl = undefined;
    }
  }
}

/** A record that is there stays as it is, with its TTL. */
function extend(working: Working, record: ParsedRecord): void {
  const value = keyOfOctets(record.wire);
  if (working.records.has(value)) return;
  const [first] = working.records.values();
  // An RRset has one TTL in this protocol.
  working.ttl = record.ttl ?? (working.ttl === undefined ? first?.ttl : working.ttl) ?? null;
  working.records.set(value, { ...record, ttl: working.ttl });
}

function toRrset({ name, type, records, ttl }: Working, defaultTtl: number): Rrset {
  const all = [...records.values()];
  return { name, type, records: ttl === undefined ? all : all.map((each) => withTtl(each, ttl, defaultTtl)) };
}

/**
 * A record whose TTL is the zone's default keeps having none of its own, because a client cannot see the difference.
 */
function withTtl(record: ParsedRecord, ttl: number | null, defaultTtl: number): ParsedRecord {
  return (record.ttl ?? defaultTtl) === (ttl ?? defaultTtl) ? record : { ...record, ttl };
}

/** The stored record with this value, if its TTL is the same. */
function asStored(before: ReadonlyMap<string, ParsedRecord>, record: ParsedRecord, defaultTtl: number): ParsedRecord {
  const twin = before.get(keyOfOctets(record.wire));
  return twin !== undefined && (twin.ttl ?? defaultTtl) === (record.ttl ?? defaultTtl) ? twin : record;
}
