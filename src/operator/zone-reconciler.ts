// Reconciles one DNSZone: object and ledger → the zone at the service → the difference → status.
import type { Zone } from '../client/client.ts';
import { ApiError, isAbsent } from '../client/errors.ts';
import { parseZoneName } from '../dns/name.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { hasFinalizer, isDeleting } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { BY_ZONE_NAME, type House, withFinalizer, writeStatus } from './house.ts';
import { FINALIZER } from './names.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus, zoneSpec } from './resources/dnszone.ts';
import { send } from './send.ts';
import { PausedTooLong, REFUSED_RETRY_MS, troubleOf } from './trouble.ts';
import { type Answer, no } from './verdicts.ts';
import { createAtService, newIntent, repeatCreation } from './zone-create.ts';
import { deleteZoneObject } from './zone-delete.ts';
import { ACCEPTED, conclude, concludeTrouble, facts, PROGRAMMED, READY, statusOf } from './zone-status.ts';

/** How often a zone is looked at without a cause, in ms; spread by up to a tenth. */
const RESYNC_MS = 10 * 60_000;
const NOT_SERVED_RETRY_MS = 250;

export function createZoneReconciler(house: House, clock: Clock, random: () => number) {
  return async (key: string, context: ReconcileContext): Promise<ReconcileResult> => {
    const object = house.zones.get(key);
    if (!object) return {};
    if (isDeleting(object)) return deleteZoneObject(house, clock, object, context);
    return reconcileZone(house, clock, random, object, context);
  };
}

async function reconcileZone(
  house: House,
  clock: Clock,
  random: () => number,
  object: DNSZone,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = context;
  const mistake = mistakeOf(house, object);
  if (mistake) {
    await conclude(house, object, {}, { Accepted: mistake, Programmed: mistake }, signal);
    return { requeueAfterMs: REFUSED_RETRY_MS };
  }
  let current = object;
  let known: Partial<ZoneStatus> = {};
  try {
    if (object.spec.managementPolicy === 'Full')
      current = await withFinalizer(house, house.zones, DNS_ZONE, object, signal);
    const found = await zoneAtService(house, clock, current, context, (written) => {
      current = written;
    });
    if ('answer' in found) {
      await conclude(house, current, {}, { Accepted: ACCEPTED, Programmed: found.answer }, signal);
      return { requeueAfterMs: REFUSED_RETRY_MS };
    }
    known = facts(current, found.zone);
    const zone = await adjust(house, clock, current, found.zone, context);
    known = facts(current, zone);
    const served = await house.propagation.zoneServed(zone, signal);
    const ready = served === null ? READY : no('AwaitingPropagation', served);
    await conclude(house, current, known, { Accepted: ACCEPTED, Programmed: PROGRAMMED, Ready: ready }, signal);
    return { requeueAfterMs: served === null ? RESYNC_MS * (1 + random() / 10) : NOT_SERVED_RETRY_MS };
  } catch (error) {
    const trouble = troubleOf(error);
    if (!trouble) throw error;
    const until = error instanceof PausedTooLong ? error.until : null;
    return await concludeTrouble(house, clock, current, known, trouble, until, error, signal);
  }
}

/** What is wrong with the object by itself or beside others of its name: one of them has the zone. */
function mistakeOf(house: House, object: DNSZone): Answer | null {
  const spec = zoneSpec.safeParse(object.spec);
  if (!spec.success) {
    return no(
      'InvalidSpec',
      spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; '),
    );
  }
  const name = parseZoneName(spec.data.zoneName);
  if (!name.ok) return no('InvalidSpec', `spec.zoneName: ${name.problem.message}`);
  if (spec.data.managementPolicy === 'Observe') return null;
  const first = house.zones
    .byIndex(BY_ZONE_NAME, name.value)
    .find((other) => other.metadata.uid !== object.metadata.uid && goesBefore(other, object));
  if (!first) return null;
  return no('Conflict', `DNSZone ${keyOf(first)} holds ${name.value} already; delete one of the two.`);
}

/** Who has made the zone keeps it; otherwise the oldest comes first. */
function goesBefore(a: DNSZone, b: DNSZone): boolean {
  if (a.spec.managementPolicy !== 'Full') return false;
  if (holds(a) !== holds(b)) return holds(a);
  // What b has asked for already, the service decides.
  if (!holds(b) && b.status?.intent !== undefined) return false;
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return left === right ? (a.metadata.uid ?? '') < (b.metadata.uid ?? '') : left < right;
}

