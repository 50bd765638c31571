// Judges the sets of a request in their order, in memory. The sets of one owner that are exact are one unit: everything
// else of the owner in the zone is released, and either all of this happens or nothing. Every other set is a unit of
// its own.
import type { Neighbour } from '#dns/rules/surroundings.ts';
import type { Steps } from '#dns/steps.ts';
import type { OwnedSet } from '#store/owned-sets.ts';
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
  for (const unit of unitsOf(sets)) {
    const before = judge.state.undo.length;
    yield;
    const judged = yield* judgeUnit(judge, unit);
    if ('refused' in judged) {
      const { refused, index } = judged;
      if (atomic) throw refused.within(`sets.${index}`);
      for (const each of unit) {
        const own = each.index === index ? refused : refusal('owner-refused', { owner: ownerOf(each.set) });
        results[each.index] = { ok: false, refusal: own.toData() };
      }
      writes += unit.length;
      continue;
    }
    for (const { index, result } of judged.done) results[index] = result;
    for (const entry of judged.entries) entries.push(entry);
    if (judge.state.undo.length > before) writes += unit.length;
  }
  return { results, entries, writes };
}

interface UnitSet {
  set: ReadSet | Refusal;
  index: number;
}

function unitsOf(sets: readonly (ReadSet | Refusal)[]): readonly UnitSet[][] {
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
  const done: { index: number; result: SetResult }[] = [];
  let at = unit[0] as UnitSet;
  try {
    yield* releaseOthers(judge, unit, entries);
    nameRequest(entries, 0, at.set);
    for (at of unit) {
      const first = entries.length;
      yield;
      done.push({ index: at.index, result: yield* judgeSet(judge, at.set, entries) });
      nameRequest(entries, first, at.set);
    }
    return { done, entries };
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
  const named = new Set(sets.flatMap((set) => judge.state.owners.setAt(set)?.id ?? []));
  const others = judge.state.owners.setsOf(first.owner).filter(({ id }) => !named.has(id));
  const stale = staleness(first, others);
  if (stale) throw stale;
  // Exact sets are all sets of the owner, so this generation was applied with other ones.
  const { generation, instance } = first;
  if (generation !== null && others.some((own) => own.generation === generation && own.instance === instance))
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
  const own = state.owners.setAt(set);
  const taken = own ? null : judgeBeginning(set, placeOf(judge, set), zone.defaultTtl);
  if (taken) throw taken;
  const decision = decideSet(set, own, recordsAt(judge, set), zone.defaultTtl);
  if (decision instanceof Refusal) throw decision;
  const before = entries.length;
  const made = decision.edits.flatMap((edit) => run(judge, set, edit, entries));
  const records = [...decision.records, ...made];
  const isSame = own?.digest === set.digest;
  const { owner, name, ordername, type, digest, ttl, comment, share, retain, drift, whenClusterLost, expires } = set;
  const next: OwnedSet = {
    id: own?.id ?? state.owners.idAt(set) ?? tools.newId('set'),
    owner,
    name,
    ordername,
    type,
    digest,
    ttl,
    comment,
    generation: set.generation ?? (isSame ? own.generation : null),
    instance: set.instance ?? (isSame ? own.instance : null),
    ...{ valueCount: set.values.length, share, retain, drift, whenClusterLost, expires, records },
  };
  if (!own) mustHavePlace(judge);
  if (!own || !isSameRow(own, next) || !isSameRecords(own, next)) state.undo.push(state.owners.put(next));
  const views = records.flatMap(({ id }) => {
    const row = state.current.get(id);
    return row ? [recordView(row, zone)] : [];
  });
  return { ok: true, records: views, changed: changesAnswers(entries.slice(before)), drift: decision.drift };
}

function* release(judge: Judge, set: ReadRelease, entries: Entry[]): Steps<SetResult> {
  mustWriteRecord(judge.caller.actor, judge.zone.id, set);
  const own = judge.state.owners.setAt(set);
  const isDue = set.endedBy === null || (own !== null && own.expires !== null && own.expires <= set.endedBy);
  const stale = own && staleness(set, [own]);
  if (stale) throw stale;
  return yield* released(judge, own && isDue ? [own] : [], set.retain, entries);
}

function* releaseAll(judge: Judge, set: ReadReleaseAll, entries: Entry[]): Steps<SetResult> {
  const held = judge.state.owners.setsOf(set.owner);
  const stale = staleness(set, held);
  if (stale) throw stale;
  return yield* released(judge, held, null, entries);
}

function* released(judge: Judge, held: OwnedSet[], retain: boolean | null, entries: Entry[]): Steps<SetResult> {
  const before = entries.length;
  yield* releaseSets(judge, held, retain, entries);
  return { ok: true, records: [], changed: changesAnswers(entries.slice(before)), drift: [] };
}

/** @param retain null: as each set was applied */
function* releaseSets(judge: Judge, held: readonly OwnedSet[], retain: boolean | null, entries: Entry[]): Steps<void> {
  const { state, caller, zone } = judge;
  // DS records need the NS records of their name, so they go first.
  for (const own of [...held].sort((a, b) => Number(b.type === 'DS') - Number(a.type === 'DS'))) {
    yield;
    mustWriteRecord(caller.actor, zone.id, own);
    for (const edit of decideRelease(own, recordsAt(judge, own), retain ?? own.retain, zone.defaultTtl))
      run(judge, own, edit, entries);
    state.undo.push(state.owners.remove(own.id));
  }
}

/** Makes one edit. @returns the record that it created, which belongs to the set. @throws Refusal */
function run(
  judge: Judge,
  set: ReadApply | OwnedSet,
  edit: SetEdit,
  entries: Entry[],
): { id: string; digest: string }[] {
  const values = 'values' in set ? set.values : [];
  const note = <E extends Edited>(edited: E): E => {
    if (edited.entry) entries.push({ ...edited.entry, owner: set.owner });
    return edited;
  };
  if (edit.kind === 'delete') note(removeRow(judge, edit.id));
  if (edit.kind === 'adjust') note(updateRow(judge, edit.id, adjusted(judge, edit)));
  if (edit.kind !== 'create' && edit.kind !== 'update') return [];
  const value = values[edit.value];
  if (!value) throw new Error('an edit names a value that the set does not have');
  const record = { ok: true, value: { ...value.record, ttl: edit.ttl, comment: edit.comment } } as const;
  try {
    if (edit.kind === 'update') note(updateRow(judge, edit.id, record));
    else return [{ id: note(createRow(judge, record)).id, digest: value.digest }];
  } catch (error) {
    throw error instanceof Refusal ? inValue(error, edit.value, values.length) : error;
  }
  return [];
}

/** The stored record with another TTL or comment. */
function adjusted({ state }: Judge, { id, ttl, comment }: Extract<SetEdit, { kind: 'adjust' }>) {
  const row = state.current.get(id);
  const stored = row && state.nearby.at(row.ordername).get(id);
  if (!row || !stored) throw new Error(`the record ${id} was not loaded`);
  const { name, ordername, type, content, rdata, priority } = row;
  const { wire, target } = stored;
  return { ok: true, value: { name, ordername, type, content, rdata, priority, wire, target, ttl, comment } } as const;
}

/** The records at a name and type, with their owners. */
function recordsAt({ state }: Judge, { ordername, type }: Pick<OwnedSet, 'ordername' | 'type'>): RecordsHere {
  const there = state.nearby.at(ordername);
  const present = (record: Neighbour | undefined) => {
    if (record === undefined || record.type !== type) return undefined;
    const { ttl = null, comment = null } = state.current.get(record.id) ?? {};
    return { id: record.id, content: record.content, ttl, comment, owners: state.owners.ownersOf(record.id) };
  };
  return {
    withId: (id) => present(there.get(id)),
    withValue: ({ record }) => present(there.twinOf(record)),
  };
}

/** All records at the name of a set. */
function placeOf({ state }: Judge, { ordername }: ReadApply): Place {
  const there = state.nearby.at(ordername);
  return {
    *all() {
      for (const { id, type } of there.all()) yield { id, type, ttl: state.current.get(id)?.ttl ?? null };
    },
    ownersOf: (id) => state.owners.ownerTexts(id),
    idOf: ({ record }) => there.twinOf(record)?.id,
  };
}

function isSameRecords(one: OwnedSet, other: OwnedSet): boolean {
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
