// The sets that a request applies: reading them, and the checks of each against the others of its request. Pure.
import { createHash } from 'node:crypto';
import { parseComment } from '#dns/comment.ts';
import { type HealthInput, withoutReverse } from '#dns/members.ts';
import { orderName, parseOwnerName } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import { isRecordType, type RecordType } from '#dns/types/index.ts';
import type { Drift, WhenClusterLost } from '#store/owned-sets.ts';
import { digestOf } from '../change/row-writes.ts';
import { insist, Refusal, type RefusalData, refusal } from '../refusal.ts';
import type { RecordView } from '../zones/view.ts';

/** The caller says: exactly these records at this name and type belong to this owner. */
export interface SetInput {
  owner: string;
  generation?: number | undefined;
  instance?: string | undefined;
  /** Releases everything of the owner in the zone. The fields below are then absent. */
  release?: boolean | undefined;
  name?: string | undefined;
  type?: string | undefined;
  ttl?: number | null | undefined;
  comment?: string | null | undefined;
  values?: readonly ValueInput[] | undefined;
  exact?: boolean | undefined;
  adopt?: 'Never' | 'IfIdentical' | undefined;
  share?: boolean | undefined;
  onlyAmong?: string | undefined;
  retain?: boolean | undefined;
  drift?: Drift | undefined;
  whenClusterLost?: WhenClusterLost | undefined;
  /** In ISO 8601. */
  expires?: string | undefined;
  /** In the history. Absent: that of the caller. */
  requestId?: string | undefined;
  /** Releases the set only if its lease has ended by now. For the service itself. Absent: releases it in any case. */
  onlyEnded?: boolean;
}

/** A value with its check; the tier and the check are those that the owner applies. */
interface ValueInput extends HealthInput {
  content: string;
  priority?: number | null | undefined;
}

export interface SetBatch {
  /** Whether all sets are applied or none. Otherwise each succeeds or fails alone. */
  atomic: boolean;
  /** A set that could not be read is a Refusal. */
  sets: readonly (SetInput | Refusal)[];
}

/** The result of one set, as plain JSON, because it is stored for repeated requests. */
export type SetResult =
  | { ok: true; records: readonly RecordView[]; changed: boolean; drift: readonly DriftItem[] }
  | { ok: false; refusal: RefusalData };

/** One change that another client made to the records of an owner. */
export type DriftItem =
  | { kind: 'deleted'; content: string }
  | { kind: 'replaced'; id: string; content: string }
  | { kind: 'changed'; id: string; content: string }
  | { kind: 'ttl'; id: string; content: string; ttl: number };

interface Named {
  owner: string;
  generation: number | null;
  instance: string | null;
  requestId: string | null;
}

interface Placed extends Named {
  name: string;
  ordername: string;
  type: RecordType;
  exact: boolean;
}

export interface ReadApply extends Placed {
  kind: 'apply';
  values: readonly ReadValue[];
  /** Seconds; null: the default of the zone. */
  ttl: number | null;
  /** Null: none. */
  comment: string | null;
  /** SHA-256 of the TTL and the values, in hexadecimal. */
  digest: string;
  /** Whether the set says which of its records want a PTR record. */
  saysReverse: boolean;
  adopt: 'Never' | 'IfIdentical';
  share: boolean;
  /** The owner may begin to own the place only if its other owners begin with this text; null: in any case. */
  onlyAmong: string | null;
  retain: boolean;
  drift: Drift;
  whenClusterLost: WhenClusterLost;
  /** In ms since 1970; null: no end. */
  expires: number | null;
}

export interface ReadValue {
  record: ParsedRecord;
  /** SHA-256 of the wire form, in hexadecimal. */
  digest: string;
}

/** Releases what the owner holds at one name and type. */
export interface ReadRelease extends Placed {
  kind: 'release';
  /** Null: as it was applied. */
  retain: boolean | null;
  /** Only if the lease has ended by this time, in ms since 1970; null: in any case. */
  endedBy: number | null;
}

