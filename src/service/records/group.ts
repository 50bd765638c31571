// Writes a group of requests for one zone. The head of writer.ts describes the three ways to do that, and their order.
import { confirmEarlierCommits } from '#store/confirm.ts';
import { type Db, sqlFailure, type Tx } from '#store/database.ts';
import { keepAnswer } from '#store/idempotency.ts';
import { commitZone } from '#store/zone-commit.ts';
import { releaseValues } from '#store/zone-values.ts';
import { lockZone, setLockTimeout, type ZoneRow } from '#store/zones.ts';
import { teamsOfActor } from '../accounts/actor.ts';
import { budgetFor, fits, UNLIMITED } from '../accounts/quota.ts';
import { isLockFailure } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { busy, type Outcome, type Turn } from '../queue.ts';
import { Refusal, refusal } from '../refusal.ts';
import { type ZoneIdentity, zoneIdentity } from '../zones/identity.ts';
import type { Batch, BatchResult } from './change.ts';
import { type Growth, growthOf } from './growth.ts';
import { inBatch, type Judgement, judgeGroup, type Member, type Tools } from './judge.ts';
import { loadJudgingData, MOST_OCTETS, memberOf, TooManyOctets } from './load.ts';
import { constraintOf, newRecordId } from './write.ts';

/** A request that waits in the queue. */
export interface Request {
  caller: Caller;
  batch: Batch;
  isSingle: boolean;
}

interface Group {
  context: ServiceContext;
  zoneId: string;
  zone: Pick<ZoneIdentity, 'no' | 'name'>;
  members: readonly Member[];
  /** The longest time that a member has waited, in ms. */
  waitedMs: number;
}

/** The number of attempts for a single request. An attempt fails if a request for another zone uses the same Idempotency-Key. */
const ATTEMPTS = 3;

/** Returns one outcome for each request, in their order. @throws an error that affects all of them; nothing is written then */
export async function writeGroup(
  context: ServiceContext,
  zoneId: string,
  requests: readonly Turn<Request>[],
): Promise<Outcome<unknown>[]> {
  try {
    const zone = await zoneIdentity(context.db, zoneId);
    const members = requests.map(({ value: { caller, isSingle, batch } }) =>
      memberOf({ caller, isSingle, atomic: batch.atomic }, batch, zone),
    );
    const waitedMs = Math.max(...requests.map((request) => request.waitedMs()));
    const outcomes = await writeMembers({ context, zoneId, zone: zone ?? { no: 0, name: '.' }, members, waitedMs });
    context.commits?.announce();
    return outcomes;
  } catch (error) {
    if (isLockFailure(error)) return requests.map((request) => busyOrAgain(context, request));
    if (requests.length === 1 || !mayConcernOne(error)) throw error;
    const outcomes: Outcome<unknown>[] = [];
    for (const request of requests) outcomes.push(await writeAlone(context, zoneId, request));
    return outcomes;
  }
}

async function writeAlone(context: ServiceContext, zoneId: string, request: Turn<Request>): Promise<Outcome<unknown>> {
  const [settled] = await Promise.allSettled([writeGroup(context, zoneId, [request])]);
  if (settled.status === 'rejected') return { kind: 'failed', error: settled.reason };
  return settled.value[0] as Outcome<unknown>;
}

/** The outcome when the row lock was not acquired in time: `busy`, or `again` if the member has time left. */
function busyOrAgain(context: ServiceContext, { waitedMs }: Turn<Request>): Outcome<unknown> {
  return waitedMs() >= context.busyAfterMs * 0.95 ? { kind: 'failed', error: busy() } : { kind: 'again' };
}

/** Whether a single member may have caused the error, so that the other members could succeed without it. */
function mayConcernOne(error: unknown): boolean {
  return error instanceof TooManyOctets || constraintOf(error) !== null || isTokenTaken(error);
}

function isTokenTaken(error: unknown): boolean {
  return sqlFailure(error)?.constraint === 'idempotency_pkey';
}

async function writeMembers(group: Group): Promise<Outcome<unknown>[]> {
  const { members } = group;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (attempt === 0 ? await writeAtOnce(group) : null) ?? (await inTransaction(group, writeLocked));
    } catch (error) {
      const [only] = members;
      if (members.length > 1 || !only) throw error;
      if (error instanceof TooManyOctets) return [{ kind: 'failed', error: tooManyOctets() }];
      if (constraintOf(error) !== null) return inTransaction(group, writeOneByOne);
      if (!isTokenTaken(error) || attempt + 1 === ATTEMPTS) throw error;
    }
  }
}

function tooManyOctets(): Refusal {
  return refusal('neighbours-too-large', { mebibytes: MOST_OCTETS / 2 ** 20 });
}

/** Null: nothing was written, because the zone changed meanwhile, its row is locked, or it needs a larger reservation. */
async function writeAtOnce({ context, zoneId, zone, members }: Group): Promise<Outcome<unknown>[] | null> {
  const tools = toolsOf(context);
  const data = await loadJudgingData(context.db, zoneId, zone, members, tools.now);
  const judgement = judgeGroup(members, { ...data, budget: () => UNLIMITED }, tools);
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await context.db.alone(() => confirmEarlierCommits(context.db));
    return answersOf(judgement);
  }
  if (!isFitting(data.zone, judgement) || judgement.writes.exchanging().length > 0) return null;
  const { zone: loaded } = data;
  const isWritten = await context.db.alone(() => write(context.db, loaded, judgement, tools));
  return isWritten ? answersOf(judgement) : null;
}

