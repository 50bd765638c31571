// Takes the steps of key rolls. A step needs proof: every living node has applied the one before, every name server
// of the zone or of its parent shows it, and resolvers have forgotten earlier answers. The state is in the database,
// so a crash loses nothing. Every replica of the api looks, each at other zones, and a step that two of them take has
// its effect once.
import type { Logger } from 'pino';
import { realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { currentStep, type RollStep } from '#dns/dnssec/key-roll.ts';
import { judgeStep, type Proof, type Sightings } from '#dns/dnssec/key-sightings.ts';
import { NS_TTL } from '#dns/own-records.ts';
import { insertChanges } from '#store/changes.ts';
import { livingRows } from '#store/nodes.ts';
import {
  type KeyLook,
  listZoneKeys,
  longestTtl,
  saveKeyLook,
  takeDueRolls,
  type ZoneKeyRow,
} from '#store/zone-keys.ts';
import { lockZone, setLockTimeout, touchZone, type ZoneRow, zoneById } from '#store/zones.ts';
import { serialAfter } from '../change/history.ts';
import { isLockFailure } from '../change/once.ts';
import type { ServiceContext, SightKeys } from '../context.ts';
import { judgeInstance } from '../nodes/instance.ts';
import { textForOwner } from '../nodes/owner-text.ts';
import { SERVICE_KEY } from '../owners/leases.ts';
import { findParentZone, touchParent } from '../zones/parent.ts';
import { listNameservers } from '../zones/view.ts';
import { nextLook } from './look.ts';
import { writeMoves } from './moves.ts';
import { PARENT_MS } from './roll.ts';

/** The time between two rounds, in ms. */
const ROUND_MS = 500;
/** Zones of one round. */
const ZONES = 50;
/** Zones that are looked at at the same time. Their owners choose the name servers, which may answer nothing for 10 s. */
const LANES = 10;

/** Runs until the signal aborts. An error of one zone does not end the round. */
export async function runKeyRolls(context: ServiceContext, log: Logger, signal: AbortSignal): Promise<void> {
  const { sightKeys } = context;
  if (sightKeys === undefined) return;
  let hasFailed = false;
  while (!signal.aborted) {
    try {
      const zoneIds = await takeDueRolls(context.db, context.now(), ZONES);
      const work = async () => {
        for (let id = zoneIds.shift(); id !== undefined && !signal.aborted; id = zoneIds.shift())
          await lookAtRoll(context, sightKeys, id, signal);
      };
      await Promise.all(Array.from({ length: Math.min(LANES, zoneIds.length) }, work));
      hasFailed = false;
    } catch (error) {
      if (!signal.aborted && !hasFailed) log.warn({ err: error }, 'failed to look at key rolls; trying again');
      hasFailed = true;
    }
    await sleep(realClock, ROUND_MS * (0.75 + Math.random() / 2), signal).catch(() => undefined);
  }
}

/**
 * Looks at one roll, and takes its step if it is proven.
 * @throws an error of the database; the reason of the signal
 */
export async function lookAtRoll(
  context: ServiceContext,
  sightKeys: SightKeys,
  zoneId: string,
  signal: AbortSignal,
): Promise<void> {
  const zone = await zoneById(context.db, zoneId);
  if (zone === null) return;
  const keys = await listZoneKeys(context.db, zoneId);
  const step = currentStep(keys);
  const carrier = keys.find(({ id }) => id === step?.carrier.id);
  if (step === null || carrier === undefined) return;
  const { proof, isAsked } = await prove(context, sightKeys, { zone, step, carrier }, signal);
  const look = nextLook(carrier, proof, { now: context.now(), isAsked });
  if (look === 'step') await takeStep(context, zoneId, carrier, step);
  else await saveKeyLook(context.db, carrier, look satisfies KeyLook);
}

interface Work {
  zone: ZoneRow;
  step: RollStep;
  carrier: ZoneKeyRow;
}

/** @returns the proof, and whether the servers could be asked at all */
async function prove(
  context: ServiceContext,
  sightKeys: SightKeys,
  { zone, step, carrier }: Work,
  signal: AbortSignal,
): Promise<{ proof: Proof; isAsked: boolean }> {
  const late = await findLateNode(context, zone, carrier);
  const knownHold = carrier.holdS ?? 0;
  if (late !== null) return { proof: { isShown: false, waitsFor: late, dsTtl: knownHold }, isAsked: true };
  const sightings = await look(context, sightKeys, zone, step, signal);
  const isOfData = step.awaited.kind === 'signed-by' || step.awaited.kind === 'unsigned-by';
  // Once all servers show the step, its hold is known.
  const isUnknown = isOfData && carrier.shownSince === null;
  const ttl = isUnknown ? Math.max(NS_TTL, await longestTtl(context.db, zone.id, context.now())) : 0;
  const proof = judgeStep(zone.name, step.awaited, sightings, { dataTtl: ttl, knownHold });
  return { proof, isAsked: typeof sightings.parent !== 'string' };
}

/** The node that has not applied the step, as the end of a sentence; null: all living ones have. */
async function findLateNode(context: ServiceContext, zone: ZoneRow, { xid }: ZoneKeyRow): Promise<string | null> {
  for (const row of await livingRows(context.db)) {
    const { state, error } = judgeInstance(row, zone.id, [BigInt(xid)]);
    const reason = error === null ? '' : `: ${textForOwner(error, zone.name)}`;
    if (state === 'behind') return `the node ${row.node}, which has not applied the step${reason}`;
  }
  return null;
}

async function look(
  context: ServiceContext,
  sightKeys: SightKeys,
  zone: ZoneRow,
  { awaited }: RollStep,
  signal: AbortSignal,
): Promise<Sightings> {
  const ownServers = listNameservers(zone, context.nameservers);
  const question = { zone: zone.name, nameservers: ownServers };
  if (awaited.kind !== 'ds-there' && awaited.kind !== 'ds-gone')
    return sightKeys({ ...question, parent: null }, signal);
  const parent = await findParentZone(context.db, zone.name);
  if (parent === null) return sightKeys({ ...question, parent: 'elsewhere' }, signal);
  const nameservers = listNameservers(parent, context.nameservers);
  return sightKeys({ ...question, nameservers, parent: 'hosted' }, signal);
}

/** A zone that is busy, or whose roll another replica moved on, is left to the next look. */
async function takeStep(context: ServiceContext, zoneId: string, seen: ZoneKeyRow, step: RollStep): Promise<void> {
  try {
    await context.db.transaction(async (tx) => {
      await setLockTimeout(tx, PARENT_MS);
      const zone = await lockZone(tx, zoneId);
      if (zone === null) return;
      const keys = await listZoneKeys(tx, zoneId);
      if (keys.find(({ id }) => id === seen.id)?.xid !== seen.xid) return;
      const { entry, ds } = await writeMoves(tx, context, zone, keys, step.next);
      const now = context.now();
      const serial = serialAfter(zone.serial, now);
      await touchZone(tx, zoneId, { serial, changedNames: null, ds }, now);
      const { id, name: zoneName, teamId, userId } = zone;
      const author = { zoneId: id, zoneName, teamId, userId, keyId: SERVICE_KEY, requestId: 'key-roll' };
      await insertChanges(tx, [{ ...author, ...entry, serial }]);
      if (ds.join() !== zone.ds.join()) await touchParent(tx, context, zoneName);
    });
  } catch (error) {
    if (isLockFailure(error)) return;
    throw error;
  }
  context.commits?.announce();
}
