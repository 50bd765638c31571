// Judges the sets of a request in their order, in memory. The sets of one owner that are exact are one unit: everything
// else of the owner in the zone is released, and either all of this happens or nothing. Every other set is a unit of
// its own.
import type { Neighbour } from '#dns/rules/surroundings.ts';
import type { Steps } from '#dns/steps.ts';
import type { StoredOwnedSet } from '#store/owned-sets.ts';
import { mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import { changesAnswers, type Entry } from '../change/history.ts';
import { createRow, type Edited, type Judge, removeRow, rollBack, updateRow } from '../change/state.ts';
import { Refusal, refusal } from '../refusal.ts';
import { recordView } from '../zones/view.ts';
import { decideRelease, decideSet, type RecordsHere, type SetEdit, staleness } from './decide.ts';
import { judgeBeginning, type Place } from './only-among.ts';
import { isSameRow } from './ownership.ts';
import { inValue, type ReadApply, type ReadRelease, type ReadReleaseAll, type ReadSet, type SetResult } from './set.ts';

export interface JudgedSets {
  results: SetResult[];
  entries: readonly Entry[];
  /** The number of sets that write something or are refused. */
  writes: number;
}

/** @throws Refusal of the whole request, with the field `sets.<index>`, if it is atomic and a set is refused */
export function* judgeSets(judge: Judge, sets: readonly (ReadSet | Refusal)[], atomic: boolean): Steps<JudgedSets> {
  const results: SetResult[] = [];
  const entries: Entry[] = [];
  let writes = 0;
  for (const unit of groupUnits(sets)) {
    const before = judge.state.undo.length;
    yield;
    const judgedUnit = yield* judgeUnit(judge, unit);
    if ('refused' in judgedUnit) {
      const { refused, index } = judgedUnit;
      if (atomic) throw refused.within(`sets.${index}`);
      for (const each of unit) {
        const ownRefusal = each.index === index ? refused : refusal('owner-refused', { owner: ownerOf(each.set) });
        results[each.index] = { ok: false, refusal: ownRefusal.toData() };
      }
      writes += unit.length;
      continue;
    }
    for (const { index, result } of judgedUnit.done) results[index] = result;
    for (const entry of judgedUnit.entries) entries.push(entry);
    if (judge.state.undo.length > before) writes += unit.length;
  }
  return { results, entries, writes };
}

interface UnitSet {
  set: ReadSet | Refusal;
  index: number;
}

function groupUnits(sets: readonly (ReadSet | Refusal)[]): readonly UnitSet[][] {
  const units = new Map<string | number, UnitSet[]>();
  for (const [index, set] of sets.entries()) {
    // Everything of an owner is released once, also if several sets of a request say so.
    const key = isExact(set) || isReleaseAll(set) ? set.owner : index;
    const unit = units.get(key);
    if (unit) unit.push({ set, index });
    else units.set(key, [{ set, index }]);
  }
  return [...units.values()];
}

export function isExact(set: ReadSet | Refusal): set is ReadApply | ReadRelease {
  return !(set instanceof Refusal) && set.kind !== 'release-all' && set.exact;
}

export function isReleaseAll(set: ReadSet | Refusal): set is ReadReleaseAll {
  return !(set instanceof Refusal) && set.kind === 'release-all';
}

function ownerOf(set: ReadSet | Refusal): string {
  return set instanceof Refusal ? '' : set.owner;
}

type JudgedUnit =
  | { done: readonly { index: number; result: SetResult }[]; entries: readonly Entry[] }
  | { refused: Refusal; index: number };

/** If it is refused, the state is as before. */
function* judgeUnit(judge: Judge, unit: readonly UnitSet[]): Steps<JudgedUnit> {
  const before = judge.state.undo.length;
  const entries: Entry[] = [];
  const doneSets: { index: number; result: SetResult }[] = [];
  let at = unit[0] as UnitSet;
  try {
    yield* releaseOthers(judge, unit, entries);
    nameRequest(entries, 0, at.set);
    for (at of unit) {
      const first = entries.length;
      yield;
      doneSets.push({ index: at.index, result: yield* judgeSet(judge, at.set, entries) });
      nameRequest(entries, first, at.set);
    }
    return { done: doneSets, entries };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    rollBack(judge.state, before);
    return { refused: error, index: at.index };
  }
}

/** Gives the entries from `first` on the request id of their set. */
function nameRequest(entries: Entry[], first: number, set: ReadSet | Refusal): void {
  if (set instanceof Refusal || set.requestId === null) return;
  const { requestId } = set;
  for (let index = first; index < entries.length; index += 1)
    entries[index] = { ...(entries[index] as Entry), requestId };
}

/** Releases everything that an exact owner holds at other places than those of the unit. */
function* releaseOthers(judge: Judge, unit: readonly UnitSet[], entries: Entry[]): Steps<void> {
  const sets = unit.flatMap(({ set }) => (isExact(set) ? [set] : []));
  const [first] = sets;
  if (!first) return;
  const namedIds = new Set(sets.flatMap((set) => judge.state.owners.setAt(set)?.id ?? []));
  const others = judge.state.owners.setsOf(first.owner).filter(({ id }) => !namedIds.has(id));
  const staleRefusal = staleness(first, others);
  if (staleRefusal) throw staleRefusal;
  // Exact sets are all sets of the owner, so this generation was applied with other ones.
  const { generation, instance } = first;
  if (generation !== null && others.some((ownSet) => ownSet.generation === generation && ownSet.instance === instance))
    throw refusal('generation-reused', { generation });
  yield* releaseSets(judge, others, null, entries);
}

/** @throws Refusal */
function* judgeSet(judge: Judge, set: ReadSet | Refusal, entries: Entry[]): Steps<SetResult> {
  const { actor } = judge.caller;
  mustWriteRecords(actor, judge.zone.id);
  if (set instanceof Refusal) throw set;
  switch (set.kind) {
    case 'apply':
      return apply(judge, set, entries);
    case 'release':
      return yield* release(judge, set, entries);
    case 'release-all':
      return yield* releaseAll(judge, set, entries);
  }
}

function apply(judge: Judge, set: ReadApply, entries: Entry[]): SetResult {
  const { state, zone, caller, tools } = judge;
  mustWriteRecord(caller.actor, zone.id, set);
  const ownSet = state.owners.setAt(set);
  const startRefusal = ownSet ? null : judgeBeginning(set, toPlace(judge, set), zone.defaultTtl);
  if (startRefusal) throw startRefusal;
  const decision = decideSet(set, ownSet, recordsAt(judge, set), zone.defaultTtl);
  if (decision instanceof Refusal) throw decision;
  const before = entries.length;
  const createdRecords = decision.edits.flatMap((edit) => run(judge, set, edit, entries));
  const records = [...decision.records, ...createdRecords];
  const isSame = ownSet?.digest === set.digest;
  const { owner, name, ordername, type, digest, ttl, comment, share, retain, drift, whenClusterLost, expires } = set;
  const next: StoredOwnedSet = {
    id: ownSet?.id ?? state.owners.idAt(set) ?? tools.newId('set'),
    owner,
    name,
    ordername,
    type,
    digest,
    ttl,
    comment,
    generation: set.generation ?? (isSame ? ownSet.generation : null),
    instance: set.instance ?? (isSame ? ownSet.instance : null),
    ...{ valueCount: set.values.length, share, retain, drift, whenClusterLost, expires, records },
  };
  if (!ownSet) mustHavePlace(judge);
  if (!ownSet || !isSameRow(ownSet, next) || !isSameRecords(ownSet, next)) state.undo.push(state.owners.put(next));
  const views = records.flatMap(({ id }) => {
    const row = state.current.get(id);
    return row ? [recordView(row, zone)] : [];
  });
  return { ok: true, records: views, changed: changesAnswers(entries.slice(before)), drift: decision.drift };
}

function* release(judge: Judge, set: ReadRelease, entries: Entry[]): Steps<SetResult> {
  mustWriteRecord(judge.caller.actor, judge.zone.id, set);
  const ownSet = judge.state.owners.setAt(set);
  const isDue = set.endedBy === null || (ownSet !== null && ownSet.expires !== null && ownSet.expires <= set.endedBy);
  const staleRefusal = ownSet && staleness(set, [ownSet]);
  if (staleRefusal) throw staleRefusal;
  return yield* released(judge, ownSet && isDue ? [ownSet] : [], set.retain, entries);
}

function* releaseAll(judge: Judge, set: ReadReleaseAll, entries: Entry[]): Steps<SetResult> {
  const heldSets = judge.state.owners.setsOf(set.owner);
  const staleRefusal = staleness(set, heldSets);
  if (staleRefusal) throw staleRefusal;
  return yield* released(judge, heldSets, null, entries);
}

function* released(
  judge: Judge,
  heldSets: StoredOwnedSet[],
  retain: boolean | null,
  entries: Entry[],
): Steps<SetResult> {
  const before = entries.length;
  yield* releaseSets(judge, heldSets, retain, entries);
  return { ok: true, records: [], changed: changesAnswers(entries.slice(before)), drift: [] };
}

/** @param retain null: as each set was applied */
function* releaseSets(
  judge: Judge,
  heldSets: readonly StoredOwnedSet[],
  retain: boolean | null,
  entries: Entry[],
): Steps<void> {
  const { state, caller, zone } = judge;
  // DS records need the NS records of their name, so they go first.
  for (const ownSet of [...heldSets].sort((a, b) => Number(b.type === 'DS') - Number(a.type === 'DS'))) {
    yield;
    mustWriteRecord(caller.actor, zone.id, ownSet);
    for (const edit of decideRelease(ownSet, recordsAt(judge, ownSet), retain ?? ownSet.retain, zone.defaultTtl))
      run(judge, ownSet, edit, entries);
    state.undo.push(state.owners.remove(ownSet.id));
  }
}

/**
 * Makes one edit.
 * @returns the record that it created, which belongs to the set.
 * @throws Refusal
 */
function run(
  judge: Judge,
  set: ReadApply | StoredOwnedSet,
  edit: SetEdit,
  entries: Entry[],
): { id: string; digest: string }[] {
  const values = 'values' in set ? set.values : [];
  const note = <E extends Edited>(editedRow: E): E => {
    if (editedRow.entry) entries.push({ ...editedRow.entry, owner: set.owner });
    return editedRow;
  };
  if (edit.kind === 'delete') note(removeRow(judge, edit.id));
  if (edit.kind === 'adjust') note(updateRow(judge, edit.id, adjusted(judge, edit)));
  if (edit.kind !== 'create' && edit.kind !== 'update') return [];
  const value = values[edit.value];
  if (!value) throw new Error('an edit names a value that the set does not have');
  const record = {
    ok: true,
    value: { ...value.record, ttl: edit.ttl, comment: edit.comment, health: edit.health },
  } as const;
  try {
    if (edit.kind === 'update') note(updateRow(judge, edit.id, record));
    else return [{ id: note(createRow(judge, record)).id, digest: value.digest }];
  } catch (error) {
    throw error instanceof Refusal ? inValue(error, edit.value, values.length) : error;
  }
  return [];
}

/** The stored record with another TTL, comment or check. */
function adjusted({ state }: Judge, { id, ttl, comment, health }: Extract<SetEdit, { kind: 'adjust' }>) {
  const row = state.current.get(id);
  const storedRecord = row && state.nearby.at(row.ordername).get(id);
  if (!row || !storedRecord) throw new Error(`the record ${id} was not loaded`);
  const { name, ordername, type, content, rdata, priority } = row;
  const { wire, target } = storedRecord;
  const value = { name, ordername, type, content, rdata, priority, wire, target, ttl, comment, health };
  return { ok: true, value } as const;
}

/** The records at a name and type, with their owners. */
function recordsAt({ state }: Judge, { ordername, type }: Pick<StoredOwnedSet, 'ordername' | 'type'>): RecordsHere {
  const there = state.nearby.at(ordername);
  const readPresent = (record: Neighbour | undefined) => {
    if (record === undefined || record.type !== type) return undefined;
    const { ttl = null, comment = null, health = null } = state.current.get(record.id) ?? {};
    const owners = state.owners.ownersOf(record.id);
    return { id: record.id, content: record.content, ttl, comment, health, owners };
  };
  return {
    withId: (id) => readPresent(there.get(id)),
    withValue: ({ record }) => readPresent(there.twinOf(record)),
  };
}

/** All records at the name of a set. */
function toPlace({ state }: Judge, { ordername }: ReadApply): Place {
  const there = state.nearby.at(ordername);
  return {
    *all() {
      for (const { id, type } of there.all()) yield { id, type, ttl: state.current.get(id)?.ttl ?? null };
    },
    ownersOf: (id) => state.owners.ownerTexts(id),
    idOf: ({ record }) => there.twinOf(record)?.id,
  };
}

function isSameRecords(one: StoredOwnedSet, other: StoredOwnedSet): boolean {
  const digestsOf = new Map(one.records.map(({ id, digest }) => [id, digest]));
  return (
    one.records.length === other.records.length && other.records.every(({ id, digest }) => digestsOf.get(id) === digest)
  );
}

/**
 * A zone has room for this many sets of owners, and for more by its records: sharing and deleted records leave sets
 * without any.
 */
const SETS = { always: 1_000, perRecord: 8 };

/** @throws Refusal forbidden */
function mustHavePlace({ state, zone }: Judge): void {
  const limit = SETS.always + SETS.perRecord * zone.recordCount;
  if (zone.ownedSets + state.owners.growth < limit) return;
  throw refusal('too-many-sets', { limit, records: zone.recordCount });
}
