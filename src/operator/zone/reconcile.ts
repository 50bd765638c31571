// Reconciles one DNSZone: finds or creates the zone at the service, writes the differences, proves by DNS that it is
// served, and returns the outcome.

import { parkZone, unparkZone, updateZone } from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { DEFAULT_DENIAL } from '#dns/dnssec/denial.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import type { Reconcile } from '#kube/controller/controller.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { readObjectComment } from '#resources/comment.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus, zoneSpec } from '#resources/dnszone.ts';
import { claimRefused } from '../access/claims.ts';
import { createNeighbours, labelsIn, type OperatorContext } from '../access/context.ts';
import { connectionFor, type ServiceConnection } from '../access/credentials.ts';
import { NAME_RETRY_MS, nameTaken, TAKEN_RETRY_MS } from '../cluster/name.ts';
import { delegatedAnswer } from '../proof/delegated.ts';
import type { Proof } from '../proof/propagation.ts';
import { type ConditionAnswer, type NotReady, no } from '../run/conditions.ts';
import { REFUSED_RETRY_MS } from '../run/failures.ts';
import { addOwnFinalizer, createReconciler } from '../run/reconciler.ts';
import type { ZoneOutcome, ZoneRun } from '../run/run.ts';
import { ZoneBrake } from './brake.ts';
import { sendForZone } from './create.ts';
import { degradedAnswer, LEFT_OUT_RETRY_MS, restoreReach } from './degraded.ts';
import { reconcileDeletion } from './delete.ts';
import { zoneAtService } from './find.ts';
import { heldAnswer } from './held.ts';
import { createKeyChecks, type KeyChecks } from './key-checks.ts';
import { createOwnerChecks, type OwnerChecks } from './owners.ts';
import { restoredAnswer } from './restored.ts';
import { applySecondaryChoice, lookAgainMs } from './secondaries.ts';
import { seenBy, summarizeServing } from './serving.ts';
import {
  facts,
  failedZone,
  missingZone,
  NOT_THERE_YET,
  programmedWith,
  readyBy,
  refusedZone,
  ZONE_ACCEPTED,
  ZONE_READY,
} from './status.ts';
import { createTargetChecks, type TargetChecks } from './targets.ts';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** A node that is behind for less time does not take Ready from a zone. */
const PATIENCE_SECONDS = 10;
/** The times until the next query of the parent while it does not delegate the zone, in ms. */
const NOT_DELEGATED_RETRY_MS = 60_000;
const FIRST_NOT_DELEGATED_RETRY_MS = 500;
/** The time until the next question for an offer that spec.secondaries lacks, in ms. */
const NOT_OFFERED_RETRY_MS = 60_000;

/** @param random returns 0 ≤ x < 1; it spreads the checks for drift */
export function createZoneReconciler(context: OperatorContext, random: () => number): Reconcile {
  const ownerChecks = createOwnerChecks(context.clock, random);
  const targetChecks = createTargetChecks(context.clock);
  const keyChecks = createKeyChecks(context.clock);
  const checks = { ownerChecks, targetChecks, keyChecks };
  const brake = new ZoneBrake(context.clock);
  return createReconciler<DNSZone, ZoneStatus>(context, {
    type: DNS_ZONE,
    cache: context.zones,
    decide: (run) => {
      if (!isDeleting(run.object)) return reconcileZone(run, checks);
      forgetChecks(checks, keyOf(run.object));
      return reconcileDeletion(run, brake);
    },
    failed: failedZone,
    zoneOf: (object) => object,
    fieldsOf: () => ({}),
    answersOf: ({ zoneId }) => (zoneId === undefined ? { Delegated: NOT_THERE_YET } : {}),
    ready: ZONE_READY,
    onRecovery: context.enqueueZoneOnRecovery,
    gone: (key) => {
      forgetChecks(checks, key);
      return {};
    },
  });
}

/** The slow questions about zones. */
interface ZoneChecks {
  readonly ownerChecks: OwnerChecks;
  readonly targetChecks: TargetChecks;
  readonly keyChecks: KeyChecks;
}

function forgetChecks(checks: ZoneChecks, key: string): void {
  for (const each of Object.values(checks)) each.forget(key);
}

