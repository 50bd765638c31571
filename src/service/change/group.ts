// Writes a group of works for one zone.
//
//     at once  Load everything with one statement → judge → write with one statement. The last one writes nothing if
//              the zone changed in between or if another transaction holds its row lock.
//     locked   If that fails, in a transaction: wait for the row lock → load → judge → write. If the changes do not fit
//              into the zone's reservation, this way reserves more of the quota.
//     alone    If a database constraint rejects a change that the rules allowed, or if the group is too large to load:
//              each member gets a transaction of its own, and each part of a work a savepoint, so that only the
//              rejected part fails.
import { finishInTurns } from '#dns/steps.ts';
import { confirmEarlierCommits } from '#store/confirm.ts';
import type { Db, Tx } from '#store/database.ts';
import { insertAnswer } from '#store/idempotency.ts';
import { MAX_OWNED_SETS } from '#store/records.ts';
import { commitZone } from '#store/zone-commit.ts';
import { releaseValues } from '#store/zone-values.ts';
import { lockZone, type ZoneRow } from '#store/zones.ts';
import { teamsOfActor } from '../accounts/actor.ts';
import { budgetFor, fits, UNLIMITED } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { type ZoneIdentity, zoneIdentity } from '../zones/identity.ts';
import { countJudged, isMore } from './count-judged.ts';
import { largestGrowth } from './growth.ts';
import { type GroupMember, type Judgement, judgeGroup } from './judge.ts';
import { loadJudgingData, MAX_OCTETS, TooManyOctets, TooManySets } from './load.ts';
import { limitLockWait } from './locked.ts';
import { isLockFailure, isTokenTaken } from './once.ts';
import { busy, type Outcome, type Turn } from './queue.ts';
import { constraintRefusal, findConstraint, newRecordId } from './row-writes.ts';
import { noZone } from './standing.ts';
import type { Tools } from './state.ts';
import { NEEDS_NOTHING, type ReadyWork, type Work } from './work.ts';
import type { WriteBudget } from './write-budget.ts';

/** A work that waits in the queue, with its caller. */
export interface Request {
  caller: Caller;
  work: Work<unknown>;
  budget: WriteBudget | null;
}

export interface Group {
  context: ServiceContext;
  zoneId: string;
  zone: Pick<ZoneIdentity, 'no' | 'name'>;
  members: readonly GroupMember[];
  /** The longest time that a member has waited, in ms. */
  waitedMs: number;
}

/**
 * The number of attempts. One fails if a request for another zone uses the same Idempotency-Key, or if a work is more
 * writes than before because the zone changed meanwhile.
 */
const ATTEMPTS = 3;

/** Writes are counted in transactions of their own, so the zone must not be locked. */
class MoreWrites extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super('the requests must count more writes in their windows');
    this.judgement = judgement;
  }
}

/**
 * Returns one outcome for each request, in their order.
 * @throws an error that affects all of them; nothing is written then
 */
export async function writeGroup(
  context: ServiceContext,
  zoneId: string,
  turns: readonly Turn<Request>[],
): Promise<Outcome<unknown>[]> {
  try {
    const zone = await zoneIdentity(context.db, zoneId);
    const now = context.now();
    const members: GroupMember[] = [];
    for (const { value } of turns) members.push(await readMember(value, zone, now));
    const waitedMs = Math.max(...turns.map((turn) => turn.waitedMs()));
    const outcomes = await writeMembers({ context, zoneId, zone: zone ?? { no: 0, name: '.' }, members, waitedMs });
    context.commits?.announce();
    return outcomes;
  } catch (error) {
    if (isLockFailure(error)) return turns.map((turn) => busyOrAgain(context, turn));
    if (turns.length === 1 || !mayConcernOne(error)) throw error;
    const outcomes: Outcome<unknown>[] = [];
    for (const turn of turns) outcomes.push(await writeAlone(context, zoneId, turn));
    return outcomes;
  }
}

/** The work of a zone that does not exist: judging finds that before it asks the work. */
const NOWHERE: ReadyWork<unknown> = {
  needs: NEEDS_NOTHING,
  judge: () => {
    throw noZone();
  },
  mustRepeat: () => {
    throw noZone();
  },
  writeParts: () => Promise.reject(noZone()),
};

