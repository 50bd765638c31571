// Reconciles one DNSRecord: looks at the object and its zone, decides whether the record may be there, writes its
// values, proves them by DNS, and returns the outcome.

import { type BoundedWait, createBoundedWait } from '#base/bounded-wait.ts';
import type { Reconcile } from '#kube/controller/controller.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord, type RecordStatus } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { explainDenial, mayKnow } from '#resources/record-grant.ts';
import { listRecordValues, summarizeValues } from '#resources/summary.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import { labelsIn, type OperatorContext } from '../access/context.ts';
import { connectionFor, type ServiceConnection } from '../access/credentials.ts';
import { ensureCheck, readHealth } from '../checks/health.ts';
import { type NotReady, no, yes } from '../run/conditions.ts';
import { REFUSED_RETRY_MS } from '../run/failures.ts';
import { createReconciler } from '../run/reconciler.ts';
import type { RecordOutcome, RecordRun } from '../run/run.ts';
import { applyValues } from './apply.ts';
import { type Desired, findReadyZone, judgeSpec, type ReadyZone } from './desired.ts';
import { precedingRecord, TURN_RETRY_MS } from './precedence.ts';
import { nextProbe, provenBefore, proveValues } from './prove.ts';
import { releaseGone, withdraw } from './release.ts';
import { type JudgedReverse, judgeReverse, losesReverse } from './reverse.ts';
import { readReverse } from './reverse-state.ts';
import { failedRecord, olderMessage, PROGRAMMED, RECORD_ACCEPTED, RECORD_READY, stopped } from './status.ts';

/** The time until the next check whether the owners in the zone were read, in ms. Their list causes a run, too. */
const OWNERS_RETRY_MS = 1_000;
/**
 * The same for an object whose values were written before the start: otherwise thousands of them would run each second.
 */
const OWNERS_WRITTEN_RETRY_MS = 10_000;

export function createRecordReconciler(context: OperatorContext): Reconcile {
  const mustWait = createBoundedWait(context.clock);
  const mustWaitForOwners = createBoundedWait(context.clock);
  const mustWaitForZone = createBoundedWait(context.clock);
  return createReconciler<DNSRecord, RecordStatus>(context, {
    type: DNS_RECORD,
    cache: context.records,
    decide: (run) => reconcileRecord(run, mustWait, mustWaitForOwners),
    failed: failedRecord,
    zoneOf: (object) => context.zones.get(zoneKeyOf(object)),
    fieldsOf: ({ spec }) => ({ summary: summarizeValues(listRecordValues(spec)) }),
    answersOf: () => ({}),
    ready: RECORD_READY,
    onRecovery: context.enqueueRecordOnRecovery,
    gone: (key, control) => {
      context.older.clear(key);
      return releaseGone(context, key, control, mustWaitForZone);
    },
  });
}

async function reconcileRecord(
  run: RecordRun,
  mustWait: BoundedWait,
  mustWaitForOwners: BoundedWait,
): Promise<RecordOutcome> {
  const { context, object, signal } = run;
  const { uid = '' } = object.metadata;
  context.held.back(keyOf(object));
  const dnsZone = context.zones.get(zoneKeyOf(object));
  // After a start, the list of the owners in the zone shows which sets the service has: those need no request.
  const isCompared = context.held.isCompared(dnsZone?.status?.zoneId ?? '');
  const isNamed = dnsZone !== undefined && context.isNameTaken(dnsZone) === false;
  const isRestored = context.isEtcdRestored(dnsZone);
  const mayWrite = isCompared && isNamed && isRestored !== undefined;
  if (dnsZone && wasWritten(object, dnsZone) && mustWaitForOwners(uid, !mayWrite))
    return { next: { afterMs: isCompared ? OWNERS_RETRY_MS : OWNERS_WRITTEN_RETRY_MS } };
  const hiddenProblem = hiddenZone(context, object, dnsZone);
  if (hiddenProblem)
    return dnsZone ? refuse(run, dnsZone, hiddenProblem) : { answers: stopped(hiddenProblem), next: {} };
  const zone = dnsZone && findReadyZone(context, dnsZone, object);
  // A change of the zone causes the next run of this record.
  if (!dnsZone || !zone) return { answers: stopped(noZone(object, dnsZone)), next: {} };
  const verdict = judgeSpec(object, zone.zoneName);
  const problem = verdict.ok
    ? notPermitted(context, object, dnsZone, verdict.desired.name)
    : no('InvalidSpec', verdict.message);
  if (!verdict.ok || problem) return refuse(run, dnsZone, problem as NotReady);
  const { desired } = verdict;
  if (mustWaitForOwners(uid, !mayWrite)) return { next: { afterMs: OWNERS_RETRY_MS } };
  const reverse = desired.wantsReverse ? judgeReverse(context, object, zone, desired) : null;
  // The DNSZone of the reverse zone may be older, too, and lack its grant.
  const isOlder = context.older.isReplaced(keyOf(object), uid) || losesReverse(object, desired, reverse ?? []);
  if (isRestored && isOlder)
    return { answers: stopped(no('OlderThanService', olderMessage(context)), RECORD_ACCEPTED), next: {} };
  const service = await connectionFor(context, dnsZone, signal);
  const preceding = precedingRecord(context, object, dnsZone, zone.zoneName, desired);
  if (mustWait(uid, preceding !== null)) return { next: { afterMs: TURN_RETRY_MS } };
  return program(run, service, zone, desired, reverse);
}

