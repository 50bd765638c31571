// Judges the requests of a group in their order, in memory: each change sees the records as they are after the accepted changes
// before it. The result is data that one statement writes. The order of the checks is the same for every change: rights,
// existence, condition, form, rules.
//
//     request                 a refused change                    the other changes of the request
//     single or atomic        refuses the request                 are not made
//     not atomic              has a refusal as its result         are made if they are accepted
//
// A condition of the whole request comes before its changes, and after the stored answer to a repeated request. That answer comes
// after the rights, because they may have ended.
//
// A refused request must not affect the others: the changes of an atomic request that were accepted before one was refused are
// undone.
import type { ParsedRecord } from '#dns/record.ts';
import type { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { nextSerial } from '#dns/serial.ts';
import { inOneStep, type Steps } from '#dns/steps.ts';
import type { KeptAnswer } from '#store/idempotency.ts';
import type { OwnedSet } from '#store/owned-sets.ts';
import type { RecordRow } from '#store/records.ts';
import type { NewKeptAnswer, RecordedChange } from '#store/zone-commit.ts';
import type { KeyStanding } from '#store/zone-load.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, maySee, mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { Budget } from '../accounts/quota.ts';
import { changesAnswers, type Entry, keyReused, keyRevoked, noZone } from '../change.ts';
import { mustMatchRecords } from '../conditions/condition.ts';
import type { Caller } from '../context.ts';
import { judgeSets } from '../owners/judge-sets.ts';
import { Ownership } from '../owners/ownership.ts';
import { type ReadSet, valuesOf } from '../owners/set.ts';
import { insist, Refusal } from '../refusal.ts';
import { type BatchResult, type Once, type ReadChange, recordsOf } from './change.ts';
import { createRow, type Judge, removeRow, rollBack, type State, type Tools, updateRow } from './edit.ts';
import { type Growth, growthOf } from './growth.ts';
import type { Places } from './places.ts';
import { judgeRrsets, mustTouch, type RrsetResult, type RrsetWork } from './rrsets.ts';
import { RecordWrites } from './write.ts';

export type { Tools } from './edit.ts';

/** One request of a group. */
export interface Member {
  caller: Caller;
  changes: readonly ReadChange[];
  /** The sets that an owner applies, instead of changes; null for a request with changes. */
  sets: readonly (ReadSet | Refusal)[] | null;
  /** Changes that depend on the RRsets that exist, instead of changes; null for a request with changes. */
  rrsets: RrsetWork | null;
  atomic: boolean;
  /** The places in the write window, if they are counted after the request was judged. */
  places: Places | null;
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
  /** The sets of owners at the names involved. */
  sets: readonly OwnedSet[];
  /** The stored answers to Idempotency-Keys, by keptKey. */
  kept: ReadonlyMap<string, KeptAnswer>;
  /** Makes a new copy of the records that the rules look at, as they are in the database. */
  nearby(): Steps<NearbyRecords>;
  /** A new copy of the growth that the owner's quota allows to all members together. */
  budget(): Budget;
}

/** The answer to a member, as plain JSON: a record, null, a BatchResult[], a SetResult[] or one RrsetResult in an array. */
type MemberOutcome = { ok: true; answer: unknown } | { ok: false; refusal: Refusal };

/** The result of judging a group. */
export interface Judgement {
  outcomes: readonly MemberOutcome[];
  writes: RecordWrites;
  owners: Ownership;
  /** For each member, its sets that write something or are refused, or its RRsets that change; 0 for a request with changes. */
  places: readonly number[];
  history: readonly RecordedChange[];
  /** The names whose answers change. */
  changedNames: readonly string[];
  kept: readonly NewKeptAnswer[];
  /** The serial of the last member that changes answers; null if none does. */
  serial: number | null;
  growth: Growth;
}

export function keptKey(keyId: string, token: string): string {
  return `${keyId} ${token}`;
}

/** Takes time that is linear in the records of the requests. @param refused the members that are refused for another reason. (Default: none.) */
export function* judgeGroup(
  members: readonly Member[],
  data: JudgingData,
  tools: Tools,
  refused: ReadonlyMap<Member, Refusal> = new Map(),
): Steps<Judgement> {
  const state = initialState(data, yield* data.nearby());
  const judged: (Judged | Refusal)[] = [];
  for (const member of members) {
    const before = state.undo.length;
    const result = refused.get(member) ?? (yield* attempt(() => judgeMember(state, member, data, tools)));
    if (result instanceof Refusal) rollBack(state, before);
    else if (changesAnswers(result.entries)) state.serial = serialAfter(state, tools);
    judged.push(result);
  }
  return judgementOf(members, judged, state, data, tools);
}

function initialState(data: JudgingData, nearby: NearbyRecords): State {
  return {
    nearby,
    current: new Map(data.stored),
    comments: new Map(),
    kept: new Map(data.kept),
    budget: data.budget(),
    serial: data.zone?.serial ?? 0,
    writes: new RecordWrites(),
    newlyKept: [],
    owners: new Ownership(data.sets),
    undo: [],
  };
}

interface Judged {
  answer: unknown;
  entries: readonly Entry[];
  places: number;
}

interface Done {
  outcome: Extract<BatchResult, { ok: true }> | Refusal;
  /** Null when the zone does not change. */
  entry: Entry | null;
}

/** @throws Refusal of the whole request */
function* judgeMember(state: State, member: Member, data: JudgingData, tools: Tools): Steps<Judged> {
  const { caller, changes, sets, rrsets, atomic, isSingle } = member;
  const zone = visibleZone(data, caller);
  const kept = caller.once && state.kept.get(keptKey(caller.actor.keyId, caller.once.token));
  if (kept) {
    const answer = answerOf(kept, caller.once as Once);
    mustRepeat(caller.actor, zone.id, member, answer);
    return { answer, entries: [], places: 0 };
  }
  if (caller.condition) {
    mustWriteRecords(caller.actor, zone.id);
    mustMatchRecords(caller, versionNow(state, zone));
  }
  // The NS records of a new delegation are judged one by one, and the addresses of all its name servers may exist already.
  state.nearby.announce(rrsets?.candidates ?? (sets === null ? createdBy(changes) : valuesOf(sets)));
  const judge = { state, caller, zone, tools };
  if (sets !== null) {
    const before = state.undo.length;
    const { results, entries, places } = yield* judgeSets(judge, sets, atomic);
    if (state.undo.length > before) keep(state, caller, results);
    return { answer: results, entries, places };
  }
  if (rrsets !== null) {
    const { answer, entries, changed, owned, places } = yield* judgeRrsets(judge, rrsets);
    const before = state.serial;
    const serials = { before, after: changesAnswers(entries) ? serialAfter(state, tools) : before };
    const result: RrsetResult<unknown> = { ok: true, answer, serials, changed };
    // Also one that changed nothing: an update that is sent again by somebody else must not take effect later.
    keep(state, caller, [result]);
    return { answer: [rrsets.namesOwners === true ? { ...result, owned } : result], entries, places };
  }
  const done: Done[] = [];
  for (const [index, change] of changes.entries()) {
    const result = yield* attempt(() => inOneStep(() => judgeChange(judge, change)));
    if (result instanceof Refusal && atomic) throw isSingle ? result : inBatch(result, index);
    done.push(result instanceof Refusal ? { outcome: result, entry: null } : result);
  }
  const results = done.map(({ outcome }) => resultOf(outcome));
  const [first] = results;
  const answer = isSingle && first?.ok ? first.record : results;
  const entries = done.flatMap(({ entry }) => entry ?? []);
  if (entries.length > 0) keep(state, caller, answer);
  return { answer, entries, places: 0 };
}

function serialAfter({ serial }: State, { now }: Tools): number {
  return nextSerial(serial, Math.floor(now.getTime() / 1000));
}

/** The version of the zone after the requests that were accepted so far. The statement that writes them counts it in the same way. */
function versionNow(
  { serial, writes, owners }: State,
  zone: ZoneRow,
): Pick<ZoneRow, 'id' | 'serial' | 'ownersVersion'> {
  const isCounted = serial === zone.serial && (!writes.isEmpty || owners.isChanged);
  return { id: zone.id, serial, ownersVersion: zone.ownersVersion + (isCounted ? 1 : 0) };
}

function createdBy(changes: readonly ReadChange[]): ParsedRecord[] {
  return recordsOf(changes.filter((change) => !(change instanceof Refusal) && change.action === 'create'));
}

function resultOf(outcome: Done['outcome']): BatchResult {
  return outcome instanceof Refusal ? { ok: false, refusal: outcome.toData() } : outcome;
}

/** @throws Refusal unauthorized, no_zone */
function visibleZone({ zone, standings }: JudgingData, { actor, isService = false }: Caller): ZoneRow {
  const standing = isService ? { valid: true, member: true } : standings.get(actor.keyId);
  if (!standing?.valid) throw keyRevoked();
  if (!zone || !standing.member || !maySee(actor, zone)) throw noZone();
  return zone;
}

/** Adds the index of the change to the refusal of an atomic request: `changes.3.content: …`. */
export function inBatch(refused: Refusal, index: number): Refusal {
  return refused.within(`changes.${index}`);
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
      return remove(judge, change);
  }
}

