// The requests of a person about a key roll: to begin it, to cancel it, and to confirm the DS records at a parent that
// the service cannot ask.
import { currentStep, firstState, planCancel } from '#dns/dnssec/key-roll.ts';
import { generateSigningKey, keyTag, type NewKeyAlgorithm } from '#dns/dnssec/signing-key.ts';
import { insertZoneKey, listZoneKeys, noteCancelledRoll, saveKeyLook } from '#store/zone-keys.ts';
import { setLockTimeout } from '#store/zones.ts';
import { mustManageZones } from '../accounts/actor.ts';
import { changeLocked } from '../change/locked.ts';
import { mustMatchZone } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { touchParent } from '../zones/parent.ts';
import { keysEntry, writeMoves } from './moves.ts';
import { type ZoneKeysView, zoneKeysView } from './view.ts';

/** A roll in which a person said what the parent has waits for the longest usual TTL of DS records, in seconds. */
const DEFAULT_DS_TTL = 86_400;

/** The wait for the parent, in ms. A change that holds it may wait for this zone. */
export const PARENT_MS = 200;

/**
 * Makes a key that takes the place of the others.
 * @throws Refusal no_zone, forbidden, conflict (a roll is under way), precondition_failed, busy
 */
export async function beginKeyRoll(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  { algorithm }: { algorithm?: NewKeyAlgorithm | undefined },
): Promise<ZoneKeysView> {
  return changeLocked(context, caller, zoneId, async (tx, zone) => {
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    const keys = await listZoneKeys(tx, zone.id);
    const step = currentStep(keys);
    if (step !== null) throw refusal('key-roll-under-way', { tag: keyTag(step.carrier), state: step.carrier.state });
    const newKey = makeOtherKey(algorithm, keys.map(keyTag));
    const since = context.now();
    const state = firstState(newKey.algorithm, keys);
    const row = await insertZoneKey(tx, context.keyring, zone.id, { ...newKey, state }, { since, lookAt: since });
    const after = [...keys, row];
    const entry = keysEntry(zone, keys, { ds: zone.ds, keys: after });
    return { answer: () => zoneKeysView(after), entries: [entry] };
  });
}

/** A key with the tag of another one would have to be told from it by trying both (RFC 4035 section 5.3.1). */
function makeOtherKey(algorithm: NewKeyAlgorithm | undefined, tags: readonly number[]) {
  for (;;) {
    const key = generateSigningKey(algorithm);
    if (!tags.includes(keyTag(key))) return key;
  }
}

/**
 * Ends a roll: the key that comes goes again, as soon as the parent has none of its DS records.
 * @throws Refusal no_zone, forbidden, conflict (no key comes), busy
 */
export async function cancelKeyRoll(context: ServiceContext, caller: Caller, zoneId: string): Promise<ZoneKeysView> {
  return changeLocked(context, caller, zoneId, async (tx, zone) => {
    mustManageZones(caller.actor);
    const keys = await listZoneKeys(tx, zone.id);
    const moves = planCancel(keys);
    if (moves === null) throw refusal(currentStep(keys) === null ? 'no-key-roll' : 'key-roll-too-late');
    const rollCancelledAt = context.now();
    await noteCancelledRoll(tx, zone.id, rollCancelledAt);
    const notedKeys = keys.map((key) => (key.state === 'active' ? { ...key, rollCancelledAt } : key));
    const { entry, ds, keys: after } = await writeMoves(tx, context, zone, notedKeys, moves);
    if (ds.join() !== zone.ds.join()) {
      await setLockTimeout(tx, PARENT_MS);
      await touchParent(tx, context, zone.name);
    }
    return { answer: () => zoneKeysView(after), entries: [entry], served: { ds } };
  });
}

/**
 * Takes the word of a person that all servers of the parent have the DS records that the step waits for. It counts
 * while the service cannot ask the parent.
 * @param dsTtl the TTL of the earlier DS records, in seconds
 * @throws Refusal no_zone, forbidden, conflict (no step waits for the parent), busy
 */
export async function confirmDs(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  { dsTtl = DEFAULT_DS_TTL }: { dsTtl?: number | undefined },
): Promise<ZoneKeysView> {
  return changeLocked(context, caller, zoneId, async (tx, zone) => {
    mustManageZones(caller.actor);
    const keys = await listZoneKeys(tx, zone.id);
    const step = currentStep(keys);
    const carrier = keys.find(({ id }) => id === step?.carrier.id);
    const isOfParent = step?.awaited.kind === 'ds-there' || step?.awaited.kind === 'ds-gone';
    if (carrier === undefined || !isOfParent) throw refusal('no-ds-awaited');
    const now = context.now();
    const look = { shownSince: now, holdS: dsTtl, waitsFor: CONFIRMED, lookAt: now };
    await saveKeyLook(tx, carrier, look);
    const after = keys.map((key) => (key.id === carrier.id ? { ...key, ...look } : key));
    const entry = { ...keysEntry(zone, keys, { ds: zone.ds, keys }), isComment: true };
    return { answer: () => zoneKeysView(after), entries: [entry] };
  });
}

/** The words for a confirmed step. */
const CONFIRMED = 'the caches of resolvers, which may keep earlier DS records; a person confirmed those of the parent';
