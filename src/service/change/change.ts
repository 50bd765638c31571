// The one way to change the records of a zone: `changeZone`. Works that wait for the same zone in this process are
// judged in their order and committed together (group.ts); each succeeds or fails alone, and gets its own serial,
// history and answer.
import { finishInTurns } from '#dns/steps.ts';
import type { Tx } from '#store/database.ts';
import { UNLIMITED } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { prepareAliases } from '../records/alias-target.ts';
import { type ZoneIdentity, zoneIdentity } from '../zones/identity.ts';
import { createTools, type Request, readMember, tooLarge, writeGroup, writeLocked } from './group.ts';
import { judgeGroup } from './judge.ts';
import { loadJudgingData, TooManyOctets } from './load.ts';
import type { GroupWork } from './queue.ts';
import { constraintRefusal } from './row-writes.ts';
import { mustSeeIfBusy } from './standing.ts';
import type { Work } from './work.ts';
import type { WriteBudget } from './write-budget.ts';

/**
 * Makes a change when its turn comes in the queue of the zone, and returns its answer.
 * @param budget counts the writes of the work after it was judged; null: they were counted before, or are not limited
 * @throws Refusal no_zone, unauthorized, busy, bad_request (the client left), and the refusals of the work; nothing is
 * written then
 */
export async function changeZone<Answer>(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  work: Work<Answer>,
  budget: WriteBudget | null = null,
): Promise<Answer> {
  const { size, records } = work;
  await prepareAliases(context, caller.actor, zoneId, records);
  await mustSeeIfBusy(context, caller.actor, zoneId);
  const joining = { value: { caller, work, budget }, size: size.changes, bytes: size.octets, isGone: caller.isGone };
  // Each member of a group gets the answer of its own work.
  const write = ((turns) => writeGroup(context, zoneId, turns)) as GroupWork<Request, Answer>;
  return context.queue.join<Request, Answer>(zoneId, joining, write);
}

/**
 * Judges a work as it would be judged now, and writes nothing. Neither the write window nor the quota is checked.
 * @throws Refusal as changeZone
 */
export async function tryChange(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  work: Work<unknown>,
): Promise<void> {
  const zone = await zoneIdentity(context.db, zoneId);
  const tools = createTools(context);
  const members = [await readMember({ caller: { ...caller, once: null }, work, budget: null }, zone, tools.now)];
  try {
    const loadedData = await loadJudgingData(context.db, zoneId, zone ?? { no: 0, name: '.' }, members, tools.now);
    const { outcomes } = await finishInTurns(judgeGroup(members, { ...loadedData, budget: () => UNLIMITED }, tools));
    const [outcome] = outcomes;
    if (outcome?.ok === false) throw outcome.refusal;
  } catch (error) {
    throw error instanceof TooManyOctets ? tooLarge(error) : error;
  }
}

/**
 * Writes a work into a zone that this transaction created, as a part of it. No other transaction sees the zone, so it
 * does not wait. Its writes were counted before.
 * @throws Refusal; the transaction must be undone then
 */
export async function changeNewZone(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  zone: ZoneIdentity,
  work: Work<unknown>,
): Promise<void> {
  const request = { caller: { ...caller, once: null }, work, budget: null };
  const members = [await readMember(request, zone, context.now())];
  try {
    const group = { context, zoneId: zone.id, zone, members, waitedMs: 0 };
    const [outcome] = await writeLocked(tx, group, new Map());
    if (outcome?.kind === 'failed') throw outcome.error;
  } catch (error) {
    if (error instanceof TooManyOctets) throw tooLarge(error);
    throw constraintRefusal(error) ?? error;
  }
}
