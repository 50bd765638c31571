// The work of protocols whose changes depend on the RRsets that exist: it reads the RRsets at some names, and decides
// how some of them should be. Both happen while the work is judged, so no other change comes in between. Pure;
// edit-rrsets.ts is the operation, and describes how to use it.

import { sameHealth } from '#dns/members.ts';
import { orderName } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import { changesAnswers, type Entry, serialAfter } from '../change/history.ts';
import { createRow, type Edited, type Judge, removeRow, type State, updateRow } from '../change/state.ts';
import { type Judged, NEEDS_NOTHING, type ReadyWork, type Work, writeWhole } from '../change/work.ts';
import { writesForRecords } from '../limits.ts';
import { Refusal } from '../refusal.ts';

/** All records of one name and type. */
export interface Rrset {
  /** Canonical and relative to the zone. */
  readonly name: string;
  readonly type: RecordType;
  /**
   * Those of an existing RRset are as they are stored, so that a plan can keep them. A TTL of null is the zone's
   * default.
   */
  readonly records: readonly WantedRecord[];
  /** The ids of the changes that its change undoes, if it does. */
  readonly undoes?: readonly number[];
}

/**
 * A record of a plan. A new record gets the id, if there is one, and does not take the id of a record that is removed.
 */
export type WantedRecord = ParsedRecord & { readonly id?: string };

/** The part of the zone that a plan reads. */
export interface CurrentRrsets {
  readonly zone: Pick<ZoneRow, 'name' | 'serial' | 'ownersVersion' | 'defaultTtl'>;
  /** Whether other requests change the zone in the same transaction, before this one. `zone` is as before them. */
  readonly isChanged: boolean;
  /**
   * The RRsets at a name of `RrsetEdit.names`, in no order; the service's own (SOA and NS of the apex) are not among
   * them.
   */
  at(name: string): readonly Rrset[];
}

export interface RrsetPlan<T> {
  /**
   * The RRsets as they should be, each name and type once; without records it is deleted. The others stay as they are.
   */
  rrsets: readonly Rrset[];
  /** Returned to the caller. Plain JSON, because it is stored for repeated requests. */
  answer: T;
}

/** A name and type, or all types of a name. */
export interface Touched {
  readonly name: string;
  readonly type: RecordType | null;
}

/** A change of RRsets that depends on those that exist. */
export interface RrsetEdit<T = unknown> {
  /** The names whose RRsets the plan reads or changes: canonical, relative to the zone. */
  readonly names: readonly string[];
  /**
   * All records that the plan may write, apart from existing ones: the records that the rules compare them with are
   * loaded before.
   */
  readonly candidates: readonly ParsedRecord[];
  /**
   * The names and types that the plan may change; a type of null: any. The rights on them are checked before the plan
   * runs, so that no key makes the service work for nothing.
   */
  readonly touches: readonly Touched[];
  /** True: the result names the owners of the records that it changes; they are loaded for that. */
  readonly namesOwners?: boolean;
  /** Pure, because it can run several times. A Refusal refuses the request. */
  plan(current: CurrentRrsets): Steps<RrsetPlan<T> | Refusal>;
  /** Translates the refusal of an RRset by a rule about records. */
  refused?(refusal: Refusal, rrset: Rrset): Refusal;
}

export interface RrsetResult<T> {
  ok: true;
  answer: T;
  /** The serials of the zone before and after; equal if nothing changed. */
  serials: { before: number; after: number };
  /** The RRsets that were changed. */
  changed: number;
  /**
   * The changed RRsets whose records had owners, if the work asks for them. Absent in the answer to a repeated request.
   */
  owned?: readonly OwnedChange[];
}

/** A change of records that have owners, which may revert it. */
export interface OwnedChange {
  readonly name: string;
  readonly type: RecordType;
  /** The owners of the records that were changed or deleted, each once. */
  readonly owners: readonly string[];
}

export function rrsetWork<T>(edit: RrsetEdit<T>): Work<RrsetResult<T>> {
  const { names, candidates } = edit;
  const octets = candidates.reduce((sum, { content }) => sum + content.length, 0);
  return {
    size: { changes: names.length + candidates.length, octets },
    records: candidates,
    *read() {
      yield;
      return readyRrsets(edit);
    },
  };
}

