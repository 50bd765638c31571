// The difference between the records of a zone and the wanted ones, by name and type. Pure.
import { compare } from '#base/text-order.ts';
import { orderName } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';

/** A record as people see it, with the TTL in effect in seconds. */
export interface ShownRecord {
  content: string;
  ttl: number;
  /** Absent for types without one. */
  priority?: number | undefined;
}

/** All records at one name and type, before and after a change. */
export interface SetDifference {
  name: string;
  type: string;
  before: readonly ShownRecord[];
  after: readonly ShownRecord[];
}

interface Pair {
  shown: ShownRecord;
  /** Equal for two spellings of one value. */
  key: string;
}

/**
 * The names and types whose records differ, in the canonical order of names (RFC 4034 section 6.1).
 * @param defaultTtl the TTL of records without one of their own
 */
export function listDifferences(
  before: readonly ParsedRecord[],
  after: readonly ParsedRecord[],
  defaultTtl: number,
): SetDifference[] {
  const toSetKey = ({ name, type }: ParsedRecord) => `${name} ${type}`;
  const [old, wanted] = [before, after].map((records) => Map.groupBy(records, toSetKey));
  const differences: SetDifference[] = [];
  for (const set of new Set([...(old?.keys() ?? []), ...(wanted?.keys() ?? [])])) {
    const [one, other] = [old?.get(set) ?? [], wanted?.get(set) ?? []].map((records) =>
      records.map((record) => toPair(record, defaultTtl)).sort((a, b) => compare(a.shown.content, b.shown.content)),
    ) as [Pair[], Pair[]];
    const keys = (pairs: Pair[]) =>
      pairs
        .map(({ key }) => key)
        .sort()
        .join();
    const [first] = [...(old?.get(set) ?? []), ...(wanted?.get(set) ?? [])];
    if (first === undefined || keys(one) === keys(other)) continue;
    // A record that stays keeps its stored spelling.
    const kept = new Map(one.map(({ key, shown }) => [key, shown]));
    differences.push({
      name: first.name,
      type: first.type,
      before: one.map(({ shown }) => shown),
      after: other.map(({ key, shown }) => kept.get(key) ?? shown),
    });
  }
  return differences.sort((a, b) => compare(orderName(a.name), orderName(b.name)) || compare(a.type, b.type));
}

function toPair({ content, ttl, priority, wire }: ParsedRecord, defaultTtl: number): Pair {
  const shown = { content, ttl: ttl ?? defaultTtl, ...(priority === null ? {} : { priority }) };
  return { shown, key: `${shown.ttl} ${Buffer.from(wire).toString('hex')}` };
}

/** The places of the stored records that do not stay as they are, because their value or their TTL is not wanted. */
export function changedPlaces(
  stored: readonly ParsedRecord[],
  wanted: readonly ParsedRecord[],
  defaultTtl: number,
): Set<number> {
  const toKey = (record: ParsedRecord) => `${record.name} ${record.type} ${toPair(record, defaultTtl).key}`;
  const keys = new Set(wanted.map(toKey));
  return new Set(stored.flatMap((record, at) => (keys.has(toKey(record)) ? [] : [at])));
}

/** The records of one difference that go, come and stay. */
function changesIn({ before, after }: SetDifference): { gone: ShownRecord[]; come: ShownRecord[]; kept: number } {
  const line = ({ content, ttl, priority }: ShownRecord) => `${ttl} ${priority ?? ''} ${content}`;
  const [old, wanted] = [new Set(before.map(line)), new Set(after.map(line))];
  const gone = before.filter((record) => !wanted.has(line(record)));
  return { gone, come: after.filter((record) => !old.has(line(record))), kept: before.length - gone.length };
}

/**
 * The number of records that the differences delete: a record that only gets another value or TTL is not deleted.
 */
export function deletedIn(differences: readonly SetDifference[]): number {
  return differences.reduce((sum, { before, after }) => sum + Math.max(0, before.length - after.length), 0);
}

/** Lines of a zone file after "-" for records that go and "+" for records that come. */
export function differenceLines(differences: readonly SetDifference[]): string[] {
  return differences.flatMap((difference) => {
    const { gone, come } = changesIn(difference);
    return [
      ...gone.map((record) => `- ${zoneFileLine(difference, record)}`),
      ...come.map((record) => `+ ${zoneFileLine(difference, record)}`),
    ];
  });
}

/** As one line of a zone file. */
function zoneFileLine({ name, type }: { name: string; type: string }, { content, ttl, priority }: ShownRecord): string {
  return `${name} ${ttl} ${type} ${priority === undefined ? '' : `${priority} `}${content}`;
}