function createOnce(judge: Judge, change: Written<'create'>, once: Once): Done {
  const { actor } = judge.caller;
  const kept = judge.state.kept.get(keptKey(actor.keyId, once.token));
  if (kept) {
    mustWriteRecords(actor, judge.zone.id);
    mustWriteRecord(actor, judge.zone.id, insist(change.record));
    const record = answerOf(kept, once) as Extract<BatchResult, { ok: true }>['record'];
    return { outcome: { ok: true, action: 'create', record }, entry: null };
  }
  const done = create(judge, change);
  if (!(done.outcome instanceof Refusal)) keep(judge.state, { actor, once }, done.outcome.record);
  return done;
}

/** @throws Refusal conflict if the Idempotency-Key was used for another request */
function answerOf(kept: KeptAnswer, once: Once): unknown {
  if (Buffer.compare(kept.requestHash, once.requestHash) !== 0) throw keyReused();
  return kept.answer;
}

/**
 * Checks the rights that a repeated request needs now: they may have ended since its first answer, which shows the records of the
 * changes that were accepted.
 * @throws Refusal forbidden
 */
function mustRepeat(actor: Actor, zoneId: string, { changes, sets, rrsets, isSingle }: Member, answer: unknown): void {
  mustTouch(actor, zoneId, rrsets?.touches ?? []);
  const isAccepted = (index: number) => isSingle || (answer as readonly { ok: boolean }[])[index]?.ok === true;
  for (const [index, change] of changes.entries())
    if (isAccepted(index)) for (const record of recordsOf([change])) mustWriteRecord(actor, zoneId, record);
  for (const [index, set] of (sets ?? []).entries())
    if (isAccepted(index) && 'kind' in set && 'name' in set) mustWriteRecord(actor, zoneId, set);
}