function readyRrsets<T>(edit: RrsetEdit<T>): ReadyWork<RrsetResult<T>> {
  const { names, candidates, touches, namesOwners = false } = edit;
  const work: ReadyWork<RrsetResult<T>> = {
    needs: { ...NEEDS_NOTHING, written: candidates, names, withOwners: namesOwners },
    judge: (judge) => judgeRrsets(judge, edit),
    mustRepeat: (actor, zoneId) => mustTouch(actor, zoneId, touches),
    writeParts: (write) => writeWhole(work, write),
  };
  return work;
}

function* judgeRrsets<T>(judge: Judge, edit: RrsetEdit<T>): Steps<Judged<RrsetResult<T>>> {
  const { state, caller, zone, tools } = judge;
  state.nearby.announce(edit.candidates);
  mustTouch(caller.actor, zone.id, edit.touches);
  const plan = yield* planRrsets(judge, edit);
  const { planned, changed, writes } = yield* compare(judge, plan);
  const { entries, owned } = yield* makeEdits(judge, edit, planned);
  const { serial } = state;
  const serials = { before: serial, after: changesAnswers(entries) ? serialAfter(serial, tools.now) : serial };
  const result: RrsetResult<T> = { ok: true, answer: plan.answer, serials, changed };
  const answer = edit.namesOwners === true ? { ...result, owned } : result;
  // A result that changed nothing is stored too: an update that another client sends again must not take effect later.
  return { answer, stored: { answer: result }, entries, writes };
}

/** @throws Refusal of the plan; forbidden if it changes an RRset that the key may not write */
function* planRrsets<T>({ state, caller, zone }: Judge, edit: RrsetEdit<T>): Steps<RrsetPlan<T>> {
  const rrsetsByName = new Map<string, Rrset[]>();
  const at = (name: string) => {
    const rrsets = rrsetsByName.get(name) ?? rrsetsAt(state, name);
    rrsetsByName.set(name, rrsets);
    return rrsets;
  };
  const plan = yield* edit.plan({ zone, isChanged: state.undo.length > 0, at });
  if (plan instanceof Refusal) throw plan;
  // A key must not learn from the refusal of a change that does nothing which records exist.
  for (const rrset of plan.rrsets) mustWriteRecord(caller.actor, zone.id, rrset);
  return plan;
}

interface PlannedEdit {
  edit: RecordEdit;
  rrset: Rrset;
}

/** The edits that lead from the stored RRsets to those of the plan, in an order that the rules accept. */
function* compare({ state }: Judge, { rrsets }: RrsetPlan<unknown>) {
  const plannedEdits: PlannedEdit[] = [];
  let [changedCount, writes] = [0, 0];
  for (const rrset of rrsets) {
    yield;
    const edits = editsBetween(storedAt(state, rrset), rrset.records);
    if (edits.length > 0) changedCount += 1;
    writes += writesForRecords(edits.length);
    for (const edit of edits) plannedEdits.push({ edit, rrset });
  }
  plannedEdits.sort(
    ({ edit: one }, { edit: other }) => rankEdit(one) - rankEdit(other) || computeGrowth(one) - computeGrowth(other),
  );
  return { planned: plannedEdits, changed: changedCount, writes };
}

function* makeEdits(judge: Judge, { refused }: RrsetEdit, plannedEdits: readonly PlannedEdit[]) {
  const entries: Entry[] = [];
  const owners = new Map<Rrset, Set<string>>();
  for (const { edit, rrset } of plannedEdits) {
    yield;
    // A deleted record has no owners any more.
    const texts = edit.kind === 'create' ? [] : [...judge.state.owners.ownerTexts(edit.id)];
    const { entry } = runFor(judge, edit, rrset, refused);
    if (texts.length > 0) owners.set(rrset, new Set([...(owners.get(rrset) ?? []), ...texts]));
    if (entry !== null) entries.push(rrset.undoes === undefined ? entry : { ...entry, undoes: rrset.undoes });
  }
  const ownedChanges = [...owners].map(([{ name, type }, texts]) => ({ name, type, owners: [...texts].sort() }));
  return { entries, owned: ownedChanges };
}

/** @throws Refusal forbidden */
export function mustTouch(actor: Actor, zoneId: string, touches: readonly Touched[]): void {
  mustWriteRecords(actor, zoneId);
  const [anyType = 'A'] = (actor.onlyTypes ?? []) as RecordType[];
  for (const { name, type } of touches) mustWriteRecord(actor, zoneId, { name, type: type ?? anyType });
}

function rrsetsAt(state: State, name: string): Rrset[] {
  const types = state.nearby.at(orderName(name)).types();
  return types.map((type) => ({ name, type, records: storedAt(state, { name, type }).map(({ record }) => record) }));
}

