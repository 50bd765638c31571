// Decides what one set changes: the owner says "of the records at this name and type, exactly these are mine". Pure:
// the records and owners at the name go in, and a list of edits comes out.
//
//     the value exists    its owners               the set
//     no                  –                        makes it: from a record of its own that is not needed any more, or
//                                                  as a new one
//     yes                 this one                 keeps it
//     yes                 others                   owns it too, if all of them share and the set shares; otherwise it
//                                                  is refused
//     yes                 none                     owns it, if it adopts and the TTL is the same, or if it had applied
//                                                  the value before; otherwise it is refused
//
// A record of the owner that the set does not name is deleted, or loses this owner if it has others. Each record has
// the lowest TTL of its owners.
//
// A comment is written when the owner has another one than it applied before. In between, others may change the comment
// of a record: that is not drift, so two owners with different comments do not undo each other's forever. The check and
// the tier of a value are written in the same way. The wish for a PTR record is written whenever a set says it: whether
// it is permitted may change while the generation stays.
import { type RecordHealth, sameHealth, withoutReverse } from '#dns/members.ts';
import type { StoredOwnedSet } from '#store/owned-sets.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { DriftItem, ReadApply, ReadValue } from './set.ts';

/** A record at the name and type, with all its owners. */
export interface Present {
  id: string;
  content: string;
  /** Seconds; null: the default of the zone. */
  ttl: number | null;
  comment: string | null;
  health: RecordHealth | null;
  owners: readonly StoredOwnedSet[];
}

/** The records at the name and type. A thousand sets at one name each look at their own records alone. */
export interface RecordsHere {
  withId(id: string): Present | undefined;
  withValue(value: ReadValue): Present | undefined;
}

/** The fields of a record besides its value. */
type Fields = Pick<Present, 'ttl' | 'comment' | 'health'>;

export type SetEdit =
  | { kind: 'delete'; id: string }
  | ({ kind: 'update'; id: string; value: number } & Fields)
  | ({ kind: 'adjust'; id: string } & Fields)
  | ({ kind: 'create'; value: number } & Fields);

export interface Decision {
  /** In their order. */
  edits: readonly SetEdit[];
  /** The records that the owner has afterwards, without those that `create` makes: the id and the digest as applied. */
  records: readonly { id: string; digest: string }[];
  drift: readonly DriftItem[];
}

/** The most owners of one record. */
const MAX_OWNERS = 100;

/**
 * @param ownSet the set that the owner has at this name and type
 * @returns a Refusal if an owner or a record prevents it
 */
export function decideSet(
  set: ReadApply,
  ownSet: StoredOwnedSet | null,
  here: RecordsHere,
  defaultTtl: number,
): Decision | Refusal {
  const isSame = ownSet !== null && ownSet.digest === set.digest;
  // The same values under a lower generation: its object was restored from a backup, or written again after that. They
  // change nothing, and the next generation counts from there.
  const staleRefusal = isSame ? null : staleness(set, ownSet ? [ownSet] : []);
  if (staleRefusal) return staleRefusal;
  const valued = set.values.map((value) => here.withValue(value));
  const ownIds = new Set(ownSet?.records.map(({ id }) => id));
  const mineNow = ownSet === null ? [] : findRecords(ownSet, here);
  for (const [index, value] of set.values.entries()) {
    const record = valued[index];
    const valueRefusal =
      record && objection(set, value, index, record, { isMine: ownIds.has(record.id), isSame, defaultTtl });
    if (valueRefusal) return valueRefusal;
  }
  const drift = isSame && set.drift !== 'Ignore' ? findDrift(set, ownSet, { valued, mineNow }, defaultTtl) : [];
  if (isSame && set.drift !== 'Enforce') {
    return { edits: mineNow.flatMap((record) => commented(record, set, ownSet, here)), records: ownSet.records, drift };
  }
  const wantedIds = new Set(valued.flatMap((record) => record?.id ?? []));
  const others = (record: Present) => record.owners.filter(({ id }) => id !== ownSet?.id);
  const spare = mineNow.filter(({ id }) => !wantedIds.has(id));
  const free = spare.filter((record) => others(record).length === 0);
  const edits: SetEdit[] = spare.flatMap((record) => withoutOwner(record, ownSet, others(record), defaultTtl));
  const records: Decision['records'][number][] = [];
  const missingIndexes: number[] = [];
  for (const [index, { digest }] of set.values.entries()) {
    const record = valued[index];
    if (!record) {
      missingIndexes.push(index);
      continue;
    }
    const ttl = lowestTtl([set, ...others(record)], defaultTtl);
    const health = isSame ? withWish(record.health, set, set.values[index]) : healthOf(set.values[index]);
    edits.push(...adjusted(record, { ttl, comment: chooseComment(record, set, ownSet), health }, defaultTtl));
    records.push({ id: record.id, digest });
  }
  const creations: SetEdit[] = missingIndexes.map((value, at) => {
    const record = free[at];
    const health = healthOf(set.values[value]);
    if (!record) return { kind: 'create', value, ttl: set.ttl, comment: set.comment, health };
    records.push({ id: record.id, digest: set.values[value]!.digest });
    return { kind: 'update', id: record.id, value, ttl: set.ttl, comment: chooseComment(record, set, ownSet), health };
  });
  const deletions: SetEdit[] = free.slice(missingIndexes.length).map(({ id }) => ({ kind: 'delete', id }));
  return { edits: [...deletions, ...edits, ...creations], records, drift };
}