/**
 * Keeps the answer for the token of the request, unless the token has an answer already. The answer to changes or sets that wrote
 * nothing is not kept: the same request may be judged again.
 */
function keep(state: State, { actor: { keyId }, once }: Pick<Caller, 'actor' | 'once'>, answer: unknown): void {
  if (once === null) return;
  const { token, requestHash } = once;
  const key = keptKey(keyId, token);
  if (state.kept.has(key)) return;
  state.kept.set(key, { requestHash, answer });
  state.newlyKept.push({ keyId, token, requestHash, answer });
  state.undo.push(() => {
    state.kept.delete(key);
    state.newlyKept.pop();
  });
}

function create(judge: Judge, { record }: Written<'create'>): Done {
  const { view, entry } = createRow(judge, record);
  return { outcome: { ok: true, action: 'create', record: view }, entry };
}

function update(judge: Judge, { id, record, condition }: Written<'update'>): Done {
  const { view, entry } = updateRow(judge, id, record, condition);
  return { outcome: { ok: true, action: 'update', record: view }, entry };
}

function remove(judge: Judge, { id, condition }: Written<'delete'>): Done {
  const { entry } = removeRow(judge, id, condition);
  return { outcome: { ok: true, action: 'delete', record: null }, entry };
}

/** Each member that changes answers gets its own serial, in the order of the members; one that changes comments keeps the one before. */
function judgementOf(
  members: readonly Member[],
  judged: readonly (Judged | Refusal)[],
  { writes, owners, newlyKept }: State,
  { zone }: JudgingData,
  { now }: Tools,
): Judgement {
  const history: RecordedChange[] = [];
  const changed: Entry[] = [];
  let serial: number | null = null;
  for (const [at, result] of judged.entries()) {
    if (result instanceof Refusal || result.entries.length === 0) continue;
    const current: number = serial ?? zone?.serial ?? 0;
    const isServed = changesAnswers(result.entries);
    if (isServed) serial = nextSerial(current, Math.floor(now.getTime() / 1000));
    const { caller } = members[at] as Member;
    for (const { requestId = caller.requestId, owner = null, undoes = null, ...entry } of result.entries) {
      const { action, before, after } = entry;
      const told = { action, before, after, serial: serial ?? current, undoes };
      history.push({ keyId: caller.actor.keyId, requestId, owner, ...told });
    }
    if (isServed) for (const entry of result.entries) if (entry.isComment !== true) changed.push(entry);
  }
  const outcomes = judged.map(
    (result): MemberOutcome =>
      result instanceof Refusal ? { ok: false, refusal: result } : { ok: true, answer: result.answer },
  );
  const changedNames = changed.map(({ before, after }) => ((after ?? before) as { name: string }).name);
  // A refused request counts once, and one that writes nothing does not count.
  const places = judged.map((result) => (result instanceof Refusal ? 1 : result.places));
  return {
    outcomes,
    writes,
    owners,
    places,
    history,
    changedNames,
    kept: newlyKept,
    serial,
    growth: growthOf(history),
  };
}

/** @returns a Refusal that was thrown. @throws any other error */
function* attempt<T>(work: () => Steps<T>): Steps<T | Refusal> {
  try {
    return yield* work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
