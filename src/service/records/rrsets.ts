// Changes that a request computes from the RRsets that exist: it reads the RRsets at some names, and decides how some of them
// should be. Both happen while the request is judged, so no other change comes in between. Pure; edit-rrsets.ts is the
// operation, and describes how to use it.
import { orderName } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { ZoneRow } from '#store/zones.ts';
import { mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { Entry } from '../change.ts';
import { Refusal } from '../refusal.ts';
import { createRow, type Judge, removeRow, type State, updateRow } from './edit.ts';
import { digestOf } from './write.ts';

/** All records of one name and type. */
export interface Rrset {
  /** Canonical and relative to the zone. */
  readonly name: string;
  readonly type: RecordType;
  /** Those of an existing RRset are as they are stored, so that a plan can keep them. A TTL of null is the zone's default. */
  readonly records: readonly ParsedRecord[];
}

/** The part of the zone that a plan reads. */
export interface CurrentRrsets {
  readonly zone: Pick<ZoneRow, 'name' | 'serial' | 'defaultTtl'>;
  /** The RRsets at a name of `RrsetWork.names`, in no order; the service's own (SOA and NS of the apex) are not among them. */
  at(name: string): readonly Rrset[];
}

export interface RrsetPlan<T> {
  /** The RRsets as they should be, each name and type once; without records it is deleted. The others stay as they are. */
  rrsets: readonly Rrset[];
  /** Returned to the caller. Plain JSON, because it is stored for repeated requests. */
  answer: T;
}

export interface RrsetWork<T = unknown> {
  /** The names whose RRsets the plan reads or changes: canonical, relative to the zone. */
  readonly names: readonly string[];
  /** All records that the plan may write, apart from existing ones: the records that the rules compare them with are loaded before. */
  readonly candidates: readonly ParsedRecord[];
  /**
   * Pure, because it can run several times. It runs after the check that the key may write records in the zone at all. A Refusal
   * refuses the request.
   */
  plan(current: CurrentRrsets): RrsetPlan<T> | Refusal;
}

export interface RrsetResult<T> {
  ok: true;
  answer: T;
  /** The serials of the zone before and after; equal if nothing changed. */
  serials: { before: number; after: number };
  /** The RRsets that were changed. */
  changed: number;
}

export interface JudgedRrsets {
  answer: unknown;
  entries: readonly Entry[];
  changed: number;
}

/** @throws Refusal; the caller undoes the edits then */
export function judgeRrsets(judge: Judge, work: RrsetWork): JudgedRrsets {
  const { state, caller, zone } = judge;
  mustWriteRecords(caller.actor, zone.id);
  const plan = work.plan({ zone, at: (name) => rrsetsAt(state, name) });
  if (plan instanceof Refusal) throw plan;
  // A key must not learn from the refusal of a change that does nothing which records exist.
  for (const rrset of plan.rrsets) mustWriteRecord(caller.actor, zone.id, rrset);
  const edits = plan.rrsets.map((rrset) => editsOf(state, rrset));
  const inOrder = edits.flat().sort((one, other) => turnOf(one) - turnOf(other) || growthOf(one) - growthOf(other));
  const entries = inOrder.flatMap((edit) => run(judge, edit).entry ?? []);
  return { answer: plan.answer, entries, changed: edits.filter((each) => each.length > 0).length };
}

function rrsetsAt(state: State, name: string): Rrset[] {
  const sets = new Map<RecordType, ParsedRecord[]>();
  for (const { record } of storedAt(state, name)) sets.set(record.type, [...(sets.get(record.type) ?? []), record]);
  return [...sets].map(([type, records]) => ({ name, type, records }));
}

interface Stored {
  id: string;
  record: ParsedRecord;
}

function storedAt({ nearby, current }: State, name: string): Stored[] {
  const ordername = orderName(name);
  if (!nearby.knows(ordername)) throw new Error(`the records at ${name} were not loaded`);
  return nearby.at(ordername).map(({ id, type, content, priority, wire, target }) => {
    const row = current.get(id);
    if (!row) throw new Error(`the record ${id} was not loaded`);
    const { rdata, ttl, comment } = row;
    return { id, record: { name, ordername, type, content, rdata, priority, wire, target, ttl, comment } };
  });
}

type Edit =
  | { kind: 'delete'; id: string; record: ParsedRecord }
  | { kind: 'update'; id: string; record: ParsedRecord; before: ParsedRecord }
  | { kind: 'create'; record: ParsedRecord };

/**
 * A record that keeps its value keeps its id and the spelling of its content. A record whose value is removed takes a new
 * value and keeps its id. Both keep their comment, unless the plan has another one.
 */
function editsOf(state: State, { name, type, records }: Rrset): Edit[] {
  const left = new Map<string, Stored>();
  for (const stored of storedAt(state, name))
    if (stored.record.type === type) left.set(wireKeyOf(stored.record), stored);
  const missing: ParsedRecord[] = [];
  const edits: Edit[] = [];
  for (const record of records) {
    const value = wireKeyOf(record);
    const stored = left.get(value);
    left.delete(value);
    if (!stored) missing.push(record);
    else {
      const { ttl, comment = stored.record.comment ?? null } = record;
      if (stored.record.ttl !== ttl || stored.record.comment !== comment)
        edits.push(updateOf(stored, { ...stored.record, ttl, comment }));
    }
  }
  const free = [...left.values()];
  for (const [index, record] of missing.entries()) {
    const stored = free[index];
    edits.push(stored ? updateOf(stored, record) : { kind: 'create', record });
  }
  for (const { id, record } of free.slice(missing.length)) edits.push({ kind: 'delete', id, record });
  return edits;
}

function updateOf({ id, record: before }: Stored, record: ParsedRecord): Edit {
  return { kind: 'update', id, record, before };
}

function wireKeyOf({ wire }: ParsedRecord): string {
  return digestOf(wire).toString('base64');
}

/** Deletions make room for other types at their name. DS records need the NS records of their name. */
function turnOf({ kind, record: { type } }: Edit): number {
  if (kind === 'delete') return type === 'DS' ? 0 : 1;
  if (kind === 'update') return 2;
  if (type === 'NS') return 3;
  return type === 'DS' ? 5 : 4;
}

/** Updates that make a set smaller are first, so that no set is larger in between than it was or will be. */
function growthOf(edit: Edit): number {
  return edit.kind === 'update' ? edit.record.wire.length - edit.before.wire.length : 0;
}

function run(judge: Judge, edit: Edit) {
  if (edit.kind === 'delete') return removeRow(judge, edit.id);
  const read = { ok: true, value: edit.record } as const;
  return edit.kind === 'update' ? updateRow(judge, edit.id, read) : createRow(judge, read);
}