function healthOf(value: ReadValue | undefined): RecordHealth | null {
  return value?.record.health ?? null;
}

/** The health of a record whose value the owner applied before, with the wish for a PTR record as the set says it. */
function withWish(stored: RecordHealth | null, set: ReadApply, value: ReadValue | undefined): RecordHealth | null {
  // A record that others changed has none of the values.
  if (!set.saysReverse || value === undefined) return stored;
  const { reverse, reverseIn } = healthOf(value) ?? {};
  const health: RecordHealth = {
    ...withoutReverse(stored ?? {}),
    ...(reverse === undefined ? {} : { reverse }),
    ...(reverseIn === undefined ? {} : { reverseIn }),
  };
  return Object.keys(health).length === 0 ? null : health;
}

/** The records of a set that still exist. */
function findRecords(ownSet: StoredOwnedSet, here: RecordsHere): Present[] {
  return ownSet.records.flatMap(({ id }) => here.withId(id) ?? []);
}

/** The edits of a record that loses one of its owners and keeps `others`. */
function withoutOwner(
  record: Present,
  ownSet: StoredOwnedSet | null,
  others: readonly StoredOwnedSet[],
  defaultTtl: number,
): SetEdit[] {
  if (others.length === 0) return [];
  const comment = chooseComment(record, { comment: null }, ownSet);
  return adjusted(record, { ttl: lowestTtl(others, defaultTtl), comment, health: record.health }, defaultTtl);
}

/** The comment that a record has after its owner applied `set`. @param ownSet the set as the owner applied it before */
function chooseComment(
  { comment, owners }: Pick<Present, 'comment' | 'owners'>,
  set: { comment: string | null },
  ownSet: Pick<StoredOwnedSet, 'id' | 'comment'> | null,
): string | null {
  const before = ownSet?.comment ?? null;
  if (set.comment === before) return comment;
  if (set.comment !== null) return set.comment;
  // The owner takes its comment back. Another owner may have one; a comment by others stays.
  const next = owners.find((each) => each.id !== ownSet?.id && each.comment !== null)?.comment ?? null;
  return comment === before ? next : comment;
}

/** The edits of a record that keeps its value and TTL, also after changes by others. */
function commented(record: Present, set: ReadApply, ownSet: StoredOwnedSet, here: RecordsHere): SetEdit[] {
  const { id, ttl } = record;
  const comment = chooseComment(record, set, ownSet);
  const value = set.saysReverse ? set.values.find((each) => here.withValue(each)?.id === id) : undefined;
  const health = withWish(record.health, set, value);
  const isKept = comment === record.comment && sameHealth(health, record.health);
  return isKept ? [] : [{ kind: 'adjust', id, ttl, comment, health }];
}

function adjusted({ id, ttl, comment, health }: Present, wantedFields: Fields, defaultTtl: number): SetEdit[] {
  // A TTL of the default's value stays as it is written.
  const next = (ttl ?? defaultTtl) === (wantedFields.ttl ?? defaultTtl) ? ttl : wantedFields.ttl;
  const isSame = next === ttl && wantedFields.comment === comment && sameHealth(wantedFields.health, health);
  return isSame ? [] : [{ kind: 'adjust', id, ...wantedFields, ttl: next }];
}

/** The edits that release a set. @param retain whether records without another owner stay */
export function decideRelease(
  ownSet: StoredOwnedSet,
  here: RecordsHere,
  retain: boolean,
  defaultTtl: number,
): SetEdit[] {
  return findRecords(ownSet, here).flatMap((record): SetEdit[] => {
    const others = record.owners.filter(({ id }) => id !== ownSet.id);
    if (others.length > 0) return withoutOwner(record, ownSet, others, defaultTtl);
    return retain ? [] : [{ kind: 'delete', id: record.id }];
  });
}

