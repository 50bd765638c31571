// Gives the name server the contents that the api has for one zone, with the smallest commit that does so: secondaries
// get a small IXFR.
import { createHash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { isBusy } from '#client/errors.ts';
import { isLater } from '#dns/serial.ts';
import type { ServedSet } from '#dns/served.ts';
import type { ZoneChange, ZoneEngine } from '../engine.ts';
import { isKeyLost } from '../knot/errors.ts';
import { nextServedSerial } from '../knot/plan.ts';
import type { FeedApi } from './api.ts';
import { compareWith } from './difference.ts';
import type { Permits } from './permits.ts';
import type { ServedHead, ZoneId } from './plan.ts';
import { type CollectedZone, collectServedZone } from './served-zone.ts';
import { emptyRow, KEY_LOST, type KnownZone, type NodeState } from './state.ts';

export interface ConvergeContext {
  readonly api: Pick<FeedApi, 'zone'>;
  readonly engine: ZoneEngine;
  readonly state: NodeState;
  readonly permits: Permits;
  /** The api gives few zones at once. */
  readonly reads: Permits;
  readonly clock: Clock;
  /** The zones that the name server has; kept up to date here. */
  readonly present: Set<string>;
  /** Whether the cursor omits more work of the zone: its row stays dirty then. */
  isAwaited(name: string): boolean;
}

const MAX_BUSY = 20;
const BUSY_MS = 500;
const MAX_BUSY_MS = 5_000;

interface Converged {
  /** The version that the name server has now; null if the api does not have the zone, and nothing was done. */
  readonly version: string | null;
  /** The names that differed from contents that the name server held. */
  readonly names: readonly string[];
  /** The contents are known as a whole. A zone that was present but not readable yet may hold more than was written. */
  readonly isExact: boolean;
  /** The name server had lost all contents, for instance with an unreadable journal. */
  readonly isLost: boolean;
}

/**
 * Reads the zone from the api, and applies what differs in one commit. If the api does not have the zone, nothing is
 * done: only a `gone` line or a list removes a zone, because an api with an empty database has no zone at all.
 * @param limit LargeZone is thrown for a zone with more RRsets
 */
export async function reloadZone(
  context: ConvergeContext,
  zone: ZoneId,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<Converged> {
  const { engine, state, permits, reads, present } = context;
  // The api need not read a zone that could not be applied.
  if (present.has(zone.name)) await engine.check(zone.name, signal);
  const servedZone = await reads.run('small', () => readFromApi(context, zone, limit, signal), signal);
  if (servedZone === null) return { version: null, names: [], isExact: true, isLost: false };
  const before = state.rows().get(zone.name);
  // A zone of the same name that was deleted has nothing in common with this one, except that it may have left its key
  // to it.
  if (before !== undefined && before.id !== zone.id && before.id !== '') await removeHeldZone(context, before, signal);
  const row = { ...(state.rows().get(zone.name) ?? emptyRow(zone.name, zone.id)), id: zone.id };
  const isPresent = present.has(zone.name);
  const key = createHash('sha256')
    .update(JSON.stringify(servedZone.keys.map(({ privateKey, state }) => [privateKey, state])))
    .digest('hex');
  const { denial } = servedZone;
  if (!isPresent || row.key !== key || row.denial !== denial) {
    // The row comes first: after a crash, the node knows that the zone in the name server is its own, and that it may
    // have the old or the new denial.
    state.put({ ...row, denial: null, isDirty: true });
    // A change of the denial that did not come to its end may have failed for want of the key.
    const isKeyLost = row.key === KEY_LOST || (row.key === key && row.denial === null);
    const addedZone = { name: zone.name, keys: servedZone.keys, denial, isKeyLost };
    if (!isPresent || row.key !== key || isKeyLost) await engine.add([addedZone], signal);
    const wantedDenial = { denial, names: servedZone.names.size };
    if (isPresent && row.denial !== denial) await engine.deny(zone.name, wantedDenial, signal);
    present.add(zone.name);
    // Reports must not say that the node has a step of a key roll before it answers with it. A node that has lost its
    // state does not look at the keys of all zones, which takes keymgr 10 ms each.
    if (isPresent && row.key !== null && row.key !== key) await engine.finishKeys(zone.name, servedZone.keys, signal);
  }
  const isExact = !isPresent || row.engineSerial !== null;
  return permits.run(
    'bulk',
    () => applyDifference(context, servedZone, { ...row, key, denial, isExact }, signal),
    signal,
  );
}

/**
 * An api that is busy is asked again: that is not a failure of the zone.
 * @returns null if the api does not have the zone
 */
async function readFromApi(
  { api, clock }: ConvergeContext,
  zone: ZoneId,
  limit: number | undefined,
  signal: AbortSignal,
) {
  for (let tries = 1; ; tries++) {
    try {
      const lines = await api.zone(zone.id, signal);
      return lines === null ? null : await collectServedZone(lines, zone, limit);
    } catch (error) {
      if (!isBusy(error) || tries > MAX_BUSY) throw error;
      await sleep(clock, Math.min(error.retryAfterMs ?? BUSY_MS, MAX_BUSY_MS), signal);
    }
  }
}

/**
 * A zone that the node holds although the list lacks it keeps its delegation in the zone above: the api does not render
 * it, and without it validating resolvers would refuse the answers of the held zone.
 * @returns tells whether a name, relative to the zone, has such a delegation; null: none has, as in all normal times
 */
function findKept(state: NodeState, zone: string): ((name: string) => boolean) | null {
  const end = `.${zone}`;
  const kept = [...state.unlisted()].filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
  if (kept.length === 0) return null;
  return (name) => kept.some((each) => name === each);
}

async function applyDifference(
  context: ConvergeContext,
  servedZone: CollectedZone,
  row: KnownZone,
  signal: AbortSignal,
): Promise<Converged> {
  const { engine, state, isAwaited } = context;
  const comparison = compareWith(servedZone.names);
  const wasHeld = row.engineSerial !== null;
  const isKept = findKept(state, row.name);
  const keptSets: ServedSet[] = [];
  let isLost = wasHeld;
  if (wasHeld) {
    for await (const page of engine.read(row.name, signal)) {
      isLost = false;
      comparison.held(page);
      if (isKept !== null) keptSets.push(...page.filter((set) => isKept(set.name)));
    }
  }
  const difference = comparison.result();
  const isChanged = (name: string) => !wasHeld || isKept === null || !isKept(name);
  const names = difference.names.filter(isChanged);
  const sets = difference.sets.filter((set) => isChanged(set.name));
  const soa = JSON.stringify(servedZone.soa);
  const { id, version, serial } = servedZone.head;
  let { engineSerial } = row;
  if (names.length > 0 || row.soa !== soa || engineSerial === null || isLater(serial, engineSerial)) {
    // Secondaries do not go back to an earlier serial.
    const next = isLost ? nextServedSerial(engineSerial, serial) : serial;
    const change = { names, sets, soa: servedZone.soa, serial: next, whole: withKept(servedZone.names, keptSets) };
    engineSerial = await commit(context, row.name, change, signal);
  }
  const isDirty = isAwaited(row.name);
  const origin = JSON.stringify(servedZone.origin);
  state.put({ ...row, id, version, serial, engineSerial, soa, isDirty, unlisted: null, origin });
  return { version, names: wasHeld && !isLost ? names : [], isExact: row.isExact, isLost };
}

function withKept(names: CollectedZone['names'], keptSets: readonly ServedSet[]): CollectedZone['names'] {
  if (keptSets.length === 0) return names;
  return new Map([...names, ...Map.groupBy(keptSets, ({ name }) => name)]);
}

/** Applies changed names to a zone whose other names are up to date. */
export async function changeNames(
  context: ConvergeContext,
  row: KnownZone,
  head: ServedHead,
  names: ReadonlyMap<string, readonly ServedSet[]>,
  signal: AbortSignal,
): Promise<void> {
  const { state, isAwaited } = context;
  const isKept = findKept(state, row.name);
  const changed = isKept === null ? names : new Map([...names].filter(([name]) => !isKept(name)));
  const change = { names: [...changed.keys()], sets: [...changed.values()].flat(), serial: head.serial };
  const engineSerial = await commit(context, row.name, change, signal);
  const isDirty = isAwaited(row.name);
  state.put({
    ...row,
    version: head.version,
    serial: head.serial,
    engineSerial,
    isExact: false,
    isDirty,
    unlisted: null,
  });
}

/**
 * A zone without a usable key gets it at the next attempt, which reads the zone as a whole.
 * @throws as ZoneEngine.change
 */
async function commit({ engine, state }: ConvergeContext, name: string, change: ZoneChange, signal: AbortSignal) {
  try {
    return await engine.change(name, change, signal);
  } catch (error) {
    const row = state.rows().get(name);
    if (isKeyLost(error) && row !== undefined) state.put({ ...row, key: KEY_LOST, isDirty: true });
    throw error;
  }
}

/** Removes the zone unless another zone of the same name has taken its place. */
export async function removeHeldZone({ engine, state, present }: ConvergeContext, zone: ZoneId, signal: AbortSignal) {
  const row = state.rows().get(zone.name);
  if (row === undefined || row.id !== zone.id) return;
  await engine.remove([zone.name], signal);
  present.delete(zone.name);
  state.delete(zone.name);
}
