// One change of one zone: a transaction of knotd, which begins with a look at the contents and ends with the commit.

import { slottedSerial } from '#dns/secondaries/serial.ts';
import { isLater } from '#dns/serial.ts';
import type { ServedSet } from '#dns/served.ts';
import { type ZoneChange, ZoneLoading } from '../engine.ts';
import { beginZone } from './apply.ts';
import type { KnotArguments, KnotItem, KnotSession } from './control.ts';
import { isRefusal } from './errors.ts';
import { isLoading } from './load.ts';
import { isEqualSoa, laterDnames, nextServedSerial, planSets } from './plan.ts';
import { absolute, readSoaItem, SetCollector, unitOfRemoval, unitOfSoa, unitsOfSet } from './records.ts';
import { explainFullJournal } from './room.ts';

export interface TransactionOptions {
  /** The zone was added a moment ago: there is nothing in the journal that could be loading. */
  isNew: boolean;
}

/** Knot's text. */
const NO_NODE = 'no such node in zone found';

/**
 * Makes the change in one commit, or in two if a DNAME takes the place of names below it.
 * @returns the serial that is served
 * @throws KnotError, ZoneLoading. The zone is as before then; the transaction may still be open, and the caller or the
 * next change ends it
 */
export async function changeKnotZone(
  session: KnotSession,
  zone: string,
  change: ZoneChange,
  { isNew }: TransactionOptions,
): Promise<number> {
  const { run } = session;
  const at = { zone: absolute(zone) };
  const currentZone = await beginChange(session, zone, isNew);
  const plan = planSets(currentZone === null ? [] : await heldSets(session, zone, change.names), change.sets);
  const soa = change.soa ?? currentZone?.soa;
  if (soa === undefined) throw new Error(`the zone ${zone} has no contents yet, so its first change needs a SOA`);
  const isSame =
    plan.remove.length === 0 && plan.add.length === 0 && currentZone !== null && isEqualSoa(currentZone.soa, soa);
  if (isSame && change.after === undefined && !isLater(change.serial, currentZone.serial)) {
    await run('zone-abort', at);
    return currentZone.serial;
  }
  const serial = chooseSerial(currentZone?.serial ?? null, change);
  const soaUnit = unitOfSoa(zone, soa, serial);
  const later = laterDnames(plan);
  const additions = plan.add.filter((set) => !later.includes(set));
  const removals = plan.remove.map((set) => unitOfRemoval(zone, set));
  await Promise.all([
    ...(removals.length === 0 ? [] : [session.stream('zone-unset', removals, () => {})]),
    session.stream('zone-set', listUnits(zone, soaUnit, additions), () => {}),
  ]);
  await run('zone-commit', at).catch(explainFullJournal);
  // The second commit finds nothing to remove, so there is no third.
  return later.length === 0 ? serial : changeKnotZone(session, zone, change, { isNew: false });
}

/**
 * Begins the transaction.
 * @returns the SOA of the contents; null if there are none
 * @throws ZoneLoading
 */
async function beginChange(session: KnotSession, zone: string, isNew: boolean): ReturnType<typeof heldSoa> {
  const at = { zone: absolute(zone) };
  await beginZone(session.run, at);
  const currentZone = await heldSoa(session, zone);
  if (currentZone !== null || isNew) return currentZone;
  // A transaction that began without contents stays without them when the zone is loaded meanwhile.
  await session.run('zone-abort', at);
  await checkLoaded(session, zone);
  await beginZone(session.run, at);
  return heldSoa(session, zone);
}

/** @param heldSerial null: the zone has no contents */
export function chooseSerial(heldSerial: number | null, { serial, slot, after }: ZoneChange): number {
  const current = after !== undefined && (heldSerial === null || isLater(after, heldSerial)) ? after : heldSerial;
  if (slot === undefined) return nextServedSerial(current, serial);
  return slottedSerial({ least: serial, current, slot: slot.number, source: slot.isSource });
}

/**
 * A zone without contents is new, or has lost them, or is still being loaded.
 * @throws ZoneLoading
 */
export async function checkLoaded({ run }: KnotSession, zone: string): Promise<void> {
  const states = await run('zone-status', { zone: absolute(zone) });
  if (isLoading(states)) throw new ZoneLoading(zone);
}

async function heldSoa({ run }: KnotSession, zone: string): Promise<ReturnType<typeof readSoaItem>> {
  try {
    return readSoaItem(await run('zone-get', { zone: absolute(zone), owner: '@', type: 'SOA' }));
  } catch (error) {
    if (isRefusal(error, NO_NODE)) return null;
    throw error;
  }
}

/** The RRsets of some names; a name that has none is an error of its unit. */
async function heldSets({ stream }: KnotSession, zone: string, names: readonly string[]): Promise<ServedSet[]> {
  const sets: ServedSet[] = [];
  const collector = new SetCollector(zone);
  const units = names.map((owner) => ({ zone: absolute(zone), owner }));
  const take = (items: KnotItem[]) => void sets.push(...collector.push(items));
  if (units.length > 0) {
    await stream('zone-get', units, take).catch((error: unknown) => {
      if (!isRefusal(error, NO_NODE)) throw error;
    });
  }
  return [...sets, ...collector.end()];
}

function* listUnits(zone: string, soa: KnotArguments, sets: readonly ServedSet[]): Iterable<KnotArguments> {
  yield soa;
  for (const set of sets) yield* unitsOfSet(zone, set);
}
