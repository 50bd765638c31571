// The state of a zone while a group is judged, and the edits of it: each creates, replaces or deletes one record, after
// the checks of rights, existence, condition, form and rules. An edit can be undone, because a refused work, or a
// refused part of one, must leave nothing behind.
import { sameHealth } from '#dns/members.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeDelete, judgeWrite } from '#dns/rules/rrset.ts';
import type { Verdict } from '#dns/verdict.ts';
import type { KeptAnswer } from '#store/idempotency.ts';
import type { RecordRow } from '#store/records.ts';
import type { NewKeptAnswer } from '#store/zone-commit.ts';
import type { ZoneRow } from '#store/zones.ts';
import { mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { QuotaBudget } from '../accounts/quota.ts';
import { mustMatchRecord } from '../conditions/condition.ts';
import type { TagCondition } from '../conditions/match.ts';
import type { Caller } from '../context.ts';
import type { Ownership } from '../owners/ownership.ts';
import { insist, refusal } from '../refusal.ts';
import { scopeForRecord } from '../reverse/scope.ts';
import { type RecordView, recordedView, recordView } from '../zones/view.ts';
import { type Growth, growthBetween } from './growth.ts';
import type { Entry } from './history.ts';
import { mustBeSameRequest, type Once } from './once.ts';
import type { RowWrites, WrittenRecord } from './row-writes.ts';

export interface Tools {
  now: Date;
  newId(kind: 'rec' | 'set'): string;
}

/** The records as they are after the changes that were accepted so far, and what has to be written for them. */
export interface State {
  /** The serial of the zone after the requests that were accepted so far. */
  serial: number;
  nearby: NearbyRecords;
  current: Map<string, RecordRow>;
  /** The octets of the comments at some names, by ordername. */
  comments: Map<string, number>;
  /** The stored answers to Idempotency-Keys, by tokenKey. */
  kept: Map<string, KeptAnswer>;
  budget: QuotaBudget;
  rows: RowWrites;
  newlyKept: NewKeptAnswer[];
  owners: Ownership;
  /** Undoes the edits, from the last one to the first. */
  undo: (() => void)[];
}

export function tokenKey(keyId: string, token: string): string {
  return `${keyId} ${token}`;
}

/**
 * The stored answer of a repeated request.
 * @throws Refusal conflict if the Idempotency-Key was used for another request
 */
export function storedFor({ kept }: State, keyId: string, once: Once): KeptAnswer | null {
  const answerRow = kept.get(tokenKey(keyId, once.token)) ?? null;
  if (answerRow) mustBeSameRequest(answerRow, once);
  return answerRow;
}

/** Keeps the answer for the token of a request, unless the token has an answer already. */
export function keepAnswer(state: State, keyId: string, { token, requestHash }: Once, answer: unknown): void {
  const key = tokenKey(keyId, token);
  if (state.kept.has(key)) return;
  state.kept.set(key, { requestHash, answer });
  state.newlyKept.push({ keyId, token, requestHash, answer });
  state.undo.push(() => {
    state.kept.delete(key);
    state.newlyKept.pop();
  });
}

/** Undoes all edits after the first `count`. */
export function rollBack({ undo }: State, count: number): void {
  while (undo.length > count) undo.pop()?.();
}

export interface Judge {
  state: State;
  caller: Caller;
  zone: ZoneRow;
  tools: Tools;
}

export interface Edited {
  view: RecordView | null;
  /** Null when the zone does not change. */
  entry: Entry | null;
}

/**
 * @param givenId the id of a record that existed before. (Default: a new one.)
 * @throws Refusal; the state is as before then, as in the functions below
 */
export function createRow(
  judge: Judge,
  recordVerdict: Verdict<ParsedRecord>,
  givenId?: string,
): Edited & { id: string } {
  const { state, caller, zone, tools } = judge;
  mustWriteRecords(caller.actor, zone.id);
  const record = insist(recordVerdict);
  mustWriteRecord(caller.actor, zone.id, record);
  insist(judgeWrite(record, state.nearby.surroundingsOf(record, null)));
  const id = givenId ?? tools.newId('rec');
  const { comment = null, health = null } = record;
  const writtenRecord = { ...record, comment, health, reverseScope: scopeForRecord(caller.actor, health) };
  mustHaveRoomForComment(state, writtenRecord, null);
  take(state, growthBetween(null, writtenRecord));
  putNearby(state, id, record);
  setCurrent(state, id, { ...writtenRecord, id });
  change(state, id, () => state.rows.insert(id, writtenRecord));
  const row = { id, ...writtenRecord };
  const entry = { action: 'record.create', before: null, after: recordedView(row, zone) } as const;
  return { id, view: recordView(row, zone), entry };
}

/**
 * If the record has these values already, nothing changes. A new comment alone is in the history and changes no answer.
 */
export function updateRow(
  judge: Judge,
  id: string,
  recordVerdict: Verdict<ParsedRecord>,
  condition: TagCondition | null = null,
): Edited {
  const { state, caller, zone } = judge;
  const row = writable(judge, id);
  mustMatchRecord(condition, recordView(row, zone));
  const record = insist(recordVerdict);
  mustWriteRecord(caller.actor, zone.id, record);
  mustKeepPlace(record, row);
  insist(judgeWrite(record, state.nearby.surroundingsOf(record, id)));
  const { comment = row.comment, health = row.health } = record;
  const writtenRecord = { ...record, comment, health, reverseScope: scopeForRecord(caller.actor, health) };
  const nextRow = { id, ...writtenRecord };
  const view = recordView(nextRow, zone);
  const isSameValue = record.content === row.content && record.ttl === row.ttl && record.priority === row.priority;
  const isComment = isSameValue && sameHealth(health, row.health);
  if (isComment && writtenRecord.comment === row.comment) return { view, entry: null };
  mustHaveRoomForComment(state, writtenRecord, row.comment);
  take(state, growthBetween(row, writtenRecord));
  putNearby(state, id, record);
  setCurrent(state, id, { ...writtenRecord, id });
  change(state, id, () => state.rows.update(id, writtenRecord));
  const [before, after] = [recordedView(row, zone), recordedView(nextRow, zone)];
  return { view, entry: { action: 'record.update', before, after, ...(isComment ? { isComment } : {}) } };
}

export function removeRow(judge: Judge, id: string, condition: TagCondition | null = null): Edited {
  const { state, zone } = judge;
  const row = writable(judge, id);
  mustMatchRecord(condition, recordView(row, zone));
  insist(judgeDelete(row, state.nearby.at(row.ordername).without(id)));
  take(state, growthBetween(row, null));
  const removedRecord = state.nearby.at(row.ordername).get(id);
  state.nearby.drop(row);
  if (removedRecord) state.undo.push(() => state.nearby.put(removedRecord));
  setCurrent(state, id, null);
  change(state, id, () => state.rows.delete(id));
  state.undo.push(state.owners.forgetRecord(id));
  return { view: null, entry: { action: 'record.delete', before: recordedView(row, zone), after: null } };
}

/** An update must not change the name or the type of a record. @throws Refusal bad_request */
export function mustKeepPlace(record: ParsedRecord, storedRow: Pick<RecordRow, 'name' | 'type'>): void {
  if (record.name === storedRow.name && record.type === storedRow.type) return;
  throw refusal(
    'place-changed',
    { name: storedRow.name, type: storedRow.type },
    { field: record.name === storedRow.name ? 'type' : 'name' },
  );
}

/** The stored record with this id, if the key may write it. @throws Refusal forbidden, not_found */
function writable({ state, caller, zone }: Judge, id: string): RecordRow {
  // A key without write access must not learn which ids exist. A key that is restricted to some names may learn it.
  mustWriteRecords(caller.actor, zone.id);
  const row = state.current.get(id);
  if (!row) throw refusal('no-record', {}, { field: 'id' });
  mustWriteRecord(caller.actor, zone.id, row);
  return row;
}

/**
 * The octets of all comments at one name. Changes are judged with all records at their names in memory, so their
 * comments have a limit as their values have.
 */
const MAX_COMMENTS = 256 * 1024;

/** @throws Refusal bad_request */
function mustHaveRoomForComment(state: State, { ordername, comment }: WrittenRecord, before: string | null): void {
  if (comment === null || comment === before) return;
  const octets = commentsAt(state, ordername) - octetsOf(before) + octetsOf(comment);
  if (octets > MAX_COMMENTS) throw refusal('comments-too-large', { kibibytes: MAX_COMMENTS / 1024 });
}

/** The octets of the comments at a name: summed up once for a request, and then kept up to date by `setCurrent`. */
function commentsAt({ comments, nearby, current }: State, ordername: string): number {
  const knownOctets = comments.get(ordername);
  if (knownOctets !== undefined) return knownOctets;
  let octets = 0;
  for (const { id } of nearby.at(ordername).all()) octets += octetsOf(current.get(id)?.comment ?? null);
  comments.set(ordername, octets);
  return octets;
}

function octetsOf(comment: string | null): number {
  return Buffer.byteLength(comment ?? '');
}

function take({ budget, undo }: State, growth: Growth): void {
  budget.take(growth);
  undo.push(() => budget.take({ records: -growth.records, bytes: -growth.bytes }));
}

function putNearby({ nearby, undo }: State, id: string, record: ParsedRecord): void {
  const before = nearby.at(record.ordername).get(id);
  const { name, ordername } = record;
  nearby.put({ id, ...record });
  undo.push(() => (before ? nearby.put(before) : nearby.drop({ id, name, ordername })));
}

function setCurrent({ current, comments, undo }: State, id: string, row: RecordRow | null): void {
  const before = current.get(id);
  const set = (to: RecordRow | null | undefined) => {
    const from = current.get(id);
    const ordername = (to ?? from)?.ordername ?? '';
    const octets = comments.get(ordername);
    const growth = octetsOf(to?.comment ?? null) - octetsOf(from?.comment ?? null);
    if (octets !== undefined && growth !== 0) comments.set(ordername, octets + growth);
    if (to) current.set(id, to);
    else current.delete(id);
  };
  set(row);
  undo.push(() => set(before));
}

/** Changes the rows that have to be written for one record. */
function change({ rows, undo }: State, id: string, work: () => void): void {
  undo.push(rows.snapshot(id));
  work();
}
