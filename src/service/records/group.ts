// Writes a group of requests for one zone. The head of writer.ts describes the three ways to do that, and their order.
import { finishInTurns } from '#dns/steps.ts';
import { confirmEarlierCommits } from '#store/confirm.ts';
import { type Db, sqlFailure, type Tx } from '#store/database.ts';
import { keepAnswer } from '#store/idempotency.ts';
import { MOST_OWNED_SETS } from '#store/records.ts';
import { commitZone } from '#store/zone-commit.ts';
import { releaseValues } from '#store/zone-values.ts';
import { lockZone, setLockTimeout, type ZoneRow } from '#store/zones.ts';
import { teamsOfActor } from '../accounts/actor.ts';
import { budgetFor, fits, UNLIMITED } from '../accounts/quota.ts';
import { isLockFailure } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { busy, type Outcome, type Turn } from '../queue.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { type ZoneIdentity, zoneIdentity } from '../zones/identity.ts';
import { type Growth, growthOf } from './growth.ts';
import { type Judgement, judgeGroup, type Member, type Tools } from './judge.ts';
import { loadJudgingData, MOST_OCTETS, memberOf, TooManyOctets, TooManySets, type Work } from './load.ts';
import { answerOf, type PartResult, partsOf, refusedPart } from './parts.ts';
import { isMore, type Places, takePlaces } from './places.ts';
import { constraintOf, newRecordId } from './write.ts';

/** A request that waits in the queue. */
export interface Request {
  caller: Caller;
  work: Work;
  isSingle: boolean;
  /** The places in the write window, if they are counted after the request was judged; null: they were counted before. */
  places: Places | null;
}

interface Group {
  context: ServiceContext;
  zoneId: string;
  zone: Pick<ZoneIdentity, 'no' | 'name'>;
  members: readonly Member[];
  /** The longest time that a member has waited, in ms. */
  waitedMs: number;
}

/**
 * The number of attempts. One fails if a request for another zone uses the same Idempotency-Key, or if the request needs more
 * places in its write window than before because the zone changed meanwhile.
 */
const ATTEMPTS = 3;

/** Places in a write window are counted in transactions of their own, so the zone must not be locked. */
class MorePlaces extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super('the requests need more places in their write windows');
    this.judgement = judgement;
  }
}