async function reconcileZone(run: ZoneRun, { ownerChecks, targetChecks, keyChecks }: ZoneChecks): Promise<ZoneOutcome> {
  const { context, object, signal } = run;
  const claim = judge(context, object);
  if ('answer' in claim) return { ...refusedZone(object, claim.answer), next: { afterMs: REFUSED_RETRY_MS } };
  const nameConflict = nameTaken(context, object);
  // The fields of the status stay: they say which team has the zone.
  if (nameConflict)
    return { answers: { Accepted: nameConflict, Programmed: nameConflict }, next: { afterMs: TAKEN_RETRY_MS } };
  const service = await connectionFor(context, object, signal);
  if (object.spec.managementPolicy === 'Full') await addOwnFinalizer(run);
  const serviceZone = await zoneAtService(run, service, claim.name);
  if ('answer' in serviceZone)
    return { ...missingZone(run.object, serviceZone.answer), next: { afterMs: REFUSED_RETRY_MS } };
  const { origin, key } = serviceZone;
  run.fields = { ...facts(run.object, serviceZone.zone), origin, key };
  // The spec may be older than the zone at the service.
  const isRestored = context.isEtcdRestored(object);
  if (isRestored === undefined) return { next: { afterMs: NAME_RETRY_MS } };
  const { zone, programmed } = !isRestored
    ? await applySecondaryChoice(run, service, await adjust(run, service, serviceZone))
    : { zone: serviceZone.zone, programmed: null };
  run.fields = { ...facts(run.object, zone), origin, key };
  // After a start, the records of deleted objects wait for it, also while the zone is not served.
  if (!context.held.isCompared(zone.id)) await ownerChecks.check(run, service, zone);
  restoreReach(object, context.propagation.reach);
  const proof = await prove(run, service, zone);
  const servedAnswer = proof.problem === null ? readyBy(proof, zone) : no('AwaitingPropagation', proof.problem);
  // A choice that is not offered keeps only the zone from being Ready, and none of its records.
  const ready = programmed?.status === 'False' ? programmed : servedAnswer;
  run.fields = { ...run.fields, ...summarizeServing(object, zone, proof, context.now()) };
  run.answers = {
    Accepted: ZONE_ACCEPTED,
    Programmed: programmed ?? programmedWith(key, object.status?.keys),
    Ready: ready,
    ...heldAnswer(run),
    ...restoredAnswer(run),
    ...degradedAnswer(run, proof),
  };
  const isServed = proof.problem === null;
  // The slow questions follow in a run of their own, because they must not delay the news of Ready.
  if (isServed && isNews(object, ready)) return { answers: run.answers, next: { afterMs: 0 } };
  const mayChange = !isRestored;
  run.answers = { ...run.answers, ...(await keyChecks.check(run, service, zone, { isServed, mayChange })) };
  if (!isServed) return { answers: run.answers, next: { afterMs: retryDelay(object, context.now()) } };
  const delegationAnswer = delegatedAnswer(zone, context.lookUpParent && (await context.lookUpParent(zone, signal)));
  run.answers = { ...run.answers, Delegated: delegationAnswer, ...(await targetChecks.check(run, service, zone)) };
  await ownerChecks.check(run, service, zone);
  const dueTimes = [
    ownerChecks.dueIn(keyOf(object)),
    keyChecks.dueIn(keyOf(object)),
    ...(delegationAnswer.status === 'False' ? [delegationRetry(zone, context.now())] : []),
    ...(ready.status === 'False' ? [NOT_OFFERED_RETRY_MS] : []),
    ...(proof.leftOut.length > 0 ? [LEFT_OUT_RETRY_MS] : []),
    lookAgainMs(seenBy(proof, zone), context.now(), zone.updatedAt),
  ];
  return { answers: run.answers, next: { afterMs: Math.min(...dueTimes) } };
}

function prove({ context, object, signal }: ZoneRun, { client }: ServiceConnection, zone: Zone): Promise<Proof> {
  const { serial, patienceSeconds } = needed(object, zone);
  const proofRequest = {
    ...zone,
    serial,
    readyWhen: object.spec.readyWhen,
    namespace: object.metadata.namespace ?? '',
  };
  return context.propagation.zoneServed(proofRequest, patienceSeconds, client, signal);
}

/** Whether the status does not have this result for Ready yet, for this spec. */
function isNews({ status, metadata }: DNSZone, { status: next, reason }: ConditionAnswer): boolean {
  const readyCondition = findCondition(status?.conditions, 'Ready');
  return (
    readyCondition?.status !== next ||
    readyCondition.reason !== reason ||
    (readyCondition.observedGeneration ?? 0) < (metadata.generation ?? 0)
  );
}