/** Parses the records of a request. @param zone null: it does not exist */
export async function readMember(
  { caller, work, budget }: Request,
  zone: Pick<ZoneIdentity, 'name'> | null,
  now: Date,
): Promise<GroupMember> {
  return { caller, budget, work: zone === null ? NOWHERE : await finishInTurns(work.read(zone.name, now)) };
}

async function writeAlone(context: ServiceContext, zoneId: string, turn: Turn<Request>): Promise<Outcome<unknown>> {
  const [settlement] = await Promise.allSettled([writeGroup(context, zoneId, [turn])]);
  if (settlement.status === 'rejected') return { kind: 'failed', error: settlement.reason };
  return settlement.value[0] as Outcome<unknown>;
}

/** The outcome when the row lock was not acquired in time: `busy`, or `again` if the member has time left. */
function busyOrAgain(context: ServiceContext, { waitedMs }: Turn<Request>): Outcome<unknown> {
  return waitedMs() >= context.busyAfterMs * 0.95 ? { kind: 'failed', error: busy() } : { kind: 'again' };
}

/** Whether a single member may have caused the error, so that the other members could succeed without it. */
function mayConcernOne(error: unknown): boolean {
  return error instanceof TooManyOctets || findConstraint(error) !== null || isTokenTaken(error);
}

async function writeMembers(group: Group): Promise<Outcome<unknown>[]> {
  const { members } = group;
  const refusalByMember = new Map<GroupMember, Refusal>();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (
        (attempt === 0 ? await writeAtOnce(group, refusalByMember) : null) ??
        (await inTransaction(group, (tx) => writeLocked(tx, group, refusalByMember)))
      );
    } catch (error) {
      if (error instanceof MoreWrites) {
        if (attempt + 1 >= ATTEMPTS) throw busy();
        await countJudged(members, error.judgement, refusalByMember);
        continue;
      }
      const [only] = members;
      if (members.length > 1 || !only) throw error;
      if (error instanceof TooManyOctets) return [{ kind: 'failed', error: tooLarge(error) }];
      if (findConstraint(error) !== null) return inTransaction(group, (tx) => writeParts(tx, group, only));
      if (!isTokenTaken(error) || attempt + 1 === ATTEMPTS) throw error;
    }
  }
}

/** The refusal of a work that is too large to be judged in memory. */
export function tooLarge(error: TooManyOctets): Refusal {
  if (error instanceof TooManySets) return refusal('owner-holds-too-much', { limit: MAX_OWNED_SETS });
  return refusal('neighbours-too-large', { mebibytes: MAX_OCTETS / 2 ** 20 });
}

/**
 * Null: nothing was written, because the zone changed meanwhile, its row is locked, or it needs a larger reservation.
 */
async function writeAtOnce(
  { context, zoneId, zone, members }: Group,
  refusalByMember: Map<GroupMember, Refusal>,
): Promise<Outcome<unknown>[] | null> {
  const tools = createTools(context);
  const loadedData = await loadJudgingData(context.db, zoneId, zone, members, tools.now);
  const data = { ...loadedData, budget: () => UNLIMITED };
  let judgement = await finishInTurns(judgeGroup(members, data, tools));
  if (await countJudged(members, judgement, refusalByMember))
    judgement = await finishInTurns(judgeGroup(members, data, tools, refusalByMember));
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await context.db.alone(() => confirmEarlierCommits(context.db));
    return toOutcomes(judgement);
  }
  if (!fits(data.zone, largestGrowth(judgement.history)) || judgement.rows.exchanging().length > 0) return null;
  const zoneRow = data.zone;
  const isWritten = await context.db.alone(() => commit(context.db, zoneRow, judgement, tools));
  return isWritten ? toOutcomes(judgement) : null;
}

function hasRows({ rows, owners, kept }: Judgement): boolean {
  return !rows.isEmpty || owners.isChanged || kept.length > 0;
}

/** Whether an answer acknowledges a write: without rows, one of an earlier commit. */
function isAccepted({ outcomes }: Judgement): boolean {
  return outcomes.some(({ ok }) => ok);
}

export function createTools(context: ServiceContext): Tools {
  return { now: context.now(), newId: (kind) => newRecordId(context, kind) };
}

