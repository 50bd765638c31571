// Reconciles one DNSZone: object and ledger → the zone at the service → the difference → status.
import type { Zone } from '../client/client.ts';
import { parseZoneName } from '../dns/name.ts';
import type { Clock } from '../kube/clock.ts';
import { isTrue } from '../kube/conditions.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { isDeleting } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { CREDENTIALS_RETRY_MS, houseOf, rejected } from './credentials.ts';
import { delegatedAnswer } from './delegated.ts';
import { type House, labelsIn, neighboursOf, withFinalizer } from './house.ts';
import { DEFAULT_TTL, DNS_ZONE, type DNSZone, type ZoneStatus, zoneSpec } from './resources/dnszone.ts';
import { send } from './send.ts';
import { PausedTooLong, REFUSED_RETRY_MS, type Trouble, troubleOf } from './trouble.ts';
import { no, type Open } from './verdicts.ts';
import { claimRefused, enclosing, isManaged } from './zone-claims.ts';
import { deleteZoneObject } from './zone-delete.ts';
import { createDriftLooks, type DriftLooks } from './zone-drift.ts';
import { zoneAtService } from './zone-find.ts';
import { ACCEPTED, conclude, concludeTrouble, facts, PROGRAMMED, READY } from './zone-status.ts';

const NOT_SERVED_RETRY_MS = 250;
/** How often the parent is asked again while it does not point here, in ms. */
const NOT_DELEGATED_RETRY_MS = 60_000;

export function createZoneReconciler(house: House, clock: Clock, random: () => number) {
  const looks = createDriftLooks(clock, random);
  return async (key: string, context: ReconcileContext): Promise<ReconcileResult> => {
    const object = house.zones.get(key);
    if (!object || isDeleting(object)) looks.forget(key);
    if (!object) return {};
    if (isDeleting(object)) return deleteZoneObject(house, clock, object, context);
    return reconcileZone(house, clock, looks, object, context);
  };
}

async function reconcileZone(
  house: House,
  clock: Clock,
  looks: DriftLooks,
  object: DNSZone,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = context;
  const claim = judge(house, object);
  if ('answer' in claim) return refuse(house, object, claim.answer, REFUSED_RETRY_MS, signal);
  let current = object;
  let known: Partial<ZoneStatus> = {};
  try {
    const scope = await houseOf(house, object, signal);
    if ('answer' in scope) return await refuse(house, object, scope.answer, CREDENTIALS_RETRY_MS, signal);
    if (object.spec.managementPolicy === 'Full')
      current = await withFinalizer(house, house.zones, DNS_ZONE, object, signal);
    const found = await zoneAtService(scope.house, clock, current, claim.name, context, (written) => {
      current = written;
    });
    if ('answer' in found) {
      // What the object has no right to (any more) must not be told any longer either.
      const lost = found.answer.reason === 'ZoneMissing' ? {} : NOTHING_KNOWN;
      const accepted = found.answer.reason === 'NotPermitted' ? found.answer : ACCEPTED;
      await conclude(house, current, lost, { Accepted: accepted, Programmed: found.answer }, signal);
      return { requeueAfterMs: REFUSED_RETRY_MS };
    }
    known = { ...facts(current, found.zone), origin: found.origin };
    const zone = await adjust(scope.house, clock, current, found, context);
    known = { ...facts(current, zone), origin: found.origin };
    const served = await house.propagation.zoneServed({ ...zone, serial: neededSerial(object, zone) }, signal);
    const ready = served === null ? READY : no('AwaitingPropagation', served);
    const answers = { Accepted: ACCEPTED, Programmed: PROGRAMMED, Ready: ready };
    current = await conclude(house, current, known, answers, signal);
    if (served !== null) return { requeueAfterMs: NOT_SERVED_RETRY_MS };
    // Only now: a parent that is slow to answer must not delay Ready.
    const delegated = delegatedAnswer(zone, house.parents && (await house.parents(zone.zoneName, signal)));
    const count = await looks.look(scope.house, current, zone, context);
    if (count !== undefined) known = { ...known, records: count };
    await conclude(house, current, known, { ...answers, Delegated: delegated }, signal);
    const due = looks.dueIn(keyOf(object));
    return { requeueAfterMs: delegated.status === 'False' ? Math.min(NOT_DELEGATED_RETRY_MS, due) : due };
  } catch (error) {
    const answer = rejected(house, object, error);
    if (answer) return await refuse(house, current, answer, CREDENTIALS_RETRY_MS, signal, known);
    const trouble = troubleOf(error);
    if (!trouble) throw error;
    const until = error instanceof PausedTooLong ? error.until : null;
    return await concludeTrouble(
      house,
      clock,
      current,
      known,
      discreet(house, claim.name, current, trouble),
      until,
      error,
      signal,
    );
  }
}