function hasRows({ writes, kept }: Judgement): boolean {
  return !writes.isEmpty || kept.length > 0;
}

/** Whether an answer acknowledges a write: without rows, one of an earlier commit. */
function isAccepted({ outcomes }: Judgement): boolean {
  return outcomes.some(({ ok }) => ok);
}

/** Whether the changes fit into the zone's reservation. */
function isFitting(zone: ZoneRow, judgement: Judgement): boolean {
  return fits(zone, mostOf(judgement));
}

function toolsOf(context: ServiceContext): Tools {
  return { now: context.now(), newId: () => newRecordId(context) };
}

type Work = (tx: Tx, group: Group) => Promise<Outcome<unknown>[]>;

/** Locks the zone's row. Between replicas, this lock is the queue. All waits together stay within the limit. */
function inTransaction(group: Group, work: Work): Promise<Outcome<unknown>[]> {
  const { context, zoneId, members, waitedMs } = group;
  return context.db.transaction(async (tx) => {
    if (waitedMs > context.busyAfterMs / 10) await setLockTimeout(tx, context.busyAfterMs - waitedMs);
    // The statement finds only zones of these owners, so that no caller waits for the zone of somebody else.
    const teamIds = [...new Set(members.flatMap(({ caller }) => teamsOfActor(caller.actor)))];
    const userIds = [...new Set(members.flatMap(({ caller }) => caller.actor.user?.id ?? []))];
    // The first statement of the work is sent together with this one. It sees everything that was committed before the lock.
    const locked = lockZone(tx, zoneId, { teamIds, userIds });
    const [outcomes] = await Promise.all([work(tx, group), locked]);
    return outcomes;
  });
}

async function writeLocked(tx: Tx, group: Group): Promise<Outcome<unknown>[]> {
  const { context, zoneId, zone, members } = group;
  const tools = toolsOf(context);
  const data = await loadJudgingData(tx, zoneId, zone, members, tools.now);
  let judgement = judgeGroup(members, { ...data, budget: () => UNLIMITED }, tools);
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await confirmEarlierCommits(tx);
    return answersOf(judgement);
  }
  if (!isFitting(data.zone, judgement)) {
    const budget = await budgetFor(tx, context, data.zone, mostOf(judgement));
    judgement = judgeGroup(members, { ...data, budget }, tools);
  }
  const exchanging = judgement.writes.exchanging();
  if (exchanging.length > 0) await releaseValues(tx, exchanging);
  if (!hasRows(judgement) || (await write(tx, data.zone, judgement, tools))) return answersOf(judgement);
  throw new Error(`the zone ${zoneId} changed while its row was locked`);
}

/** @returns false if the zone changed since it was loaded; nothing is written then */
async function write(on: Db | Tx, zone: ZoneRow, judgement: Judgement, { now }: Tools): Promise<boolean> {
  const { writes, serial, history, changedNames, kept, growth } = judgement;
  const rows = { deleted: writes.deleted(), updated: writes.updated(), inserted: writes.inserted() };
  return commitZone(on, { zone, serial, growth, changedNames, ...rows, history, kept, now });
}

function answersOf({ outcomes }: Judgement): Outcome<unknown>[] {
  return outcomes.map((outcome) =>
    outcome.ok ? { kind: 'done', value: outcome.answer } : { kind: 'failed', error: outcome.refusal },
  );
}

/** The largest growth that the accepted changes can reach, one after the other. */
function mostOf({ history }: Judgement): Growth {
  const most = { records: 0, bytes: 0 };
  for (const entry of history) {
    const { records, bytes } = growthOf([entry]);
    most.records += Math.max(0, records);
    most.bytes += Math.max(0, bytes);
  }
  return most;
}

/** Writes the changes of one request, each with a savepoint, after a database constraint rejected a change that the rules allowed. */
async function writeOneByOne(tx: Tx, group: Group): Promise<Outcome<unknown>[]> {
  const { caller, changes, atomic, isSingle } = group.members[0] as Member;
  const results: BatchResult[] = [];
  for (const [index, change] of changes.entries()) {
    const member = { caller: { ...caller, once: null }, changes: [change], atomic: false, isSingle: false };
    const result = await writeWithSavepoint(tx, { ...group, members: [member] });
    if (!result.ok && atomic) {
      const refused = new Refusal(result.refusal);
      throw isSingle ? refused : inBatch(refused, index);
    }
    results.push(result);
  }
  const [first] = results;
  const answer = isSingle && first?.ok ? first.record : results;
  const { actor, once } = caller;
  if (once) await keepAnswer(tx, { ...once, keyId: actor.keyId, answer, createdAt: group.context.now() });
  return [{ kind: 'done', value: answer }];
}

/** @param group one member with one change, which is not atomic. @throws Refusal of the whole request */
async function writeWithSavepoint(tx: Tx, group: Group): Promise<BatchResult> {
  try {
    const [outcome] = await tx.transaction((savepoint) => writeLocked(savepoint, group));
    if (outcome?.kind !== 'done') throw outcome?.kind === 'failed' ? outcome.error : new Error('no outcome');
    return (outcome.value as [BatchResult])[0];
  } catch (error) {
    const constraint = constraintOf(error);
    if (constraint === null) throw error;
    return { ok: false, refusal: refusal('database-constraint', { constraint }).toData() };
  }
}
