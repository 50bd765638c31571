// The one way to change a zone: lock its row, let the operation decide and write, then serial, history and kept answer,
// all in one transaction. Its cost does not grow with the zone.
import { nextSerial } from '../dns/serial.ts';
import { type Action, insertChange, insertChanges } from '../store/changes.ts';
import { type Db, sqlFailure, type Tx } from '../store/database.ts';
import { type KeptAnswer, keepAnswer, keptAnswer, lockToken } from '../store/idempotency.ts';
import { keyStanding } from '../store/keys.ts';
import { lockZone, setLockTimeout, touchZone, type ZoneRow, type ZoneState, zoneById } from '../store/zones.ts';
import { type Actor, maySee, teamsOfActor } from './actor.ts';
import type { Delegation } from './delegation.ts';
import { busy, type ZoneQueue } from './queue.ts';
import { Refusal } from './refusal.ts';

/** What every operation of this room works with. */
export interface House {
  db: Db;
  queue: ZoneQueue;
  /** How long a change waits for its zone, in ms. */
  busyAfterMs: number;
  /** Host names of the name servers, without final dot. */
  nameservers: string[];
  /** What the world sees of zones at their parents. (Default: no check.) */
  delegation?: Delegation;
  /** Resolves the target (with final dot) of an ALIAS ahead of its record; throws nothing. (Default: left to the worker.) */
  prepareAlias?(target: string): Promise<void>;
  /** Whether zones may be made of public suffixes such as co.uk. (Default: false.) */
  allowPublicSuffixes?: boolean;
  now(): Date;
  /** That many random bytes. */
  random(bytes: number): Buffer;
}

/** Who asks, and how the request is known. */
export interface Caller {
  actor: Actor;
  requestId: string;
  /** The Idempotency-Key of a POST and a hash of what it asks for. */
  once: { token: string; requestHash: Uint8Array } | null;
  /** The object elsewhere that asks through this key (`DNSRecord namespace/name`); remembered with what is written. */
  managedBy?: string | null;
}

export interface Entry {
  action: Action;
  before: unknown;
  after: unknown;
  /** (Default: the caller's.) */
  requestId?: string;
}

export interface Outcome<T> {
  /** What the caller is told, made of the zone as the change leaves it. */
  answer: (zone: ZoneRow) => T;
  /** Sends what is to be written, in one round trip with serial and history. (Default: all is written already.) */
  write?: () => Promise<unknown>;
  /** What history tells; many entries share one serial. Null or empty: nothing was changed, so no serial either. */
  change: (Entry & { zone?: { state?: ZoneState; defaultTtl?: number } }) | Entry[] | null;
}

const NO_ZONE = 'No such zone, or it does not belong to this account.';

export function noZone(): Refusal {
  return new Refusal('no_zone', NO_ZONE);
}

/**
 * Runs one change of one zone.
 * @throws Refusal no_zone, busy, and whatever `operation` refuses; nothing is written then
 */
export async function changeZone<T>(
  house: House,
  caller: Caller,
  zoneId: string,
  operation: (tx: Tx, zone: ZoneRow) => Promise<Outcome<T>>,
): Promise<T> {
  // Who does not see the zone must not wait for it either: the wait, and `busy`, would tell that it exists.
  if (house.queue.isBusy(zoneId)) {
    const zone = await zoneById(house.db, zoneId);
    if (!zone || !maySee(caller.actor, zone)) throw noZone();
  }
  return inTurn(house, caller, [zoneId], async (tx) => {
    const zone = await lockZoneFor(tx, house, caller, zoneId);
    const { answer, write, change } = await operation(tx, zone);
    const entries = Array.isArray(change) ? change : change ? [change] : [];
    if (entries.length === 0) return answer(zone);
    const set = Array.isArray(change) ? {} : change?.zone;
    const now = house.now();
    const serial = nextSerial(zone.serial, Math.floor(now.getTime() / 1000));
    const rows = entries.map(({ action, before, after, requestId = caller.requestId }) => ({
      ...historyOf(zone, caller),
      requestId,
      action,
      before,
      after,
      serial,
    }));
    const written = write?.();
    const touched = touchZone(tx, zone.id, { ...set, serial }, now);
    const noted = rows.length === 1 ? insertChange(tx, rows[0]!) : insertChanges(tx, rows);
    await allSent([written, touched, noted]);
    return answer(await touched);
  });
}

