// Judges the works of a group in their order, in memory: each sees the records as they are after the accepted ones
// before it. The result is data that one statement writes. The order of the checks is the same for every work: the zone
// is visible, a stored answer to a repeated request with the rights for it, the condition of the whole request, and
// then the checks of the work.
//
// A refused work must not affect the others: its edits are undone.
import type { NearbyRecords } from '#dns/rules/nearby-records.ts';
import type { Steps } from '#dns/steps.ts';
import type { KeptAnswer } from '#store/idempotency.ts';
import type { StoredOwnedSet } from '#store/owned-sets.ts';
import type { RecordRow } from '#store/records.ts';
import type { NewKeptAnswer, RecordedChange } from '#store/zone-commit.ts';
import type { KeyStanding } from '#store/zone-load.ts';
import type { ZoneRow } from '#store/zones.ts';
import { mustWriteRecords } from '../accounts/actor.ts';
import type { QuotaBudget } from '../accounts/quota.ts';
import { mustMatchRecords } from '../conditions/condition.ts';
import type { Caller } from '../context.ts';
import { Ownership } from '../owners/ownership.ts';
import { Refusal } from '../refusal.ts';
import { type Growth, sumGrowth } from './growth.ts';
import { changesAnswers, type Entry, serialAfter } from './history.ts';
import { RowWrites } from './row-writes.ts';
import { mustSeeNow } from './standing.ts';
import { type Judge, keepAnswer, rollBack, type State, storedFor, type Tools } from './state.ts';
import type { Judged, ReadyWork } from './work.ts';
import type { WriteBudget } from './write-budget.ts';

/** One request of a group. */
export interface GroupMember {
  caller: Caller;
  work: ReadyWork<unknown>;
  /** Counts the writes of the work after it was judged; null: they were counted before, or are not limited. */
  budget: WriteBudget | null;
}

/** The data that a group is judged with. */
export interface JudgingData {
  /** Null: the zone does not exist. */
  zone: ZoneRow | null;
  standings: ReadonlyMap<string, KeyStanding>;
  /** The existing records that the changes update or delete, by id. */
  stored: ReadonlyMap<string, RecordRow>;
  /** The sets of owners at the names involved. */
  sets: readonly StoredOwnedSet[];
  /** The stored answers to Idempotency-Keys, by tokenKey. */
  kept: ReadonlyMap<string, KeptAnswer>;
  /** Makes a new copy of the records that the rules look at, as they are in the database. */
  nearby(): Steps<NearbyRecords>;
  /** A new copy of the growth that the owner's quota allows to all members together. */
  budget(): QuotaBudget;
}

type MemberOutcome = { ok: true; answer: unknown } | { ok: false; refusal: Refusal };

/** The result of judging a group. */
export interface Judgement {
  outcomes: readonly MemberOutcome[];
  rows: RowWrites;
  owners: Ownership;
  /** The writes that each member counts in the window of its key. */
  writes: readonly number[];
  history: readonly RecordedChange[];
  /** The names whose answers change. */
  changedNames: readonly string[];
  kept: readonly NewKeptAnswer[];
  /** The serial of the last member that changes answers; null if none does. */
  serial: number | null;
  growth: Growth;
}

/**
 * Takes time that is linear in the records of the requests.
 * @param refusalByMember members that are refused for another reason, such as a full write window
 */
export function* judgeGroup(
  members: readonly GroupMember[],
  data: JudgingData,
  tools: Tools,
  refusalByMember: ReadonlyMap<GroupMember, Refusal> = new Map(),
): Steps<Judgement> {
  const state = initialState(data, yield* data.nearby());
  const results: (Judged<unknown> | Refusal)[] = [];
  for (const member of members) {
    const before = state.undo.length;
    const result = refusalByMember.get(member) ?? (yield* catchRefusal(() => judgeMember(state, member, data, tools)));
    if (result instanceof Refusal) rollBack(state, before);
    else if (changesAnswers(result.entries)) state.serial = serialAfter(state.serial, tools.now);
    results.push(result);
  }
  return summarize(members, results, state, data, tools);
}

