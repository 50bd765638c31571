// Reconciles one DNSZone: finds or creates the zone at the service, writes the differences, and writes the status.

import type { Clock } from '#base/clock.ts';
import type { Zone } from '#client/client.ts';
import type { CallOptions } from '#client/http.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DEFAULT_TTL, DNS_ZONE, type DNSZone, type ZoneStatus, zoneSpec } from '#resources/dnszone.ts';
import { claimRefused, enclosing, isManaged } from '../access/claims.ts';
import { labelsIn, neighboursOf, type OperatorContext, withFinalizer } from '../access/context.ts';
import { contextForZone, rejectedKey } from '../access/credentials.ts';
import { delegatedAnswer } from '../proof/delegated.ts';
import { secondariesSeen } from '../proof/secondaries.ts';
import { type NotReady, no } from '../run/conditions.ts';
import { type Failure, failureOf, PausedTooLong, REFUSED_RETRY_MS } from '../run/failures.ts';
import { send } from '../run/send.ts';
import { zonePlaceOf } from './create.ts';
import { deleteZoneObject } from './delete.ts';
import { createDriftChecks, type DriftChecks } from './drift.ts';
import { zoneAtService } from './find.ts';
import { chooseSecondaries, lookAgainMs } from './secondaries.ts';
import { servingOf } from './serving.ts';
import { ACCEPTED, conclude, concludeFailure, facts, PROGRAMMED, readyBy } from './status.ts';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** A node that is behind for less time does not take Ready from a zone. */
const PATIENCE_SECONDS = 10;
/** The time until the next query of the parent while it does not delegate the zone, in ms. */
const NOT_DELEGATED_RETRY_MS = 60_000;
/** The time until the next question for an offer that spec.secondaries lacks, in ms. */
const NOT_OFFERED_RETRY_MS = 60_000;

export function createZoneReconciler(context: OperatorContext, clock: Clock, random: () => number) {
  const driftChecks = createDriftChecks(clock, random);
  return async (key: string, run: ReconcileContext): Promise<ReconcileResult> => {
    const object = context.zones.get(key);
    if (!object || isDeleting(object)) {
      driftChecks.forget(key);
      context.orphans.forget(key);
    }
    if (!object) return {};
    if (isDeleting(object)) return deleteZoneObject(context, clock, object, run);
    return reconcileZone(context, clock, driftChecks, object, run);
  };
}

async function reconcileZone(
  context: OperatorContext,
  clock: Clock,
  driftChecks: DriftChecks,
  object: DNSZone,
  run: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = run;
  const claim = judge(context, object);
  if ('answer' in claim) return refuse(context, object, claim.answer, REFUSED_RETRY_MS, signal);
  let current = object;
  let known: Partial<ZoneStatus> = {};
  try {
    const scope = await contextForZone(context, object, signal);
    if ('answer' in scope) return await refuse(context, object, scope.answer, context.credentials.refreshMs, signal);
    if (object.spec.managementPolicy === 'Full')
      current = await withFinalizer(context, context.zones, DNS_ZONE, object, signal);
    const found = await zoneAtService(scope.context, clock, current, claim.name, run, (written) => {
      current = written;
    });
    if ('answer' in found) {
      // The status must not show data that the object has no right to, or no longer has a right to.
      const lost = found.answer.reason === 'ZoneMissing' ? {} : NOTHING_KNOWN;
      const accepted = found.answer.reason === 'NotPermitted' ? found.answer : ACCEPTED;
      await conclude(context, current, lost, { Accepted: accepted, Programmed: found.answer }, signal);
      return { requeueAfterMs: REFUSED_RETRY_MS };
    }
    known = { ...facts(current, found.zone), origin: found.origin };
    const adjusted = await adjust(scope.context, clock, current, found, run);
    const { zone, programmed } = await chooseSecondaries(scope.context, clock, current, adjusted, run);
    known = { ...facts(current, zone), origin: found.origin };
    const { serial, patienceSeconds } = needed(object, zone);
    const { client } = scope.context;
    const { readyWhen } = object.spec;
    const asked = { ...zone, serial, readyWhen, namespace: object.metadata.namespace ?? '' };
    const proof = await context.propagation.zoneServed(asked, patienceSeconds, client, signal);
    const ready = proof.problem === null ? readyBy(proof, zone.nameservers) : no('AwaitingPropagation', proof.problem);
    known = { ...known, ...servingOf(object, zone, proof, context.now()) };
    const answers = {
      Accepted: ACCEPTED,
      Programmed: programmed ?? PROGRAMMED,
      // A choice that is not offered keeps only the zone from being Ready, and none of its records.
      Ready: programmed?.status === 'False' ? programmed : ready,
    };
    current = await conclude(context, current, known, answers, signal);
    if (proof.problem !== null) return { requeueAfterMs: retryDelay(object, context.now()) };
    // The parent is queried after Ready was written, because a slow parent must not delay Ready.
    const delegated = delegatedAnswer(zone, context.lookUpParent && (await context.lookUpParent(zone, signal)));
    await driftChecks.check(scope.context, current, zone, run);
    await context.orphans.check(scope.context, current, zone, run);
    await conclude(context, current, known, { ...answers, Delegated: delegated }, signal);
    const due = [
      driftChecks.dueIn(keyOf(object)),
      context.orphans.dueIn(keyOf(object)),
      ...(delegated.status === 'False' ? [NOT_DELEGATED_RETRY_MS] : []),
      ...(answers.Ready.status === 'False' ? [NOT_OFFERED_RETRY_MS] : []),
      lookAgainMs(secondariesSeen(proof.answer.secondaries, proof.servers, zone.serial), context.now(), zone.updatedAt),
    ];
    return { requeueAfterMs: Math.min(...due) };
  } catch (error) {
    const answer = rejectedKey(context, object, error);
    if (answer) return await refuse(context, current, answer, context.credentials.refreshMs, signal, known);
    const failure = failureOf(error);
    if (!failure) throw error;
    const until = error instanceof PausedTooLong ? error.until : null;
    return await concludeFailure(
      context,
      clock,
      current,
      known,
      withoutForeignDetails(context, claim.name, current, failure),
      until,
      error,
      signal,
    );
  }
}