/** Whether the whole spec was written to the zone that its DNSZone has now. */
function wasWritten({ status, metadata }: DNSRecord, zone: DNSZone): boolean {
  return (
    status?.zoneId !== undefined &&
    status.zoneId === zone.status?.zoneId &&
    isTrue(status.conditions, 'Programmed', metadata.generation)
  );
}

/**
 * The same answer for a zone of another namespace that does not exist, and for one without any grant for the record's
 * namespace.
 */
function hiddenZone(context: OperatorContext, object: DNSRecord, zone: DNSZone | undefined): NotReady | null {
  const namespace = object.metadata.namespace ?? '';
  if ((object.spec.zoneRef.namespace ?? namespace) === namespace) return null;
  if (zone && mayKnow(zone, namespace, labelsIn(context))) return null;
  const message = `DNSZone ${zoneKeyOf(object)} does not exist, or allows no records from namespace ${namespace}. The owner of that DNSZone can allow them in spec.allowedRecords; the operator then continues automatically.`;
  return no('NotPermitted', message);
}

function noZone(object: DNSRecord, zone: DNSZone | undefined): NotReady {
  return no(
    'ZoneNotReady',
    zone
      ? `DNSZone ${keyOf(zone)} is not ready for records yet. See its conditions; the operator then continues automatically.`
      : `DNSZone ${zoneKeyOf(object)} does not exist. Create it, or create this DNSRecord again with another spec.zoneRef.`,
  );
}

/**
 * A refused record that the zone does not permit is removed from DNS. A failure of the removal leaves the refusal as it
 * is.
 */
async function refuse(run: RecordRun, zone: DNSZone, answer: NotReady): Promise<RecordOutcome> {
  run.answers = stopped(answer);
  if (answer.reason === 'NotPermitted') {
    await withdraw(run, zone);
    run.answers = { ...run.answers, Healthy: null };
    run.fields = { ...run.fields, members: undefined, foundService: undefined, reverse: undefined };
  }
  return { answers: run.answers, next: { afterMs: REFUSED_RETRY_MS } };
}

function notPermitted(context: OperatorContext, record: DNSRecord, zone: DNSZone, name: string): NotReady | null {
  const message = explainDenial(zone, record, name, labelsIn(context)) ?? explainForeignCheck(record);
  return message === null ? null : no('NotPermitted', message);
}

/**
 * A check of the team is not for guests: the service would send its requests, with its path and host, to an address of
 * their choice.
 */
function explainForeignCheck(record: DNSRecord): string | null {
  if (record.spec.healthCheck?.checkRef === undefined || isInOwnNamespace(record)) return null;
  return `The checks of the team are only for records in the namespace of DNSZone ${zoneKeyOf(record)}. Write the definition of the check into spec.healthCheck instead of checkRef.`;
}

async function program(
  run: RecordRun,
  service: ServiceConnection,
  zone: ReadyZone,
  desired: Desired,
  reverse: readonly JudgedReverse[] | null,
): Promise<RecordOutcome> {
  const { context, object } = run;
  // Also after a failure: the answer of the service may be lost.
  run.fields = { fqdn: desired.fqdn, zoneId: zone.zoneId };
  const checkName = await ensureCheck(run, service, zone, desired);
  const appliedValues = await applyValues(run, service, zone, desired, checkName, reverse);
  const { drift, hasWritten } = appliedValues;
  if (hasWritten) run.observations.push({ kind: 'written', at: context.clock.now() });
  if (drift.length > 0 && zone.policies.drift !== 'Enforce')
    return { answers: stopped(drifted(drift), RECORD_ACCEPTED), next: {} };
  if (drift.length > 0) run.observations.push({ kind: 'drift', result: 'repaired' });
  const wasInSync = !hasWritten && drift.length === 0;
  const before = wasInSync && !zone.parked && !zone.isDrained ? provenBefore(object, zone) : null;
  const propagated = before ?? (await proveValues(run, service, zone, desired));
  const isServed = propagated.status === 'True';
  // The next run of an object with a check mostly follows from a probe, and writes nothing at the service either.
  const isUnproven = propagated.reason === 'AwaitingPropagation' || propagated.reason === 'TargetUnresolved';
  if (isUnproven || checkName !== undefined || reverse !== null) appliedValues.unproven();
  const health = await readHealth(run, service, zone, desired, checkName);
  const isReversed = await readReverse(run, service, zone, desired, reverse);
  if (isServed) run.observations.push({ kind: 'propagated', at: context.clock.now() });
  // Every write has an Event: this one, the Event for a change of Ready, or the Event for drift.
  if (hasWritten && isTrue(object.status?.conditions, 'Ready') && isServed && drift.length === 0)
    run.events.push({
      type: 'Normal',
      reason: 'Updated',
      action: 'Update',
      note: `The change was written, and every name server serves it: ${summarizeValues(listRecordValues(object.spec))}`,
    });
  return {
    answers: { Accepted: RECORD_ACCEPTED, Programmed: PROGRAMMED, Propagated: propagated, ...health },
    next: nextProbe(run, zone, propagated, isReversed),
  };
}

function drifted(drift: readonly string[]) {
  return yes(
    'Drifted',
    `The records were changed at the DNS service, and driftPolicy does not revert that: ${drift.join('; ')}. Set driftPolicy: Enforce to revert it.`,
  );
}
