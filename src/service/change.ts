// Changes of a zone run in one transaction: lock the zone's row, run the operation, then write the serial, the history and the
// answer for an Idempotency-Key. The cost does not depend on the size of the zone. Changes of records have a faster way
// (records/writer.ts).
import { settleAll } from '#base/settle-all.ts';
import { nextSerial } from '#dns/serial.ts';
import { type Action, insertChanges } from '#store/changes.ts';
import { confirmEarlierCommits } from '#store/confirm.ts';
import { type Db, sqlFailure, type Tx } from '#store/database.ts';
import { type KeptAnswer, keepAnswer, keptAnswer, lockToken } from '#store/idempotency.ts';
import { keyStanding } from '#store/keys.ts';
import type { ZoneWrite } from '#store/zone-values.ts';
import { lockZone, setLockTimeout, touchZone, writeZoneComment, type ZoneRow, type ZoneState } from '#store/zones.ts';
import { type Actor, maySee, teamsOfActor } from './accounts/actor.ts';
import { mustHaveRoom } from './accounts/quota.ts';
import type { Caller, ServiceContext } from './context.ts';
import { busy } from './queue.ts';
import { type Growth, growthOf } from './records/growth.ts';
import { type Refusal, refusal } from './refusal.ts';
import { zoneIdentity } from './zones/identity.ts';

export interface Entry {
  action: Action;
  before: unknown;
  after: unknown;
  /** (Default: the caller's.) */
  requestId?: string;
  /** The owner that applied or released the record. (Default: none.) */
  owner?: string;
  /** Whether answers stay as they are, and with them the serial: only a comment changes. (Default: they change.) */
  isComment?: boolean;
  /** The ids of the changes that this one undoes. (Default: none.) */
  undoes?: readonly number[];
}

/** Whether a change of the zone needs a new serial. */
export function changesAnswers(entries: readonly Entry[]): boolean {
  return entries.some(({ isComment = false }) => !isComment);
}

export interface Outcome<T> {
  /** Makes the answer from the zone as it is after the change. */
  answer: (zone: ZoneRow) => T;
  /** The history entries, which share one serial. Null or empty: nothing was changed, and the serial stays, as after a change of comments. */
  change: (Entry & { zone?: { state?: ZoneState; defaultTtl?: number; comment?: string | null } }) | Entry[] | null;
  /** Writes many records at `names` together with their history; `growth` is the growth of the zone by them. (Default: none.) */
  bulk?: { write: (to: ZoneWrite) => Promise<void>; growth: Growth; names: readonly string[] };
}

export function noZone(): Refusal {
  return refusal('no-zone');
}

/**
 * Runs one change of one zone.
 * @throws Refusal no_zone, busy, forbidden (the quota of the zone's owner), and the refusals of `operation`; nothing is written
 * then
 */
export async function changeZone<T>(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  operation: (tx: Tx, zone: ZoneRow) => Promise<Outcome<T>>,
): Promise<T> {
  await mustSeeIfBusy(context, caller.actor, zoneId);
  const work = async (tx: Tx) => {
    const zone = await lockZoneFor(tx, context, caller, zoneId);
    return writeOutcome(tx, context, caller, zone, await operation(tx, zone));
  };
  return inTurn(context, caller, [zoneId], work, {
    mustRepeat: (tx) => lockZoneFor(tx, context, caller, zoneId),
  });
}

/**
 * Writes the outcome of an operation on a zone whose row the transaction has locked or inserted.
 * @throws Refusal forbidden (the quota of the zone's owner); the errors of `bulk.write`
 */
