// Changes that need a transaction of their own: it locks the rows of one or two zones, reads further tables or writes
// many records, and then writes the serial, the history and the answer for an Idempotency-Key. Its cost does not depend
// on the size of the zone. Changes of records that fit into memory are grouped instead (group.ts).
import { settleAll } from '#base/settle-all.ts';
import { insertChanges } from '#store/changes.ts';
import type { Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import type { ZoneWrite } from '#store/zone-values.ts';
import {
  lockZone,
  type ServedProperties,
  setLockTimeout,
  touchZone,
  type UnservedProperties,
  writeUnserved,
  type ZoneRow,
} from '#store/zones.ts';
import { teamsOfActor } from '../accounts/actor.ts';
import { mustHaveRoom } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { reverseScopeOf } from '../reverse/scope.ts';
import { type Growth, sumGrowth } from './growth.ts';
import { buildHistoryHead, changesAnswers, type Entry, serialAfter } from './history.ts';
import { type MustRepeat, once } from './once.ts';
import { mustSeeIfBusy, mustSeeNow } from './standing.ts';

/** The decision of an operation on a locked zone. */
export interface LockedChange<Answer> {
  /** Makes the answer from the zone as it is after the change. */
  answer: (zone: ZoneRow) => Answer;
  /** The history entries. Without entries and without `bulk`, nothing changes. */
  entries?: readonly Entry[];
  /** The properties of the zone that change its answers, if any do. */
  served?: ServedProperties;
  /** Those that do not, such as its comment: all of them, if one changes. */
  unserved?: UnservedProperties;
  /** Writes many records together with their history, if there are many. */
  bulk?: BulkChange;
}

export interface BulkChange {
  write(to: ZoneWrite): Promise<void>;
  /** The growth of the zone by the records. */
  growth: Growth;
  /** The names whose answers change. */
  names: readonly string[];
}

/**
 * Runs one change of one zone in a transaction that has locked the zone's row.
 * @throws Refusal no_zone, busy, forbidden (the quota of the zone's owner), and the refusals of `decide`; nothing is
 * written then
 */
export async function changeLocked<Answer>(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  decide: (tx: Tx, zone: ZoneRow) => Promise<LockedChange<Answer>>,
): Promise<Answer> {
  await mustSeeIfBusy(context, caller.actor, zoneId);
  const lock = (tx: Tx) => lockZoneFor(tx, context, caller, zoneId);
  const work = async (tx: Tx) => {
    const zone = await lock(tx);
    return writeChange(tx, context, caller, zone, await decide(tx, zone));
  };
  return inTurn(context, caller, [zoneId], work, { mustRepeat: lock });
}

/**
 * Writes a change of a zone whose row the transaction has locked or inserted.
 * @throws Refusal forbidden (the quota of the zone's owner); the errors of `bulk.write`
 */
export async function writeChange<Answer>(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  zone: ZoneRow,
  { answer, entries = [], served = {}, unserved, bulk }: LockedChange<Answer>,
): Promise<Answer> {
  if (entries.length === 0 && !bulk) return answer(zone);
  const growth = bulk ? bulk.growth : sumGrowth(entries);
  await mustHaveRoom(tx, context, zone, growth);
  const isServed = bulk !== undefined || changesAnswers(entries);
  const now = context.now();
  const serial = isServed ? serialAfter(zone.serial, now) : zone.serial;
  const author = buildHistoryHead(zone, caller);
  if (bulk)
    await bulk.write({ zone, history: { ...author, serial }, at: now, reverseScope: reverseScopeOf(caller.actor) });
  const rows = entries.map(({ action, before, after, requestId = caller.requestId }) => ({
    ...author,
    requestId,
    action,
    before,
    after,
    serial,
  }));
  // The state and the default TTL concern every name.
  const changedNames = bulk && entries.length === 0 ? bulk.names : null;
  const commented = unserved === undefined ? null : writeUnserved(tx, zone.id, unserved, now);
  const pendingTouch = isServed ? touchZone(tx, zone.id, { ...served, serial, growth, changedNames }, now) : null;
  // If the first statement fails, those after it fail only as a consequence.
  const pendingInsert = rows.length === 0 ? null : insertChanges(tx, rows);
  await settleAll<unknown>([commented, pendingTouch, pendingInsert].flatMap((each) => each ?? []));
  return answer((await (pendingTouch ?? commented)) ?? zone);
}

interface Waiting {
  /** The time that the change has waited already, in ms. */
  waitedMs?: number;
  /** Runs when the change has its turn, before it uses a connection. */
  before?: (() => Promise<void>) | undefined;
  mustRepeat?: MustRepeat;
}

/**
 * Runs one transaction when its turn comes in the queues of these zones, parents first. `work` locks the rows.
 * @throws as once, and busy; the errors of `before`
 */
export async function inTurn<T>(
  context: ServiceContext,
  caller: Caller,
  zoneIds: string[],
  work: (tx: Tx) => Promise<T>,
  waitOptions: Waiting = {},
): Promise<T> {
  const { waitedMs = 0, before, mustRepeat } = waitOptions;
  const [zoneId, ...others] = zoneIds;
  if (zoneId !== undefined) {
    const next = (ms: number) => inTurn(context, caller, others, work, { ...waitOptions, waitedMs: waitedMs + ms });
    return context.queue.run(zoneId, next);
  }
  await before?.();
  const runLimited = async (tx: Tx) => {
    await limitLockWait(tx, context, waitedMs);
    return work(tx);
  };
  return once(context, caller, runLimited, mustRepeat);
}

/** Between replicas the row lock is the queue. All waits of a change together stay within its limit. */
export async function limitLockWait(tx: Tx, { busyAfterMs }: ServiceContext, waitedMs: number): Promise<void> {
  if (waitedMs > busyAfterMs / 10) await setLockTimeout(tx, busyAfterMs - waitedMs);
}

/**
 * Locks the zone's row until the transaction ends, and checks the caller again. Both statements are sent in one round
 * trip.
 * @throws Refusal no_zone, unauthorized
 */
export async function lockZoneFor(tx: Tx, context: ServiceContext, caller: Caller, zoneId: string): Promise<ZoneRow> {
  const { user, keyId } = caller.actor;
  const owners = { teamIds: teamsOfActor(caller.actor), userIds: user === null ? [] : [user.id] };
  const [zone, standing] = await Promise.all([
    lockZone(tx, zoneId, owners),
    keyStanding(tx, keyId, { zoneId }, context.now()),
  ]);
  return mustSeeNow(zone ?? null, standing, caller);
}