/** An object that only observed the zone knows its id too, but has no finalizer. */
function holds(object: DNSZone): boolean {
  return object.status?.zoneId !== undefined && hasFinalizer(object, FINALIZER);
}

type Found = { zone: Zone } | { answer: Answer };

/**
 * The zone of the ledger; made when there is none (Full), or found by name (Observe).
 * @param written hears of the object as it is after a new intent was written
 */
async function zoneAtService(
  house: House,
  clock: Clock,
  object: DNSZone,
  context: ReconcileContext,
  written: (object: DNSZone) => void,
): Promise<Found> {
  const { signal, reconcileId: requestId } = context;
  const id = object.status?.zoneId;
  if (id !== undefined) {
    try {
      return { zone: await house.client.zones.get(id, { signal, requestId }) };
    } catch (error) {
      if (!isAbsent(error)) throw error;
      context.log.warn({ zone: id }, 'the zone was deleted behind our back');
      house.observer.drift('DNSZone', 'found');
      house.events.record(object, {
        type: 'Warning',
        reason: 'ZoneMissing',
        action: 'Recreate',
        note: `Zone ${id} is gone from the DNS service`,
      });
      if (object.spec.driftPolicy !== 'Enforce' && object.spec.managementPolicy === 'Full') {
        return {
          answer: no(
            'ZoneMissing',
            `Zone ${id} was deleted at the DNS service; driftPolicy ${object.spec.driftPolicy} leaves it so.`,
          ),
        };
      }
    }
  }
  if (object.spec.managementPolicy === 'Observe') {
    const [zone] = await house.client.zones.list({ zoneName: object.spec.zoneName }, { signal, requestId });
    if (zone) return { zone };
    return {
      answer: no(
        'ZoneMissing',
        'managementPolicy is Observe, and the DNS service has no zone of this name for this key; create it there.',
      ),
    };
  }
  return { zone: await create(house, clock, object, context, written) };
}

/** The intent is in the status before the POST: after a crash the same request is repeated, and gets the first answer. */
async function create(
  house: House,
  clock: Clock,
  object: DNSZone,
  context: ReconcileContext,
  written: (object: DNSZone) => void,
): Promise<Zone> {
  const { signal, reconcileId: requestId } = context;
  const before = object.status?.intent;
  const made = before === undefined ? null : await repeatCreation(house, clock, object, before, context);
  let zone = made instanceof ApiError ? null : made;
  if (zone === null) {
    const intent = await newIntent(house, object, signal);
    const sameRequest = before?.owner === intent.owner && before.defaultTtl === intent.defaultTtl;
    if (made instanceof ApiError && sameRequest) throw made;
    const { zoneId: _gone, ...rest } = statusOf(object);
    const intended = await writeStatus(house, house.zones, DNS_ZONE, object, { ...rest, intent }, signal);
    written(intended);
    zone = await createAtService(house, clock, intended, intent, requestId, signal);
  }
  house.events.record(object, {
    type: 'Normal',
    reason: 'Created',
    action: 'Create',
    note: `Zone ${zone.zoneName} created as ${zone.id}`,
  });
  return zone;
}

/** Park, unpark, and the default TTL. */
async function adjust(
  house: House,
  clock: Clock,
  object: DNSZone,
  zone: Zone,
  context: ReconcileContext,
): Promise<Zone> {
  const { spec } = object;
  if (spec.managementPolicy === 'Observe') return zone;
  const { signal, reconcileId: requestId } = context;
  const call = <T>(run: (attempt: AbortSignal) => Promise<T>) =>
    send(house.dispatcher, clock, { lane: 'change', zone: zone.id, signal, run });
  let now = zone;
  if (spec.parked !== (now.state === 'parked')) {
    const verb = spec.parked ? house.client.zones.park : house.client.zones.unpark;
    now = await call((attempt) => verb(zone.id, { signal: attempt, requestId }));
  }
  if (spec.defaultTtl !== undefined && spec.defaultTtl !== now.defaultTtl) {
    const body = { defaultTtl: spec.defaultTtl };
    now = await call((attempt) => house.client.zones.change(zone.id, body, { signal: attempt, requestId }));
  }
  return now;
}

/** For the cache's index: the canonical name, so that two spellings are one. */
export function zoneNameIndex(object: DNSZone): string[] {
  const name = parseZoneName(object.spec.zoneName);
  return name.ok ? [name.value] : [];
}