/**
 * The serial that every name server must have reached, and how long a node may be behind. For a zone that is Ready for its spec it
 * is the serial of that time: the records wait for their own changes, and a busy zone would otherwise lose Ready repeatedly.
 */
function needed({ status, metadata }: DNSZone, zone: Zone): { serial: number; patienceSeconds: number } {
  const wasReady = status?.zoneId === zone.id && isTrue(status.conditions, 'Ready', metadata.generation);
  if (!wasReady) return { serial: zone.serial, patienceSeconds: 0 };
  return { serial: status.serial ?? zone.serial, patienceSeconds: PATIENCE_SECONDS };
}

/** The delay grows with the time since the zone is not Ready, up to 5 s. */
function retryDelay({ status }: DNSZone, now: Date): number {
  const ready = findCondition(status?.conditions, 'Ready');
  const age = ready?.status === 'False' ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, age / 10));
}

async function refuse(
  context: OperatorContext,
  object: DNSZone,
  answer: NotReady,
  requeueAfterMs: number,
  signal: AbortSignal,
  known: Partial<ZoneStatus> = {},
): Promise<ReconcileResult> {
  const lost = isManaged(object) || object.status?.origin === undefined ? known : NOTHING_KNOWN;
  await conclude(context, object, lost, { Accepted: answer, Programmed: answer }, signal);
  return { requeueAfterMs };
}

/** The fields to remove from a status when its namespace has no right to know them. */
const NOTHING_KNOWN = {
  zoneId: undefined,
  origin: undefined,
  owner: undefined,
  creationStatus: undefined,
  state: undefined,
  nameservers: undefined,
  servers: undefined,
  nodes: undefined,
  nodesCurrent: undefined,
  secondaries: undefined,
  secondariesCurrent: undefined,
  ds: undefined,
  serial: undefined,
  records: undefined,
  defaultTtl: undefined,
} as unknown as Partial<ZoneStatus>;

/** Returns the canonical name, or the problem of the spec or of its name among other DNSZones. */
function judge(context: OperatorContext, object: DNSZone): { name: string } | { answer: NotReady } {
  const spec = zoneSpec.safeParse(object.spec);
  if (!spec.success) {
    const words = spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { answer: no('InvalidSpec', words) };
  }
  const name = parseZoneName(spec.data.zoneName);
  if (!name.ok) return { answer: no('InvalidSpec', `spec.zoneName: ${name.problem.message}`) };
  const answer = claimRefused(object, name.value, neighboursOf(context), labelsIn(context));
  return answer ? { answer } : { name: name.value };
}

/** The service names records of the parent zone that a new zone would hide, which another namespace must not see. */
function withoutForeignDetails(context: OperatorContext, name: string, object: DNSZone, failure: Failure): Failure {
  const above = enclosing(object, name, neighboursOf(context))?.zone;
  if (failure.reason !== 'Conflict' || !above || above.metadata.namespace === object.metadata.namespace) return failure;
  const message = `Zone ${name} conflicts with records in the zone of DNSZone ${keyOf(above)}. Ask the owner of that DNSZone which records these are.`;
  return { ...failure, message };
}

/** Brings the parked state and the default TTL of the zone to the values of the spec. */
async function adjust(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  { zone, origin }: { zone: Zone; origin: ZoneStatus['origin'] },
  run: ReconcileContext,
): Promise<Zone> {
  const { spec } = object;
  if (spec.managementPolicy === 'Observe') return zone;
  const { signal, reconcileId: requestId } = run;
  const call = <T>(run: (options: CallOptions) => Promise<T>) =>
    send(context.dispatcher, clock, {
      ...zonePlaceOf(object, 'change'),
      zone: zone.id,
      signal,
      run: (attempt, onRate) => run({ signal: attempt, onRate, requestId }),
    });
  let now = zone;
  if (spec.parked !== (now.state === 'parked')) {
    const verb = spec.parked ? context.client.zones.park : context.client.zones.unpark;
    now = await call((options) => verb(zone.id, options));
  }
  // Without spec.defaultTtl a zone that the operator created returns to the default; an adopted zone keeps its value.
  const isOurs = origin === 'Created' && spec.driftPolicy === 'Enforce';
  const defaultTtl = spec.defaultTtl ?? (isOurs ? DEFAULT_TTL : now.defaultTtl);
  if (defaultTtl !== now.defaultTtl) {
    const body = { defaultTtl };
    now = await call((options) => context.client.zones.change(zone.id, body, options));
  }
  if (now !== zone) {
    const note = `The zone is ${now.state}, and its default TTL is ${now.defaultTtl} s`;
    context.events.record(object, { type: 'Normal', reason: 'Updated', action: 'Update', note });
  }
  return now;
}