/**
 * The serial that every name server must have reached, and how long a node may be behind. For a zone that is Ready for
 * its spec it is the serial of that time: the records wait for their own changes, and a busy zone would otherwise lose
 * Ready repeatedly.
 */
function needed({ status, metadata }: DNSZone, zone: Zone): { serial: number; patienceSeconds: number } {
  const wasReady = status?.zoneId === zone.id && isTrue(status.conditions, 'Ready', metadata.generation);
  if (!wasReady) return { serial: zone.serial, patienceSeconds: 0 };
  return { serial: status.serial ?? zone.serial, patienceSeconds: PATIENCE_SECONDS };
}

/**
 * A parent at the same service delegates a new zone soon after its name servers answer, so the delay grows with the age
 * of the zone.
 */
function delegationRetry({ createdAt }: Zone, now: Date): number {
  const age = now.getTime() - Date.parse(createdAt);
  return Math.min(NOT_DELEGATED_RETRY_MS, Math.max(FIRST_NOT_DELEGATED_RETRY_MS, age / 4));
}

/** The delay grows with the time since the zone is not Ready, up to 5 s. */
function retryDelay({ status }: DNSZone, now: Date): number {
  const ready = findCondition(status?.conditions, 'Ready');
  const age = ready?.status === 'False' ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, age / 10));
}

/** Returns the canonical name, or the problem of the spec or of its name among other DNSZones. */
function judge(context: OperatorContext, object: DNSZone): { name: string } | { answer: NotReady } {
  const spec = zoneSpec.safeParse(object.spec);
  if (!spec.success) {
    const words = spec.error.issues.map((issue) => `spec.${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { answer: no('InvalidSpec', words) };
  }
  const comment = readObjectComment(object);
  if (!comment.ok) return { answer: no('InvalidSpec', comment.problem.message) };
  const name = parseZoneName(spec.data.zoneName);
  if (!name.ok) return { answer: no('InvalidSpec', `spec.zoneName: ${name.problem.message}`) };
  const answer = claimRefused(object, name.value, createNeighbours(context), labelsIn(context));
  return answer ? { answer } : { name: name.value };
}

/**
 * Brings the parked state, the default TTL and the denial of the zone to the values of the spec, and its comment to
 * that of the annotation.
 */
async function adjust(
  run: ZoneRun,
  service: ServiceConnection,
  { zone, origin }: { zone: Zone; origin: ZoneStatus['origin'] },
): Promise<Zone> {
  const { spec } = run.object;
  const commentVerdict = readObjectComment(run.object);
  if (spec.managementPolicy === 'Observe') return zone;
  const { client } = service;
  const params = { id: zone.id };
  let now = zone;
  if (spec.parked !== (now.state === 'parked')) {
    const operation = spec.parked ? parkZone : unparkZone;
    now = await sendForZone(run, service, zone.id, (options) => client.call(operation, { params }, options));
  }
  // Without a value in the spec, a zone that the operator created returns to the default, and without an annotation it
  // has no comment; an adopted zone keeps all of them.
  const isOurs = origin === 'Created' && spec.driftPolicy === 'Enforce';
  const defaultTtl = spec.defaultTtl ?? (isOurs ? DEFAULT_TTL : now.defaultTtl);
  const denial = spec.denial ?? (isOurs ? DEFAULT_DENIAL : now.denial);
  const storedComment = now.comment ?? null;
  const comment = (commentVerdict.ok ? commentVerdict.value : storedComment) ?? (isOurs ? null : storedComment);
  const change = {
    ...(defaultTtl === now.defaultTtl ? {} : { defaultTtl }),
    ...(denial === now.denial ? {} : { denial }),
    ...(comment === storedComment ? {} : { comment }),
  };
  if (Object.keys(change).length > 0) {
    now = await sendForZone(run, service, zone.id, (options) =>
      client.call(updateZone, { params, body: change }, options),
    );
  }
  if (now !== zone) {
    const commentNote = comment === storedComment ? '' : '; its comment was changed';
    const note = `The zone is ${now.state}, its default TTL is ${now.defaultTtl} s, and it denies names with ${now.denial}${commentNote}`;
    run.events.push({ type: 'Normal', reason: 'Updated', action: 'Update', note });
  }
  return now;
}