function initialState(data: JudgingData, nearby: NearbyRecords): State {
  return {
    nearby,
    current: new Map(data.stored),
    comments: new Map(),
    kept: new Map(data.kept),
    budget: data.budget(),
    serial: data.zone?.serial ?? 0,
    rows: new RowWrites(),
    newlyKept: [],
    owners: new Ownership(data.sets),
    undo: [],
  };
}

/** @throws Refusal of the whole request */
function* judgeMember(
  state: State,
  { caller, work }: GroupMember,
  data: JudgingData,
  tools: Tools,
): Steps<Judged<unknown>> {
  const { actor, once, condition } = caller;
  const zone = mustSeeNow(data.zone, data.standings.get(actor.keyId), caller);
  const earlierAnswer = once && storedFor(state, actor.keyId, once);
  if (earlierAnswer) {
    work.mustRepeat(actor, zone.id, earlierAnswer.answer);
    return { answer: earlierAnswer.answer, stored: null, entries: [], writes: 0 };
  }
  if (condition) {
    mustWriteRecords(actor, zone.id);
    mustMatchRecords(caller, versionNow(state, zone));
  }
  const judge: Judge = { state, caller, zone, tools };
  const judgedWork = yield* work.judge(judge);
  if (once && judgedWork.stored) keepAnswer(state, actor.keyId, once, judgedWork.stored.answer);
  return judgedWork;
}

/**
 * The version of the zone after the requests that were accepted so far. The statement that writes them counts it in the
 * same way.
 */
function versionNow({ serial, rows, owners }: State, zone: ZoneRow): Pick<ZoneRow, 'id' | 'serial' | 'ownersVersion'> {
  const isCounted = serial === zone.serial && (!rows.isEmpty || owners.isChanged);
  return { id: zone.id, serial, ownersVersion: zone.ownersVersion + (isCounted ? 1 : 0) };
}

/**
 * Each member that changes answers gets its own serial, in the order of the members; one that changes comments keeps
 * the one before.
 */
function summarize(
  members: readonly GroupMember[],
  results: readonly (Judged<unknown> | Refusal)[],
  { rows, owners, newlyKept }: State,
  { zone }: JudgingData,
  { now }: Tools,
): Judgement {
  const history: RecordedChange[] = [];
  const servedEntries: Entry[] = [];
  let serial: number | null = null;
  for (const [at, result] of results.entries()) {
    if (result instanceof Refusal || result.entries.length === 0) continue;
    const current: number = serial ?? zone?.serial ?? 0;
    if (changesAnswers(result.entries)) serial = serialAfter(current, now);
    const { caller } = members[at] as GroupMember;
    for (const entry of result.entries) {
      history.push(recordChange(entry, caller, serial ?? current));
      if (entry.isComment !== true) servedEntries.push(entry);
    }
  }
  return {
    outcomes: results.map((result) =>
      result instanceof Refusal ? { ok: false, refusal: result } : { ok: true, answer: result.answer },
    ),
    rows,
    owners,
    // A refused request counts once, and one that writes nothing does not count.
    writes: results.map((result) => (result instanceof Refusal ? 1 : result.writes)),
    history,
    changedNames: servedEntries.map(({ before, after }) => ((after ?? before) as { name: string }).name),
    kept: newlyKept,
    serial,
    growth: sumGrowth(history),
  };
}

function recordChange(entry: Entry, caller: Caller, serial: number): RecordedChange {
  const { action, before, after, requestId = caller.requestId, owner = null, undoes = null } = entry;
  return { keyId: caller.actor.keyId, requestId, owner, action, before, after, serial, undoes };
}

/**
 * @returns a Refusal that was thrown.
 * @throws any other error
 */
export function* catchRefusal<T>(work: () => Steps<T>): Steps<T | Refusal> {
  try {
    return yield* work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
