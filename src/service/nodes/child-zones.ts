// Lets parents delegate new child zones when every living node has them, and nodes remove deleted ones when no living
// node delegates them any more (store/child-zones.ts). The state is in the database, so a crash loses nothing: every
// replica of the api looks at it, and a step that two of them take has its effect once.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { Waker } from '#base/waker.ts';
import { listSuffixes } from '#dns/names/name.ts';
import { endAwaiting, endDeparture, type WaitingZone, waitingZones } from '#store/child-zones.ts';
import { type LivingRow, livingRows } from '#store/nodes.ts';
import { setLockTimeout, zonesNamed } from '#store/zones.ts';
import type { Logger } from '#telemetry/log.ts';
import { isLockFailure } from '../change/once.ts';
import type { ServiceContext } from '../context.ts';
import { touchParent } from '../zones/parent.ts';
import { judgeInstance } from './instance.ts';

/** The least time between two looks, in ms. */
const APART_MS = 10;
/** The wait for a report while a zone waits: other replicas of the api get reports too. */
const WAITING_MS = 250;
/** The wait while no zone waits: another replica may have ended before its zones were delegated. */
const IDLE_MS = 1_000;
/** Parents at which zones are delegated at the same time; each has a connection of the database. */
const LANES = 4;
/** The wait for a parent that another transaction changes. It is tried again with the next look. */
const BUSY_MS = 100;

/** Wakes the loop of this process after a transaction that makes a zone wait. */
export interface ChildZones {
  changed(): void;
  /** A node reported to this process. */
  reported(): void;
  run(context: ServiceContext, log: Logger, signal: AbortSignal): Promise<void>;
}

export function createChildZones(clock: Clock): ChildZones {
  const waker = new Waker();
  let isWaiting = false;
  return {
    changed: () => waker.wake(),
    reported: () => {
      if (isWaiting) waker.wake();
    },
    async run(context, log, signal) {
      let hasFailed = false;
      while (!signal.aborted) {
        try {
          isWaiting = await takeSteps(context);
          hasFailed = false;
        } catch (error) {
          if (!hasFailed && !signal.aborted) log.warn({ err: error }, 'failed to delegate new child zones; retrying');
          hasFailed = true;
        }
        await sleep(clock, APART_MS, signal).catch(() => undefined);
        await waker.wait(clock, isWaiting ? WAITING_MS : IDLE_MS, signal);
      }
    },
  };
}

/**
 * @returns whether a zone still waits
 * @throws an error of the database
 */
async function takeSteps(context: ServiceContext): Promise<boolean> {
  const openZones = await waitingZones(context.db);
  if (openZones.length === 0) return false;
  const livingInstances = await livingRows(context.db);
  const ready = openZones.filter((zone) => mayStep(zone, livingInstances));
  const departures = ready.filter(({ kind }) => kind === 'departure');
  for (const { id } of departures) await endDeparture(context.db, id);
  if (departures.length > 0) context.commits?.announce();
  const delegatedCount = await delegateAll(context, ready);
  return departures.length + delegatedCount < openZones.length;
}

/**
 * Whether every living node has applied the transaction, or the time is up. A node that is starting does not count, and
 * neither does a node that was silent for 30 s.
 */
export function mayStep({ id, xid, isDue }: WaitingZone, livingInstances: readonly LivingRow[]): boolean {
  return isDue || livingInstances.every((row) => judgeInstance(row, id, [xid]).state !== 'behind');
}

/**
 * Delegates the new zones, at several parents at the same time: owners who keep their parents busy must not delay the
 * zones of others.
 * @returns how many
 */
async function delegateAll(context: ServiceContext, ready: readonly WaitingZone[]): Promise<number> {
  const delegations = ready.filter(({ kind }) => kind === 'delegation');
  if (delegations.length === 0) return 0;
  const suffixes = delegations.map(({ name }) => listSuffixes(name).slice(1));
  const parents = new Map(
    (await zonesNamed(context.db, [...new Set(suffixes.flat())])).map(({ id, name }) => [name, id]),
  );
  const ofParent = Map.groupBy(delegations, (_zone, index) => suffixes[index]?.find((name) => parents.has(name)) ?? '');
  const remainingGroups = [...ofParent.values()];
  let delegatedCount = 0;
  const lanes = Array.from({ length: LANES }, async () => {
    for (let zones = remainingGroups.shift(); zones !== undefined; zones = remainingGroups.shift())
      delegatedCount += await delegateAt(context, zones);
  });
  await Promise.all(lanes);
  return delegatedCount;
}

/**
 * @param zones those of one parent.
 * @returns the number of delegated zones; the others wait because the parent is busy
 */
async function delegateAt(context: ServiceContext, zones: readonly WaitingZone[]): Promise<number> {
  for (const [index, { id }] of zones.entries()) {
    try {
      await delegate(context, id);
    } catch (error) {
      if (isLockFailure(error)) return index;
      throw error;
    }
    context.commits?.announce();
  }
  return zones.length;
}

async function delegate(context: ServiceContext, zoneId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    await setLockTimeout(tx, BUSY_MS);
    const name = await endAwaiting(tx, zoneId);
    if (name !== null) await touchParent(tx, context, name);
  });
}