/**
 * A generation that goes back, or one that was applied with other contents. Generations of different instances are not
 * compared.
 * @param heldSets the sets of the owner
 */
export function staleness(
  { generation, instance, ...set }: Pick<ReadApply, 'generation' | 'instance'> & { digest?: string },
  heldSets: readonly Pick<StoredOwnedSet, 'generation' | 'instance' | 'digest'>[],
): Refusal | null {
  if (generation === null) return null;
  for (const ownSet of heldSets) {
    if (ownSet.generation === null || ownSet.instance !== instance || generation > ownSet.generation) continue;
    if (generation < ownSet.generation) return refusal('generation-back', { generation, applied: ownSet.generation });
    if (set.digest !== undefined && set.digest !== ownSet.digest) return refusal('generation-reused', { generation });
  }
  return null;
}

/** The reason why the set cannot own an existing record. */
function objection(
  set: ReadApply,
  { record: { content } }: ReadValue,
  index: number,
  record: Present,
  { isMine, isSame, defaultTtl }: { isMine: boolean; isSame: boolean; defaultTtl: number },
): Refusal | null {
  const details = { field: `values.${index}.content`, records: [record.id] };
  const others = record.owners.filter(({ owner }) => owner !== set.owner);
  const [first] = others;
  if (first) {
    const unwillingSet = others.find(({ share }) => !share);
    const owner = (unwillingSet ?? first).owner;
    const ownerDetails = { ...details, owner, value: content, shared: unwillingSet === undefined };
    if (unwillingSet)
      return refusal(set.share ? 'owner-keeps-value' : 'value-owned', { content: clip(content), owner }, ownerDetails);
    if (!set.share) return refusal('value-shared', { content: clip(content), owner }, ownerDetails);
    if (!isMine && others.length >= MAX_OWNERS) return refusal('too-many-owners', { limit: MAX_OWNERS }, details);
    return null;
  }
  if (isMine || isSame) return null;
  if (set.adopt === 'Never')
    return refusal('value-unowned', { content: clip(content) }, { ...details, value: content });
  const [storedTtl, givenTtl] = [record.ttl ?? defaultTtl, set.ttl ?? defaultTtl];
  return storedTtl === givenTtl
    ? null
    : refusal('adopt-not-identical', { stored: storedTtl, given: givenTtl }, { ...details, field: 'ttl' });
}

/** The changes by others since the set was applied. */
function findDrift(
  set: ReadApply,
  ownSet: StoredOwnedSet,
  { valued, mineNow }: { valued: readonly (Present | undefined)[]; mineNow: readonly Present[] },
  defaultTtl: number,
): DriftItem[] {
  const wantedIds = new Set(valued.flatMap((record) => record?.id ?? []));
  const ownIds = new Set(ownSet.records.map(({ id }) => id));
  const idByDigest = new Map(ownSet.records.map(({ id, digest }) => [digest, id]));
  const changedItems = mineNow
    .filter(({ id }) => !wantedIds.has(id))
    .map(({ id, content }): DriftItem => ({ kind: 'changed', id, content }));
  const others = set.values.flatMap(({ digest, record: { content } }, index): DriftItem[] => {
    const record = valued[index];
    // The record of a value that was changed is listed with its new content.
    if (!record) return idByDigest.has(digest) ? [] : [{ kind: 'deleted', content }];
    const { id, owners } = record;
    if (!ownIds.has(id)) return [{ kind: 'replaced', id, content }];
    const [ttl, lowest] = [
      record.ttl ?? defaultTtl,
      lowestTtl([set, ...owners.filter((each) => each.id !== ownSet.id)], defaultTtl),
    ];
    return ttl === (lowest ?? defaultTtl) ? [] : [{ kind: 'ttl', id, content: record.content, ttl }];
  });
  return [...changedItems, ...others];
}

/** The lowest TTL of some owners; null: the default of the zone. */
function lowestTtl(owners: readonly { ttl: number | null }[], defaultTtl: number): number | null {
  return owners.map(({ ttl }) => ttl).reduce((low, ttl) => ((ttl ?? defaultTtl) < (low ?? defaultTtl) ? ttl : low));
}

/** A value as messages show it. */
function clip(content: string): string {
  return content.length <= 80 ? content : `${content.slice(0, 77)}…`;
}