export async function writeOutcome<T>(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  zone: ZoneRow,
  { answer, change, bulk }: Outcome<T>,
): Promise<T> {
  const entries = Array.isArray(change) ? change : change ? [change] : [];
  if (entries.length === 0 && !bulk) return answer(zone);
  const growth = bulk ? bulk.growth : growthOf(entries);
  await mustHaveRoom(tx, context, zone, growth);
  const { comment, ...set } = (Array.isArray(change) ? null : change?.zone) ?? {};
  const isServed = bulk !== undefined || changesAnswers(entries);
  const now = context.now();
  const serial = isServed ? nextSerial(zone.serial, Math.floor(now.getTime() / 1000)) : zone.serial;
  if (bulk) await bulk.write({ zone, history: { ...historyOf(zone, caller), serial }, at: now });
  const rows = entries.map(({ action, before, after, requestId = caller.requestId }) => ({
    ...historyOf(zone, caller),
    requestId,
    action,
    before,
    after,
    serial,
  }));
  // The state and the default TTL concern every name.
  const changedNames = bulk && entries.length === 0 ? bulk.names : null;
  const commented = comment === undefined ? null : writeZoneComment(tx, zone.id, comment, now);
  const touched = isServed ? touchZone(tx, zone.id, { ...set, serial, growth, changedNames }, now) : null;
  // If the first statement fails, those after it fail only as a consequence.
  const told = rows.length === 0 ? null : insertChanges(tx, rows);
  await settleAll<unknown>([commented, touched, told].flatMap((each) => each ?? []));
  return answer((await (touched ?? commented)) ?? zone);
}

/**
 * Refuses a key that may not see the zone before the request waits: the wait, or `busy`, would reveal that the zone exists.
 * @throws Refusal no_zone
 */
export async function mustSeeIfBusy(context: ServiceContext, actor: Actor, zoneId: string): Promise<void> {
  if (!context.queue.isBusy(zoneId)) return;
  const zone = await zoneIdentity(context.db, zoneId);
  if (!zone || !maySee(actor, zone)) throw noZone();
}

/**
 * Runs one transaction when its turn comes in the queues of these zones, parents first. `work` locks the rows.
 * @param waiting.before runs when the request has its turn, before it uses a connection. (Default: nothing runs.)
 * @param waiting.mustRepeat as of once
 * @throws as once, and busy; the errors of `before`
 */
export async function inTurn<T>(
  context: ServiceContext,
  caller: Caller,
  zoneIds: string[],
  work: (tx: Tx) => Promise<T>,
  waiting: { waitedMs?: number; before?: (() => Promise<void>) | undefined; mustRepeat?: MustRepeat } = {},
): Promise<T> {
  const { waitedMs = 0, before, mustRepeat } = waiting;
  const [zoneId, ...others] = zoneIds;
  if (zoneId !== undefined) {
    const next = (ms: number) => inTurn(context, caller, others, work, { ...waiting, waitedMs: waitedMs + ms });
    return context.queue.run(zoneId, next);
  }
  await before?.();
  const limited = async (tx: Tx) => {
    // Between replicas the row lock is the queue. All waits together must stay within the limit.
    if (waitedMs > context.busyAfterMs / 10) await setLockTimeout(tx, context.busyAfterMs - waitedMs);
    return work(tx);
  };
  return once(context, caller, limited, mustRepeat);
}

/**
 * Locks the zone's row until the transaction ends, and checks the caller again: the key may have been revoked, or the member
 * removed, while the change waited for the zone. Both statements are sent in one round trip.
 * @throws Refusal no_zone, unauthorized
 */
export async function lockZoneFor(tx: Tx, context: ServiceContext, caller: Caller, zoneId: string): Promise<ZoneRow> {
  const { user } = caller.actor;
  const owners = { teamIds: teamsOfActor(caller.actor), userIds: user === null ? [] : [user.id] };
  const [zone, standing] = await Promise.all([
    lockZone(tx, zoneId, owners),
    keyStanding(tx, caller.actor.keyId, { zoneId }, context.now()),
  ]);
  if (!standing.valid) throw keyRevoked();
  if (!zone || !standing.member || !maySee(caller.actor, zone)) throw noZone();
  return zone;
}

