// The zone at the service that a DNSZone stands for: the one of its ledger, one that was there before (adopt, Observe), or a
// new one. What an object may come to although it did not make it is decided in zone-claims.ts.
import type { Zone } from '../client/client.ts';
import { ApiError, isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { type House, labelsIn, neighboursOf, writeStatus } from './house.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus } from './resources/dnszone.ts';
import { no, type Open } from './verdicts.ts';
import { enclosing, existingRefused, isManaged, mayTakeExisting } from './zone-claims.ts';
import { createAtService, newIntent, repeatCreation } from './zone-create.ts';
import { statusOf } from './zone-status.ts';

export type Found = { zone: Zone; origin: NonNullable<ZoneStatus['origin']> } | { answer: Open };

/**
 * @param name canonical
 * @param written hears of the object as it is after a new intent was written
 */
export async function zoneAtService(
  house: House,
  clock: Clock,
  object: DNSZone,
  name: string,
  context: ReconcileContext,
  written: (object: DNSZone) => void,
): Promise<Found> {
  const managed = isManaged(object);
  const observes = object.spec.managementPolicy === 'Observe';
  if (!managed && observes) return observe(house, object, name, context);
  if (managed) {
    const known = await ofLedger(house, object, name, context);
    if (typeof known === 'object') return { zone: known, origin: object.status?.origin ?? 'Created' };
    if (known === 'another') {
      if (observes) return observe(house, object, name, context);
    } else if (observes || object.spec.driftPolicy !== 'Enforce') {
      const leaves = observes ? 'managementPolicy Observe' : `driftPolicy ${object.spec.driftPolicy}`;
      const message = `Zone ${object.status?.zoneId} was deleted at the DNS service; ${leaves} leaves it so.`;
      return { answer: no('ZoneMissing', message) };
    }
  }
  return come(house, clock, object, name, context, written);
}

/** The name is compared, so that an id in a status never leads to somebody else's zone. */
async function ofLedger(
  house: House,
  object: DNSZone,
  name: string,
  context: ReconcileContext,
): Promise<Zone | 'gone' | 'another'> {
  const { signal, reconcileId: requestId } = context;
  const id = object.status?.zoneId as string;
  try {
    const zone = await house.client.zones.get(id, { signal, requestId });
    return zone.zoneName === name ? zone : 'another';
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  context.log.warn({ zone: id }, 'the zone was deleted behind our back');
  house.observer.drift('DNSZone', 'found');
  house.events.record(object, {
    type: 'Warning',
    reason: 'ZoneMissing',
    action: 'Recreate',
    note: `Zone ${id} is gone from the DNS service`,
  });
  return 'gone';
}

async function observe(house: House, object: DNSZone, name: string, context: ReconcileContext): Promise<Found> {
  const { signal, reconcileId: requestId } = context;
  const { namespace } = object.metadata;
  const ownZone = neighboursOf(house)
    .named(name)
    .some((other) => other.metadata.namespace === namespace && isManaged(other));
  if (!ownZone && !mayTakeExisting(object, labelsIn(house))) return { answer: existingRefused(object, name) };
  const [zone] = await house.client.zones.list({ zoneName: name }, { signal, requestId });
  if (zone) return { zone, origin: 'Observed' };
  return {
    answer: no(
      'ZoneMissing',
      'managementPolicy is Observe, and the DNS service has no zone of this name for this key; create it there.',
    ),
  };
}

/** A zone for an object that has none: its own creation of before, one that was there already, or a new one. */
async function come(
  house: House,
  clock: Clock,
  object: DNSZone,
  name: string,
  context: ReconcileContext,
  written: (object: DNSZone) => void,
): Promise<Found> {
  const { signal, reconcileId: requestId } = context;
  const before = object.status?.intent;
  const made = before === undefined ? null : await repeatCreation(house, clock, object, before, context);
  if (made !== null && !(made instanceof ApiError)) return created(house, object, made);
  const there = await nearest(house, name, { signal, requestId });
  if (there) {
    const found = judgeExisting(house, object, name, there);
    if (found) {
      if ('zone' in found) tell(house, object, 'Adopted', `Zone ${name} (${there.id}) is taken over with its records`);
      return found;
    }
  }
  const intent = await newIntent(house, object, signal);
  const sameRequest = before?.owner === intent.owner && before.defaultTtl === intent.defaultTtl;
  if (made instanceof ApiError && sameRequest) throw made;
  const { zoneId: gone, origin: _was, ...rest } = statusOf(object);
  // The intent is in the status before the POST: after a crash the same request is repeated, and gets the first answer.
  const intended = await writeStatus(house, house.zones, DNS_ZONE, object, { ...rest, intent }, signal);
  written(intended);
  const zone = await createAtService(house, clock, intended, intent, requestId, signal);
  if (gone !== undefined) house.observer.drift('DNSZone', 'repaired');
  return created(house, intended, zone);
}

function created(house: House, object: DNSZone, zone: Zone): Found {
  tell(house, object, 'Created', `Zone ${zone.zoneName} created as ${zone.id}`);
  return { zone, origin: 'Created' };
}

/** The zone of this name, or the longest above it, that the key sees. A single label has none above. */
async function nearest(house: House, name: string, options: { signal: AbortSignal; requestId: string }) {
  if (name.includes('.')) return house.client.zones.find(name, options);
  return (await house.client.zones.list({ zoneName: name }, options))[0] ?? null;
}

/** @returns null when a new zone may be made */
function judgeExisting(house: House, object: DNSZone, name: string, there: Zone): Found | null {
  const allowed = mayTakeExisting(object, labelsIn(house));
  if (there.zoneName !== name) {
    // A child zone hides what the parent has there: whoever speaks for the parent was asked in zone-claims.ts.
    const above = enclosing(object, name, neighboursOf(house))?.zone.status?.zoneId;
    return allowed || above === there.id ? null : { answer: existingRefused(object, there.zoneName) };
  }
  const { adopt, owner } = object.spec;
  if (adopt === 'Never') {
    const message = `The DNS service has ${name} already, not made from here. Set spec.adopt: IfIdentical to take it over with its records, or spec.managementPolicy: Observe to put records beside them.`;
    return { answer: no('Conflict', message) };
  }
  if (!allowed) return { answer: existingRefused(object, name) };
  if (owner !== undefined && owner !== there.owner) {
    return { answer: no('Conflict', `The DNS service has ${name} already, and it does not belong to ${owner}.`) };
  }
  return { zone: there, origin: 'Adopted' };
}

function tell(house: House, object: DNSZone, reason: string, note: string): void {
  house.events.record(object, { type: 'Normal', reason, action: 'Create', note });
}
