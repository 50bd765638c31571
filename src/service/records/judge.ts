// Judges the requests of a group in their order, in memory: each change sees the records as they are after the accepted changes
// before it. The result is data that one statement writes. The order of the checks is the same for every change: rights,
// existence, form, rules.
//
//     request                 a refused change                    the other changes of the request
//     single or atomic        refuses the request                 are not made
//     not atomic              has a refusal as its result         are made if they are accepted
//
// A refused request must not affect the others. Some changes of an atomic request may have been accepted before one is refused.
// The group is then judged again without that request.
import type { ParsedRecord } from '#dns/record.ts';
import type { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeDelete, judgeWrite } from '#dns/rules/rrset.ts';
import { nextSerial } from '#dns/serial.ts';
import type { KeptAnswer } from '#store/idempotency.ts';
import type { RecordRow } from '#store/records.ts';
import type { NewKeptAnswer, RecordedChange } from '#store/zone-commit.ts';
import type { KeyStanding } from '#store/zone-load.ts';
import type { ZoneRow } from '#store/zones.ts';
import { maySee, mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { Budget } from '../accounts/quota.ts';
import { type Entry, keyReused, keyRevoked, noZone } from '../change.ts';
import type { Caller } from '../context.ts';
import { insist, Refusal, refusal } from '../refusal.ts';
import { recordView } from '../zones/view.ts';
import { type BatchResult, type Once, type ReadChange, recordsOf } from './change.ts';
import { type Growth, growthBetween, growthOf } from './growth.ts';
import { RecordWrites } from './write.ts';

/** One request of a group. */
export interface Member {
  caller: Caller;
  changes: readonly ReadChange[];
  atomic: boolean;
  /** Whether the request is one change and not a batch: the answer is the record, and a refusal names no index. */
  isSingle: boolean;
}

/** The data that a group is judged with. */
export interface JudgingData {
  /** Null: the zone does not exist. */
  zone: ZoneRow | null;
  standings: ReadonlyMap<string, KeyStanding>;
  /** The existing records that the changes update or delete, by id. */
  stored: ReadonlyMap<string, RecordRow>;
  /** The stored answers to Idempotency-Keys, by keptKey. */
  kept: ReadonlyMap<string, KeptAnswer>;
  /** A new copy of the records that the rules look at, as they are in the database. */
  nearby(): NearbyRecords;
  /** A new copy of the growth that the owner's quota allows to all members together. */
  budget(): Budget;
}

export interface Tools {
  now: Date;
  newId(): string;
}

/** The answer to a member, as plain JSON: a record, null or a BatchResult[]. */
type MemberOutcome = { ok: true; answer: unknown } | { ok: false; refusal: Refusal };

/** The result of judging a group. */
export interface Judgement {
  outcomes: readonly MemberOutcome[];
  writes: RecordWrites;
  history: readonly RecordedChange[];
  /** The names whose records change. */
  changedNames: readonly string[];
  kept: readonly NewKeptAnswer[];
  /** The serial of the last member that changes the zone; null if none does. */
  serial: number | null;
  growth: Growth;
}

export function keptKey(keyId: string, token: string): string {
  return `${keyId} ${token}`;
}

export function judgeGroup(members: readonly Member[], data: JudgingData, tools: Tools): Judgement {
  const refused = new Map<Member, Refusal>();
  for (;;) {
    const state = initialState(data);
    const judged: Judged[] = [];
    for (const member of members) {
      const known = refused.get(member);
      const result = known ?? attempt(() => judgeMember(state, member, data, tools));
      if (result instanceof Refusal) refused.set(member, result);
      // The state may contain accepted changes of this member, so the group starts again without them.
      if (result instanceof Refusal && known === undefined && member.changes.length > 1) break;
      judged.push(result);
    }
    if (judged.length === members.length) return judgementOf(members, judged, state, data, tools);
  }
}

/** The state after the changes that were accepted so far. */
interface State {
  nearby: NearbyRecords;
  current: Map<string, RecordRow>;
  kept: Map<string, KeptAnswer>;
  budget: Budget;
  writes: RecordWrites;
  newlyKept: NewKeptAnswer[];
}

function initialState(data: JudgingData): State {
  return {
    nearby: data.nearby(),
    current: new Map(data.stored),
    kept: new Map(data.kept),
    budget: data.budget(),
    writes: new RecordWrites(),
    newlyKept: [],
  };
}

type Judged = { answer: unknown; entries: readonly Entry[] } | Refusal;

interface Done {
  outcome: Extract<BatchResult, { ok: true }> | Refusal;
  /** Null when the zone does not change. */
  entry: Entry | null;
}

/** @throws Refusal of the whole request */
function judgeMember(state: State, member: Member, data: JudgingData, tools: Tools): Judged {
  const { caller, changes, atomic, isSingle } = member;
  const kept = caller.once && state.kept.get(keptKey(caller.actor.keyId, caller.once.token));
  if (kept) return { answer: answerOf(kept, caller.once as Once), entries: [] };
  const zone = visibleZone(data, caller);
  // The NS records of a new delegation are judged one by one, and the addresses of all its name servers may exist already.
  state.nearby.announce(
    recordsOf(changes.filter((change) => !(change instanceof Refusal) && change.action === 'create')),
  );
  const judge = { state, caller, zone, tools };
  const done = changes.map((change, index): Done => {
    const result = attempt(() => judgeChange(judge, change));
    if (!(result instanceof Refusal)) return result;
    if (atomic) throw isSingle ? result : inBatch(result, index);
    return { outcome: result, entry: null };
  });
  const results = done.map(({ outcome }) => resultOf(outcome));
  const [first] = results;
  const answer = isSingle && first?.ok ? first.record : results;
  if (caller.once) keep(state, caller.actor.keyId, caller.once, answer);
  return { answer, entries: done.flatMap(({ entry }) => entry ?? []) };
}

function resultOf(outcome: Done['outcome']): BatchResult {
  return outcome instanceof Refusal ? { ok: false, refusal: outcome.toData() } : outcome;
}

/** @throws Refusal unauthorized, no_zone */
function visibleZone({ zone, standings }: JudgingData, { actor }: Caller): ZoneRow {
  const standing = standings.get(actor.keyId);
  if (!standing?.valid) throw keyRevoked();
  if (!zone || !standing.member || !maySee(actor, zone)) throw noZone();
  return zone;
}

/** Adds the index of the change to the refusal of an atomic request: `changes.3.content: …`. */
export function inBatch(refused: Refusal, index: number): Refusal {
  return refused.within(`changes.${index}`);
}

interface Judge {
  state: State;
  caller: Caller;
  zone: ZoneRow;
  tools: Tools;
}

/** @throws Refusal */
function judgeChange(judge: Judge, change: ReadChange): Done {
  if (change instanceof Refusal) throw change;
  const done = judgeAction(judge, change);
  const { requestId } = change;
  return done.entry && requestId !== undefined ? { ...done, entry: { ...done.entry, requestId } } : done;
}

type Readable = Exclude<ReadChange, Refusal>;
type Written<A extends Readable['action']> = Extract<Readable, { action: A }>;

function judgeAction(judge: Judge, change: Readable): Done {
  switch (change.action) {
    case 'create':
      return change.once ? createOnce(judge, change, change.once) : create(judge, change);
    case 'update':
      return update(judge, change);
    case 'delete':
      return remove(judge, change.id);
  }
}

function createOnce(judge: Judge, change: Written<'create'>, once: Once): Done {
  const { keyId } = judge.caller.actor;
  const kept = judge.state.kept.get(keptKey(keyId, once.token));
  if (kept) {
    const record = answerOf(kept, once) as Extract<BatchResult, { ok: true }>['record'];
    return { outcome: { ok: true, action: 'create', record }, entry: null };
  }
  const done = create(judge, change);
  if (!(done.outcome instanceof Refusal)) keep(judge.state, keyId, once, done.outcome.record);
  return done;
}

/** @throws Refusal conflict if the Idempotency-Key was used for another request */
function answerOf(kept: KeptAnswer, once: Once): unknown {
  if (Buffer.compare(kept.requestHash, once.requestHash) !== 0) throw keyReused();
  return kept.answer;
}

/** Keeps the answer for a token, unless the token has an answer already. */
function keep(state: State, keyId: string, { token, requestHash }: Once, answer: unknown): void {
  const key = keptKey(keyId, token);
  if (state.kept.has(key)) return;
  state.kept.set(key, { requestHash, answer });
  state.newlyKept.push({ keyId, token, requestHash, answer });
}

function create({ state, caller, zone, tools }: Judge, change: Written<'create'>): Done {
  mustWriteRecords(caller.actor, zone.id);
  const record = insist(change.record);
  mustWriteRecord(caller.actor, zone.id, record);
  insist(judgeWrite(record, state.nearby.surroundingsOf(record, null)));
  state.budget.take(growthBetween(null, record));
  const id = tools.newId();
  state.nearby.put({ id, ...record });
  state.writes.insert(id, record, change.managedBy ?? caller.managedBy ?? null);
  const view = recordView({ id, ...record }, zone);
  return {
    outcome: { ok: true, action: 'create', record: view },
    entry: { action: 'record.create', before: null, after: view },
  };
}

function update({ state, caller, zone }: Judge, change: Written<'update'>): Done {
  const { id } = change;
  const row = writable(state, caller, zone, id);
  const record = insist(change.record);
  mustWriteRecord(caller.actor, zone.id, record);
  mustKeepPlace(record, row);
  insist(judgeWrite(record, state.nearby.surroundingsOf(record, id)));
  const [before, after] = [recordView(row, zone), recordView({ id, ...record }, zone)];
  const outcome = { ok: true, action: 'update', record: after } as const;
  const managedBy = change.managedBy ?? caller.managedBy ?? row.managedBy;
  const isSame = record.content === row.content && record.ttl === row.ttl && record.priority === row.priority;
  if (isSame && managedBy === row.managedBy) return { outcome, entry: null };
  state.budget.take(growthBetween(row, record));
  state.nearby.put({ id, ...record });
  state.current.set(id, { ...record, id, managedBy });
  state.writes.update(id, record, managedBy);
  // A change of managedBy alone gets no serial and no history entry.
  if (isSame) return { outcome, entry: null };
  return { outcome, entry: { action: 'record.update', before, after } };
}

function remove({ state, caller, zone }: Judge, id: string): Done {
  const row = writable(state, caller, zone, id);
  insist(judgeDelete(row, state.nearby.at(row.ordername, id)));
  state.budget.take(growthBetween(row, null));
  state.nearby.drop(row);
  state.current.delete(id);
  state.writes.delete(id);
  return {
    outcome: { ok: true, action: 'delete', record: null },
    entry: { action: 'record.delete', before: recordView(row, zone), after: null },
  };
}

/** The stored record with this id, if the key may write it. @throws Refusal forbidden, not_found */
function writable({ current }: State, { actor }: Caller, zone: ZoneRow, id: string): RecordRow {
  // A key without write access must not learn which ids exist. A key that is restricted to some names may learn it.
  mustWriteRecords(actor, zone.id);
  const row = current.get(id);
  if (!row) throw refusal('no-record', {}, { field: 'id' });
  mustWriteRecord(actor, zone.id, row);
  return row;
}

/** An update must not change the name or the type of a record. @throws Refusal bad_request */
export function mustKeepPlace(record: ParsedRecord, stored: Pick<RecordRow, 'name' | 'type'>): void {
  if (record.name === stored.name && record.type === stored.type) return;
  throw refusal(
    'place-changed',
    { name: stored.name, type: stored.type },
    { field: record.name === stored.name ? 'type' : 'name' },
  );
}

/** Each member that changes the zone gets its own serial, in the order of the members. */
function judgementOf(
  members: readonly Member[],
  judged: readonly Judged[],
  { writes, newlyKept }: State,
  { zone }: JudgingData,
  { now }: Tools,
): Judgement {
  const history: RecordedChange[] = [];
  let serial: number | null = null;
  for (const [at, result] of judged.entries()) {
    if (result instanceof Refusal || result.entries.length === 0) continue;
    const current: number = serial ?? zone?.serial ?? 0;
    serial = nextSerial(current, Math.floor(now.getTime() / 1000));
    const { caller } = members[at] as Member;
    for (const { action, before, after, requestId = caller.requestId } of result.entries)
      history.push({ keyId: caller.actor.keyId, requestId, action, before, after, serial });
  }
  const outcomes = judged.map(
    (result): MemberOutcome =>
      result instanceof Refusal ? { ok: false, refusal: result } : { ok: true, answer: result.answer },
  );
  const changedNames = history.map(({ before, after }) => ((after ?? before) as { name: string }).name);
  return { outcomes, writes, history, changedNames, kept: newlyKept, serial, growth: growthOf(history) };
}

/** @returns a Refusal that was thrown. @throws any other error */
function attempt<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