/** A stored record. */
export interface Stored {
  id: string;
  record: ParsedRecord;
}

/** The stored records of an RRset. */
function storedAt({ nearby, current }: State, { name, type }: { name: string; type: RecordType }): Stored[] {
  const ordername = orderName(name);
  if (!nearby.knows(ordername)) throw new Error(`the records at ${name} were not loaded`);
  return Array.from(nearby.at(ordername).allOf(type), ({ id, content, priority, wire, target }) => {
    const row = current.get(id);
    if (!row) throw new Error(`the record ${id} was not loaded`);
    const { rdata, ttl, comment, health } = row;
    return { id, record: { name, ordername, type, content, rdata, priority, wire, target, ttl, comment, health } };
  });
}

export type RecordEdit =
  | { kind: 'delete'; id: string; record: ParsedRecord }
  | { kind: 'update'; id: string; record: ParsedRecord; before: ParsedRecord }
  | { kind: 'create'; record: WantedRecord };

/**
 * The edits that make the records of an RRset the wanted ones. A record that keeps its value keeps its id and the
 * spelling of its content. A record whose value is removed takes a new value and keeps its id. Both keep their comment
 * and their check, unless the plan has others.
 */
export function editsBetween(current: readonly Stored[], records: readonly WantedRecord[]): RecordEdit[] {
  const storedByValue = new Map(current.map((storedRecord) => [keyOfOctets(storedRecord.record.wire), storedRecord]));
  const missingRecords: WantedRecord[] = [];
  const edits: RecordEdit[] = [];
  for (const record of records) {
    const value = keyOfOctets(record.wire);
    const storedRecord = storedByValue.get(value);
    storedByValue.delete(value);
    if (!storedRecord) missingRecords.push(record);
    else {
      const { comment: storedComment = null, health: storedHealth = null } = storedRecord.record;
      const { ttl, comment = storedComment, health = storedHealth } = record;
      const isSame = storedRecord.record.ttl === ttl && storedComment === comment && sameHealth(storedHealth, health);
      if (!isSame) edits.push(toUpdate(storedRecord, { ...storedRecord.record, ttl, comment, health }));
    }
  }
  const free = new Map([...storedByValue.values()].map((storedRecord) => [storedRecord.id, storedRecord]));
  const usedIds = new Set(current.flatMap(({ id }) => (free.has(id) ? [] : [id])));
  const [recordsWithId, recordsWithoutId]: [WantedRecord[], WantedRecord[]] = [[], []];
  // A record that kept its value may have the id that another one had before.
  for (const { id, ...record } of missingRecords)
    if (id === undefined || usedIds.has(id)) recordsWithoutId.push(record);
    else recordsWithId.push({ ...record, id });
  for (const record of [...recordsWithId, ...recordsWithoutId]) {
    const storedRecord = record.id === undefined ? free.values().next().value : free.get(record.id);
    if (storedRecord) free.delete(storedRecord.id);
    edits.push(storedRecord ? toUpdate(storedRecord, record) : { kind: 'create', record });
  }
  for (const { id, record } of free.values()) edits.push({ kind: 'delete', id, record });
  return edits;
}

function toUpdate({ id, record: before }: Stored, record: ParsedRecord): RecordEdit {
  return { kind: 'update', id, record, before };
}

/** Deletions make room for other types at their name. DS records need the NS records of their name. */
function rankEdit({ kind, record: { type } }: RecordEdit): number {
  if (kind === 'delete') return type === 'DS' ? 0 : 1;
  if (kind === 'update') return 2;
  if (type === 'NS') return 3;
  return type === 'DS' ? 5 : 4;
}

/** Updates that make a set smaller are first, so that no set is larger in between than it was or will be. */
function computeGrowth(edit: RecordEdit): number {
  return edit.kind === 'update' ? edit.record.wire.length - edit.before.wire.length : 0;
}

/** @throws Refusal */
function runFor(judge: Judge, edit: RecordEdit, rrset: Rrset, refuseEdit: RrsetEdit['refused']): Edited {
  try {
    return run(judge, edit);
  } catch (error) {
    if (refuseEdit === undefined || !(error instanceof Refusal)) throw error;
    throw refuseEdit(error, rrset);
  }
}

function run(judge: Judge, edit: RecordEdit): Edited {
  if (edit.kind === 'delete') return removeRow(judge, edit.id);
  if (edit.kind === 'update') return updateRow(judge, edit.id, { ok: true, value: edit.record });
  const { id, ...record } = edit.record;
  return createRow(judge, { ok: true, value: record }, id);
}