/** Locks the zone's row. */
function inTransaction(group: Group, work: (tx: Tx) => Promise<Outcome<unknown>[]>): Promise<Outcome<unknown>[]> {
  const { context, zoneId, members, waitedMs } = group;
  return context.db.transaction(async (tx) => {
    await limitLockWait(tx, context, waitedMs);
    // The statement finds only zones of these owners, so that no caller waits for the zone of another team.
    const teamIds = [...new Set(members.flatMap(({ caller }) => teamsOfActor(caller.actor)))];
    const userIds = [...new Set(members.flatMap(({ caller }) => caller.actor.user?.id ?? []))];
    // The first statement of the work is sent together with this one. It sees everything that was committed before the
    // lock.
    const pendingLock = lockZone(tx, zoneId, { teamIds, userIds });
    const [outcomes] = await Promise.all([work(tx), pendingLock]);
    return outcomes;
  });
}

/**
 * Judges and writes a group whose zone the transaction has locked.
 * @throws MoreWrites
 */
export async function writeLocked(
  tx: Tx,
  group: Group,
  refusalByMember: ReadonlyMap<GroupMember, Refusal>,
): Promise<Outcome<unknown>[]> {
  const { context, zoneId, zone, members } = group;
  const tools = createTools(context);
  const data = await loadJudgingData(tx, zoneId, zone, members, tools.now);
  let judgement = await finishInTurns(
    judgeGroup(members, { ...data, budget: () => UNLIMITED }, tools, refusalByMember),
  );
  if (isMore(members, judgement, refusalByMember)) throw new MoreWrites(judgement);
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await confirmEarlierCommits(tx);
    return toOutcomes(judgement);
  }
  const growth = largestGrowth(judgement.history);
  if (!fits(data.zone, growth)) {
    const budget = await budgetFor(tx, context, data.zone, growth);
    judgement = await finishInTurns(judgeGroup(members, { ...data, budget }, tools, refusalByMember));
  }
  const exchanging = judgement.rows.exchanging();
  if (exchanging.length > 0) await releaseValues(tx, exchanging);
  if (!hasRows(judgement) || (await commit(tx, data.zone, judgement, tools))) return toOutcomes(judgement);
  throw new Error(`the zone ${zoneId} changed while its row was locked`);
}

/** @returns false if the zone changed since it was loaded; nothing is written then */
function commit(on: Db | Tx, zone: ZoneRow, judgement: Judgement, { now }: Tools): Promise<boolean> {
  const { rows, owners, serial, history, changedNames, kept, growth } = judgement;
  const writtenRows = {
    deleted: rows.deleted(),
    updated: rows.updated(),
    inserted: rows.inserted(),
    owners: owners.rows(),
  };
  return commitZone(on, { zone, serial, growth, changedNames, ...writtenRows, history, kept, now });
}

function toOutcomes({ outcomes }: Judgement): Outcome<unknown>[] {
  return outcomes.map((outcome) =>
    outcome.ok ? { kind: 'done', value: outcome.answer } : { kind: 'failed', error: outcome.refusal },
  );
}

/** Writes the parts of one work, each with a savepoint. */
async function writeParts(tx: Tx, group: Group, { caller, work }: GroupMember): Promise<Outcome<unknown>[]> {
  const { actor, once } = caller;
  // The condition of the whole request is judged with its first part: the transaction holds the lock until the last
  // one.
  let condition = caller.condition ?? null;
  const answer = await work.writeParts(<Part>(part: ReadyWork<Part>) => {
    const member = { caller: { ...caller, once: null, condition }, work: part, budget: null };
    condition = null;
    return writeWithSavepoint<Part>(tx, { ...group, members: [member] });
  });
  if (once) await insertAnswer(tx, { ...once, keyId: actor.keyId, answer, createdAt: group.context.now() });
  return [{ kind: 'done', value: answer }];
}

/**
 * @param group has one member, a part of a work.
 * @throws Refusal of the whole work
 */
async function writeWithSavepoint<Part>(tx: Tx, group: Group): Promise<Part | Refusal> {
  try {
    const [outcome] = await tx.transaction((savepoint) => writeLocked(savepoint, group, new Map()));
    if (outcome?.kind !== 'done') throw outcome?.kind === 'failed' ? outcome.error : new Error('no outcome');
    return outcome.value as Part;
  } catch (error) {
    const rowRefusal = constraintRefusal(error);
    if (rowRefusal === null) throw error;
    return rowRefusal;
  }
}