/** Releases everything of the owner in the zone. */
export interface ReadReleaseAll extends Named {
  kind: 'release-all';
}

export type ReadSet = ReadApply | ReadRelease | ReadReleaseAll;

/** The longest lease, in ms. */
export const LEASE_MS = 24 * 60 * 60 * 1_000;

/**
 * @param zoneName canonical
 * @returns one entry for each set, in the same order
 */
export function* readSets(
  sets: readonly (SetInput | Refusal)[],
  zoneName: string,
  now: Date,
): Steps<readonly (ReadSet | Refusal)[]> {
  const results: (ReadSet | Refusal)[] = [];
  for (const set of sets) {
    yield;
    results.push(set instanceof Refusal ? set : attempt(() => readSet(set, zoneName, now)));
  }
  const contradictions = contradictionsIn(results);
  return results.map((set, index) => contradictions.get(index) ?? set);
}

/** @throws Refusal */
function readSet(input: SetInput, zone: string, now: Date): ReadSet {
  const { owner, generation = null, instance = null, requestId = null } = input;
  const commonFields = { owner, generation, instance, requestId };
  if (input.release === true) return { kind: 'release-all', ...commonFields };
  const { name: rawName = '', type: rawType = '', values = [], ttl = null, exact = false } = input;
  if (values.length === 0) {
    // The form of a type is the same for all values, so it is refused like that of a record.
    const type = isRecordType(rawType)
      ? rawType
      : insist(parseRecord({ name: '@', type: rawType, content: '' }, zone)).type;
    const name = insist(parseOwnerName(rawName, zone, type));
    const place = { name, ordername: orderName(name), type, exact };
    return {
      kind: 'release',
      ...commonFields,
      ...place,
      retain: input.retain ?? null,
      endedBy: input.onlyEnded ? now.getTime() : null,
    };
  }
  const records = values.map((value, index) =>
    readValue({ name: rawName, type: rawType, ttl, ...value }, index, zone, values.length),
  );
  const [first] = records as [ReadValue];
  const { name, ordername, type } = first.record;
  const indexByDigest = new Map<string, number>();
  for (const [index, { digest }] of records.entries()) {
    const same = indexByDigest.get(digest);
    if (same !== undefined) throw refusal('value-twice', { index: same }, { field: `values.${index}.content` });
    indexByDigest.set(digest, index);
  }
  const saysReverse = values.some(({ reverse }) => reverse !== undefined && reverse !== null);
  return {
    kind: 'apply',
    ...commonFields,
    ...{ name, ordername, type, exact, values: records, ttl: first.record.ttl },
    comment: insist(parseComment(input.comment ?? null)),
    digest: contentDigest(first.record.ttl, records, saysReverse),
    saysReverse,
    adopt: input.adopt ?? 'Never',
    share: input.share ?? false,
    onlyAmong: input.onlyAmong ?? null,
    retain: input.retain ?? false,
    drift: input.drift ?? 'Enforce',
    whenClusterLost: input.whenClusterLost ?? 'Keep',
    expires: input.expires === undefined ? null : readExpires(input.expires, now),
  };
}

function readValue(input: Parameters<typeof parseRecord>[0], index: number, zone: string, count: number): ReadValue {
  try {
    const record = insist(parseRecord(input, zone));
    return { record, digest: digestOf(record.wire).toString('hex') };
  } catch (error) {
    throw error instanceof Refusal ? inValue(error, index, count) : error;
  }
}

const OF_VALUE: readonly string[] = [
  'content',
  'priority',
  'check',
  'tier',
  'whenAllFail',
  'weight',
  'reverse',
  'reverseIn',
];

/** A refusal of one value names its place in the list; one of the name, the type or the TTL concerns the whole set. */
export function inValue(refused: Refusal, index: number, count: number): Refusal {
  const ofValue = OF_VALUE.includes(refused.field ?? '');
  return ofValue && index < count ? refused.within(`values.${index}`) : refused;
}