/** Statements under way together. @throws what the first that failed says: those after it only fail with it */
async function allSent(statements: readonly unknown[]): Promise<void> {
  for (const ended of await Promise.allSettled(statements)) if (ended.status === 'rejected') throw ended.reason;
}

/**
 * One transaction when it is its turn among the writers of these zones, parents first; `work` locks the rows.
 * @throws as once, and busy
 */
export function inTurn<T>(
  house: House,
  caller: Caller,
  zoneIds: string[],
  work: (tx: Tx) => Promise<T>,
  waitedMs = 0,
): Promise<T> {
  const [zoneId, ...others] = zoneIds;
  if (zoneId !== undefined) {
    return house.queue.run(zoneId, (ms) => inTurn(house, caller, others, work, waitedMs + ms));
  }
  return once(house, caller, async (tx) => {
    // Between replicas the row lock queues; all waits together must stay within the limit.
    if (waitedMs > house.busyAfterMs / 10) await setLockTimeout(tx, house.busyAfterMs - waitedMs);
    return work(tx);
  });
}

/**
 * The zone's row, locked until the transaction ends, for a caller that sees it and still may act: a key revoked, or a
 * member removed, while the change waited for the zone must not get it. Both statements go out in one round trip.
 * @throws Refusal no_zone, unauthorized
 */
export async function lockZoneFor(tx: Tx, house: House, caller: Caller, zoneId: string): Promise<ZoneRow> {
  const owners = { teamIds: teamsOfActor(caller.actor), userId: caller.actor.user?.id ?? null };
  const [zone, standing] = await Promise.all([
    lockZone(tx, zoneId, owners),
    keyStanding(tx, caller.actor.keyId, { zoneId }, house.now()),
  ]);
  if (!standing.valid) throw keyRevoked();
  if (!zone || !standing.member || !maySee(caller.actor, zone)) throw noZone();
  return zone;
}

/** The key was good when the request came, and is not any more. */
export function keyRevoked(): Refusal {
  return new Refusal('unauthorized', 'Invalid or missing API key: it was revoked or expired while this change waited.');
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

/**
 * One transaction, and with an Idempotency-Key at most one: a repeated request gets the first one's answer.
 * @throws Refusal busy when a lock did not come in time; conflict when the key was used for another request
 */
export async function once<T>(house: House, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await house.db.transaction((tx) => withAnswerKept(tx, house, caller, work));
  } catch (error) {
    if (BUSY_FAILURES.has(sqlFailure(error)?.code ?? '')) throw busy();
    // While this request waited for its zone, a batch of another replica may have made what it asks for under its token:
    // then the conflict is with itself.
    const kept = error instanceof Refusal && error.code === 'conflict' ? await answerKept(house.db, caller) : null;
    if (kept) return kept.answer as T;
    throw error;
  }
}

export function keyReused(): Refusal {
  return new Refusal('conflict', 'This Idempotency-Key was used for another request; use a new one for each request.');
}

/** A lock that did not come in time, and a deadlock: both wrote nothing, and the same request can work in a moment. */
const BUSY_FAILURES: ReadonlySet<string> = new Set(['55P03', '40P01']);

async function withAnswerKept<T>(tx: Tx, house: House, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!caller.once) return work(tx);
  const { token, requestHash } = caller.once;
  await lockToken(tx, caller.actor.keyId, token);
  const kept = await answerKept(tx, caller);
  if (kept) return kept.answer as T;
  const answer = await work(tx);
  await keepAnswer(tx, { keyId: caller.actor.keyId, token, requestHash, answer, createdAt: house.now() });
  return answer;
}

/** Null: nobody has asked with this token yet, or there is none. @throws Refusal conflict when it was for something else */
async function answerKept(db: Db | Tx, { actor, once: asked }: Caller): Promise<KeptAnswer | null> {
  const kept = asked && (await keptAnswer(db, actor.keyId, asked.token));
  if (kept && Buffer.compare(kept.requestHash, asked.requestHash) !== 0) throw keyReused();
  return kept;
}