/** Returns one outcome for each request, in their order. @throws an error that affects all of them; nothing is written then */
export async function writeGroup(
  context: ServiceContext,
  zoneId: string,
  requests: readonly Turn<Request>[],
): Promise<Outcome<unknown>[]> {
  try {
    const zone = await zoneIdentity(context.db, zoneId);
    const now = context.now();
    const members: Member[] = [];
    for (const { value } of requests) members.push(await memberOf(value, value.work, zone, now));
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

/**
 * Writes one request into a zone that this transaction created, as a part of it. Nobody else can see the zone, so nobody waits.
 * @param request its places were counted before, and it has no Idempotency-Key
 * @returns the answer of the request
 * @throws Refusal; the transaction must be undone then
 */
export async function writeFirst(
  tx: Tx,
  context: ServiceContext,
  zone: ZoneIdentity,
  { work, ...request }: Request,
): Promise<unknown> {
  const members = [await memberOf(request, work, zone, context.now())];
  try {
    const group = { context, zoneId: zone.id, zone, members, waitedMs: 0 };
    const [outcome] = await writeLocked(tx, group, new Map());
    if (outcome?.kind !== 'done') throw outcome?.kind === 'failed' ? outcome.error : new Error('no outcome');
    return outcome.value;
  } catch (error) {
    if (error instanceof TooManyOctets) throw tooManyOctets();
    const constraint = constraintOf(error);
    throw constraint === null ? error : refusal('database-constraint', { constraint });
  }
}

/**
 * Judges one request as it would be judged now, and writes nothing.
 * @param request it has no Idempotency-Key
 * @throws Refusal
 */
export async function judgeOnly(context: ServiceContext, zoneId: string, { work, ...request }: Request): Promise<void> {
  const zone = await zoneIdentity(context.db, zoneId);
  const tools = toolsOf(context);
  const members = [await memberOf(request, work, zone, tools.now)];
  try {
    const loaded = await loadJudgingData(context.db, zoneId, zone ?? { no: 0, name: '.' }, members, tools.now);
    const { outcomes } = await finishInTurns(judgeGroup(members, { ...loaded, budget: () => UNLIMITED }, tools));
    const [outcome] = outcomes;
    if (outcome?.ok === false) throw outcome.refusal;
  } catch (error) {
    throw error instanceof TooManyOctets ? tooManyOctets() : error;
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
  const refused = new Map<Member, Refusal>();
  for (let attempt = 0; ; attempt += 1) {
    try {
      const isFirst = attempt === 0;
      return (
        (isFirst ? await writeAtOnce(group, refused) : null) ??
        (await inTransaction(group, (tx) => writeLocked(tx, group, refused)))
      );
    } catch (error) {
      if (error instanceof MorePlaces) {
        if (attempt + 1 >= ATTEMPTS) throw busy();
        await takePlaces(members, error.judgement, refused);
        continue;
      }
      const [only] = members;
      if (members.length > 1 || !only) throw error;
      if (error instanceof TooManySets)
        return [{ kind: 'failed', error: refusal('owner-holds-too-much', { limit: MOST_OWNED_SETS }) }];
      if (error instanceof TooManyOctets) return [{ kind: 'failed', error: tooManyOctets() }];
      if (constraintOf(error) !== null) return inTransaction(group, (tx) => writeOneByOne(tx, group));
      if (!isTokenTaken(error) || attempt + 1 === ATTEMPTS) throw error;
    }
  }
}

function tooManyOctets(): Refusal {
  return refusal('neighbours-too-large', { mebibytes: MOST_OCTETS / 2 ** 20 });
}

/** Null: nothing was written, because the zone changed meanwhile, its row is locked, or it needs a larger reservation. */
async function writeAtOnce(
  { context, zoneId, zone, members }: Group,
  refused: Map<Member, Refusal>,
): Promise<Outcome<unknown>[] | null> {
  const tools = toolsOf(context);
  const loaded = await loadJudgingData(context.db, zoneId, zone, members, tools.now);
  const data = { ...loaded, budget: () => UNLIMITED };
  let judgement = await finishInTurns(judgeGroup(members, data, tools));
  if (await takePlaces(members, judgement, refused))
    judgement = await finishInTurns(judgeGroup(members, data, tools, refused));
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await context.db.alone(() => confirmEarlierCommits(context.db));
    return answersOf(judgement);
  }
  if (!isFitting(data.zone, judgement) || judgement.writes.exchanging().length > 0) return null;
  const written = data.zone;
  const isWritten = await context.db.alone(() => write(context.db, written, judgement, tools));
  return isWritten ? answersOf(judgement) : null;
}

function hasRows({ writes, owners, kept }: Judgement): boolean {
  return !writes.isEmpty || owners.isChanged || kept.length > 0;
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
  return { now: context.now(), newId: (kind) => newRecordId(context, kind) };
}

/** Locks the zone's row. Between replicas, this lock is the queue. All waits together stay within the limit. */
function inTransaction(group: Group, work: (tx: Tx) => Promise<Outcome<unknown>[]>): Promise<Outcome<unknown>[]> {
  const { context, zoneId, members, waitedMs } = group;
  return context.db.transaction(async (tx) => {
    if (waitedMs > context.busyAfterMs / 10) await setLockTimeout(tx, context.busyAfterMs - waitedMs);
    // The statement finds only zones of these owners, so that no caller waits for the zone of somebody else.
    const teamIds = [...new Set(members.flatMap(({ caller }) => teamsOfActor(caller.actor)))];
    const userIds = [...new Set(members.flatMap(({ caller }) => caller.actor.user?.id ?? []))];
    // The first statement of the work is sent together with this one. It sees everything that was committed before the lock.
    const locked = lockZone(tx, zoneId, { teamIds, userIds });
    const [outcomes] = await Promise.all([work(tx), locked]);
    return outcomes;
  });
}

/** @throws MorePlaces */
async function writeLocked(tx: Tx, group: Group, refused: ReadonlyMap<Member, Refusal>): Promise<Outcome<unknown>[]> {
  const { context, zoneId, zone, members } = group;
  const tools = toolsOf(context);
  const data = await loadJudgingData(tx, zoneId, zone, members, tools.now);
  let judgement = await finishInTurns(judgeGroup(members, { ...data, budget: () => UNLIMITED }, tools, refused));
  if (isMore(members, judgement, refused)) throw new MorePlaces(judgement);
  if (!hasRows(judgement) || data.zone === null) {
    if (isAccepted(judgement)) await confirmEarlierCommits(tx);
    return answersOf(judgement);
  }
  if (!isFitting(data.zone, judgement)) {
    const budget = await budgetFor(tx, context, data.zone, mostOf(judgement));
    judgement = await finishInTurns(judgeGroup(members, { ...data, budget }, tools, refused));
  }
  const exchanging = judgement.writes.exchanging();
  if (exchanging.length > 0) await releaseValues(tx, exchanging);
  if (!hasRows(judgement) || (await write(tx, data.zone, judgement, tools))) return answersOf(judgement);
  throw new Error(`the zone ${zoneId} changed while its row was locked`);
}

/** @returns false if the zone changed since it was loaded; nothing is written then */
async function write(on: Db | Tx, zone: ZoneRow, judgement: Judgement, { now }: Tools): Promise<boolean> {
  const { writes, serial, history, changedNames, kept, growth } = judgement;
  const rows = {
    deleted: writes.deleted(),
    updated: writes.updated(),
    inserted: writes.inserted(),
    owners: judgement.owners.rows(),
  };
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

/** Writes the parts of one request, each with a savepoint, after a database constraint rejected a change that the rules allowed. */
async function writeOneByOne(tx: Tx, group: Group): Promise<Outcome<unknown>[]> {
  const [whole] = group.members as [Member];
  const results: PartResult[] = [];
  for (const part of partsOf(whole)) {
    const result = await writeWithSavepoint(tx, { ...group, members: [part.member] });
    if (whole.atomic) for (const each of result) refusedPart(whole, each, part.index);
    results.push(...result);
  }
  const answer = answerOf(whole, results);
  const { actor, once } = whole.caller;
  if (once) await keepAnswer(tx, { ...once, keyId: actor.keyId, answer, createdAt: group.context.now() });
  return [{ kind: 'done', value: answer }];
}

/** @param group one member that is a part of a request. @throws Refusal of the whole request */
async function writeWithSavepoint(tx: Tx, group: Group): Promise<readonly PartResult[]> {
  try {
    const [outcome] = await tx.transaction((savepoint) => writeLocked(savepoint, group, new Map()));
    if (outcome?.kind !== 'done') throw outcome?.kind === 'failed' ? outcome.error : new Error('no outcome');
    return outcome.value as PartResult[];
  } catch (error) {
    const constraint = constraintOf(error);
    if (constraint === null) throw error;
    const result = { ok: false, refusal: refusal('database-constraint', { constraint }).toData() } as const;
    return (group.members[0]?.sets ?? [null]).map(() => result);
  }
}