/**
 * The serial that every name server must have reached. Of a zone that is Ready for its spec the one of that time: what its
 * records add is theirs to wait for, and a busy zone would be not Ready again and again.
 */
function neededSerial({ status, metadata }: DNSZone, zone: Zone): number {
  const wasReady = status?.zoneId === zone.id && isTrue(status.conditions, 'Ready', metadata.generation);
  return wasReady ? (status?.serial ?? zone.serial) : zone.serial;
}

async function refuse(
  house: House,
  object: DNSZone,
  answer: Open,
  requeueAfterMs: number,
  signal: AbortSignal,
  known: Partial<ZoneStatus> = {},
): Promise<ReconcileResult> {
  const lost = isManaged(object) || object.status?.origin === undefined ? known : NOTHING_KNOWN;
  await conclude(house, object, lost, { Accepted: answer, Programmed: answer }, signal);
  return { requeueAfterMs };
}

/** Taken out of a status: what a namespace has no right to know (any more). */
const NOTHING_KNOWN = {
  zoneId: undefined,
  origin: undefined,
  owner: undefined,
  creationStatus: undefined,
  state: undefined,
  nameservers: undefined,
  ds: undefined,
  serial: undefined,
  records: undefined,
  defaultTtl: undefined,
} as unknown as Partial<ZoneStatus>;

/** The canonical name, or what is wrong with the object by itself or beside others of its name. */
function judge(house: House, object: DNSZone): { name: string } | { answer: Open } {
  const spec = zoneSpec.safeParse(object.spec);
  if (!spec.success) {
    const words = spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { answer: no('InvalidSpec', words) };
  }
  const name = parseZoneName(spec.data.zoneName);
  if (!name.ok) return { answer: no('InvalidSpec', `spec.zoneName: ${name.problem.message}`) };
  const answer = claimRefused(object, name.value, neighboursOf(house), labelsIn(house));
  return answer ? { answer } : { name: name.value };
}

/** The service names records of the parent zone that a new zone would hide: not for somebody of another namespace. */
function discreet(house: House, name: string, object: DNSZone, trouble: Trouble): Trouble {
  const above = enclosing(object, name, neighboursOf(house))?.zone;
  if (trouble.reason !== 'Conflict' || !above || above.metadata.namespace === object.metadata.namespace) return trouble;
  const message = `The DNS service refuses ${name} beside what is in the zone of DNSZone ${keyOf(above)}; its owner can tell what stands against it.`;
  return { ...trouble, message };
}

/** Park, unpark, and the default TTL. */
async function adjust(
  house: House,
  clock: Clock,
  object: DNSZone,
  { zone, origin }: { zone: Zone; origin: ZoneStatus['origin'] },
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
  // Left out it is the service's own, also once it was something else; one that was there before keeps what it has.
  const isOurs = origin === 'Created' && spec.driftPolicy === 'Enforce';
  const defaultTtl = spec.defaultTtl ?? (isOurs ? DEFAULT_TTL : now.defaultTtl);
  if (defaultTtl !== now.defaultTtl) {
    const body = { defaultTtl };
    now = await call((attempt) => house.client.zones.change(zone.id, body, { signal: attempt, requestId }));
  }
  if (now !== zone) {
    const note = `The zone is ${now.state}, and its default TTL is ${now.defaultTtl} s`;
    house.events.record(object, { type: 'Normal', reason: 'Updated', action: 'Update', note });
  }
  return now;
}