/** The refusal of a key that was valid when the request arrived and is no longer valid. */
export function keyRevoked(): Refusal {
  return refusal('key-revoked');
}

export function historyOf(zone: ZoneRow, caller: Caller) {
  return {
    zoneId: zone.id,
    zoneName: zone.name,
    teamId: zone.teamId,
    userId: zone.userId,
    keyId: caller.actor.keyId,
    requestId: caller.requestId,
  };
}

/** The rights that a repeated request needs to get the stored answer: they may have ended since. @throws Refusal */
type MustRepeat = (tx: Tx) => Promise<unknown>;

/**
 * Runs one transaction. With an Idempotency-Key it runs at most once: a repeated request gets the answer of the first one.
 * @param mustRepeat (Default: the rights were checked before.)
 * @throws Refusal busy if a lock was not acquired in time; conflict if the Idempotency-Key was used for another request
 */
export async function once<T>(
  context: ServiceContext,
  caller: Caller,
  work: (tx: Tx) => Promise<T>,
  mustRepeat?: MustRepeat,
): Promise<T> {
  try {
    const done = await context.db.transaction((tx) => withAnswerKept(tx, context, caller, work, mustRepeat));
    context.commits?.announce();
    return 'answer' in done ? done.answer : ((await confirmKept(context, caller)) as T);
  } catch (error) {
    if (isLockFailure(error)) throw busy();
    // A change of records used the token at the same time.
    if (sqlFailure(error)?.constraint === 'idempotency_pkey') throw keyReused();
    throw error;
  }
}

export function keyReused(): Refusal {
  return refusal('token-reused');
}

const LOCK_FAILURES: ReadonlySet<string> = new Set(['55P03', '40P01']);

/** Whether a lock was not acquired in time, or there was a deadlock. Nothing was written, and a retry can succeed. */
export function isLockFailure(error: unknown): boolean {
  return LOCK_FAILURES.has(sqlFailure(error)?.code ?? '');
}

async function withAnswerKept<T>(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  work: (tx: Tx) => Promise<T>,
  mustRepeat?: MustRepeat,
): Promise<{ answer: T } | { isKept: true }> {
  if (!caller.once) return { answer: await work(tx) };
  const { token, requestHash } = caller.once;
  await lockToken(tx, caller.actor.keyId, token);
  if (await answerKept(tx, caller)) {
    await mustRepeat?.(tx);
    return { isKept: true };
  }
  const answer = await work(tx);
  await keepAnswer(tx, { keyId: caller.actor.keyId, token, requestHash, answer, createdAt: context.now() });
  return { answer };
}

/**
 * The answer to a repetition, from a transaction of its own. With the lock on the token, each repetition would wait until the log
 * of the one before it is written, and on a busy disk some would be refused as `busy`.
 */
function confirmKept(context: ServiceContext, caller: Caller): Promise<unknown> {
  return context.db.transaction(async (tx) => {
    const kept = await answerKept(tx, caller);
    // The database failed over to a server without the answer.
    if (!kept) throw busy();
    await confirmEarlierCommits(tx);
    return kept.answer;
  });
}

/**
 * The answer to a repetition, for operations that would wait before they find it; null: the request is no repetition.
 * @throws Refusal conflict if the token was used for another request; busy
 */
export async function repeatedAnswer<T>(context: ServiceContext, caller: Caller): Promise<T | null> {
  if ((await answerKept(context.db, caller)) === null) return null;
  return (await confirmKept(context, caller)) as T;
}

/** Null: the token is new, or the request has none. @throws Refusal conflict if the token was used for another request */
export async function answerKept(db: Db | Tx, { actor, once: asked }: Caller): Promise<KeptAnswer | null> {
  const kept = asked && (await keptAnswer(db, actor.keyId, asked.token));
  if (kept && Buffer.compare(kept.requestHash, asked.requestHash) !== 0) throw keyReused();
  return kept;
}