function contentDigest(ttl: number | null, values: readonly ReadValue[], saysReverse: boolean): string {
  // The check and the tier are a part of a value, so that another one is a change of the set. The wish for a PTR record
  // is not: whether one is permitted changes while the generation of an object stays.
  const digests = values
    .map(({ digest, record: { health } }) => {
      const parts = JSON.stringify(withoutReverse(health ?? {}));
      return parts === '{}' ? digest : `${digest} ${parts}`;
    })
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([ttl, ...digests, ...(saysReverse ? ['reverse'] : [])]))
    .digest('hex');
}

function readExpires(text: string, now: Date): number {
  const at = Date.parse(text);
  const latest = now.getTime() + LEASE_MS;
  if (at > now.getTime() && at <= latest) return at;
  throw refusal('lease-out-of-range', {
    given: new Date(at).toISOString(),
    now: now.toISOString(),
    latest: new Date(latest).toISOString(),
  });
}

/** The sets that contradict other sets of their request, by index. All sets that take part are refused. */
function contradictionsIn(sets: readonly (ReadSet | Refusal)[]): Map<number, Refusal> {
  const refusals = new Map<number, Refusal>();
  const byOwner = new Map<string, { set: ReadSet; index: number }[]>();
  for (const [index, set] of sets.entries())
    if (!(set instanceof Refusal)) {
      const ownerSets = byOwner.get(set.owner);
      if (ownerSets) ownerSets.push({ set, index });
      else byOwner.set(set.owner, [{ set, index }]);
    }
  for (const ownerSets of byOwner.values()) {
    if (ownerSets.length === 1) continue;
    const isMixed = (test: (set: ReadSet) => boolean) => new Set(ownerSets.map(({ set }) => test(set))).size > 1;
    if (isMixed(({ kind }) => kind === 'release-all')) {
      for (const { index } of ownerSets) refusals.set(index, refusal('release-and-sets'));
    } else if (isMixed((set) => 'exact' in set && set.exact)) {
      for (const { index } of ownerSets) refusals.set(index, refusal('exact-and-others'));
    } else for (const { index, rule } of samePlaces(ownerSets)) refusals.set(index, refusal(rule));
  }
  return refusals;
}

function samePlaces(ownerSets: readonly { set: ReadSet; index: number }[]): { index: number; rule: 'place-twice' }[] {
  const places = new Map<string, { texts: Set<string>; indexes: number[] }>();
  for (const { set, index } of ownerSets) {
    if (set.kind === 'release-all') continue;
    const place = places.get(`${set.ordername}\n${set.type}`) ?? { texts: new Set(), indexes: [] };
    places.set(`${set.ordername}\n${set.type}`, place);
    place.texts.add(serializeSet(set));
    place.indexes.push(index);
  }
  return [...places.values()].flatMap(({ texts, indexes }) =>
    texts.size > 1 ? indexes.map((index) => ({ index, rule: 'place-twice' as const })) : [],
  );
}

/** Everything that a set says, so that two sets can be compared. */
function serializeSet(set: ReadApply | ReadRelease): string {
  return JSON.stringify({ ...set, requestId: null, values: set.kind === 'apply' ? set.digest : null });
}

function attempt<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The octets of a set's contents, for the size of a group. */
export function countSetOctets(set: SetInput | Refusal): number {
  if (set instanceof Refusal) return 0;
  return (set.values ?? []).reduce((sum, { content }) => sum + content.length, set.owner.length);
}

/** The records that the sets would make. */
export function listSetRecords(sets: readonly (ReadSet | Refusal)[]): ParsedRecord[] {
  return sets.flatMap((set) =>
    set instanceof Refusal || set.kind !== 'apply' ? [] : set.values.map(({ record }) => record),
  );
}
