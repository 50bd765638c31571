// Reconciles one DNSRecord: reads the object, its ledger, its zone and the records at the service, plans and writes the changes,
// proves them by DNS, and writes the status.

import type { Clock } from '#base/clock.ts';
import type { DnsRecord } from '#client/client.ts';
import { isAbsent } from '#client/errors.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord, type LedgerEntry } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { summaryOf, valuesOf } from '#resources/summary.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { type BoundedWait, createBoundedWait } from '../access/bounded-wait.ts';
import { labelsIn, type OperatorContext, withFinalizer } from '../access/context.ts';
import { contextForZone, rejectedKey } from '../access/credentials.ts';
import { refusal } from '../access/grants.ts';
import { precedingRecord, TURN_RETRY_MS } from '../access/precedence.ts';
import type { ExpectedRecord } from '../proof/propagation.ts';
import { countedNames, type ReadyWhen } from '../proof/secondaries.ts';
import { type Answer, type NotReady, no, yes } from '../run/conditions.ts';
import { failureOf, PausedTooLong, REFUSED_RETRY_MS } from '../run/failures.ts';
import { adoptable } from './adopt.ts';
import { applyPlan } from './apply.ts';
import { ledgerOf } from './creation-annotation.ts';
import { deleteRecordObject } from './delete.ts';
import { type Desired, desiredOf } from './desired.ts';
import { resolveIntents } from './intents.ts';
import { planRecord, type RecordPlan } from './plan.ts';
import { messageOf } from './problem.ts';
import { ACCEPTED, concludeRecord, concludeRecordFailure, PROGRAMMED, propagatedAt, stopped } from './status.ts';
import { withdraw } from './withdraw.ts';

const FIRST_PROBE_RETRY_MS = 100;
const LAST_PROBE_RETRY_MS = 5_000;

export function createRecordReconciler(context: OperatorContext, clock: Clock) {
  const mustWait = createBoundedWait(clock);
  const mustWaitForZone = createBoundedWait(clock);
  return async (key: string, run: ReconcileContext): Promise<ReconcileResult> => {
    const object = context.records.get(key);
    if (!object) return {};
    if (isDeleting(object)) return deleteRecordObject(context, clock, object, mustWaitForZone, run);
    return reconcileRecord(context, clock, mustWait, object, run);
  };
}

async function reconcileRecord(
  context: OperatorContext,
  clock: Clock,
  mustWait: BoundedWait,
  object: DNSRecord,
  run: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = run;
  const zone = context.zones.get(zoneKeyOf(object));
  const judgedZone = zone && zoneOf(zone, object);
  if (!judgedZone) {
    const answer = no(
      'ZoneNotReady',
      zone
        ? `DNSZone ${keyOf(zone)} is not ready for records yet. See its conditions; the operator then continues by itself.`
        : `DNSZone ${zoneKeyOf(object)} does not exist. Create it, or create this DNSRecord again with another spec.zoneRef.`,
    );
    await concludeRecord(context, object, {}, stopped(answer), signal);
    // A change of the zone triggers the next run of this record.
    return {};
  }
  const verdict = desiredOf(object, judgedZone.zoneName);
  const problem = verdict.ok
    ? notPermitted(context, object, zone as DNSZone, verdict.desired.name)
    : no('InvalidSpec', verdict.message);
  let current = object;
  try {
    if (!verdict.ok || problem)
      return await refuseRecord(context, clock, object, zone as DNSZone, problem as NotReady, run);
    const scope = await contextForZone(context, zone as DNSZone, signal);
    if ('answer' in scope) return await waitForKey(context, object, zone as DNSZone, scope.answer, signal);
    const isNew = ledgerOf(object, context.seal).entries.length === 0;
    const preceding = isNew
      ? precedingRecord(context, object, zone as DNSZone, judgedZone.zoneName, verdict.desired)
      : null;
    if (mustWait(object, preceding !== null)) return { requeueAfterMs: TURN_RETRY_MS };
    return await program(scope.context, clock, object, judgedZone, verdict.desired, run, (written) => {
      current = written;
    });
  } catch (error) {
    const answer = rejectedKey(context, zone as DNSZone, error);
    if (answer) return await waitForKey(context, current, zone as DNSZone, answer, signal);
    // Another client deleted the record between the read and the write: read again.
    if (isAbsent(error) && error.code === 'not_found') return { requeueAfterMs: FIRST_PROBE_RETRY_MS };
    if (isAbsent(error)) {
      // The zone no longer exists at the service. Its own reconciler handles that, and its change triggers this record.
      context.enqueueZone(keyOf(zone as DNSZone));
      const answer = no(
        'ZoneNotReady',
        `The zone of DNSZone ${zoneKeyOf(object)} no longer exists at the DNS service. See the conditions of that DNSZone.`,
      );
      await concludeRecord(context, current, {}, stopped(answer, ACCEPTED), signal);
      return { requeueAfterMs: 1_000 };
    }
    const failure = failureOf(error);
    if (!failure) throw error;
    const until = error instanceof PausedTooLong ? error.until : null;
    // A refused record keeps its condition: a failure of the withdrawal must not overwrite it.
    if (!problem) await concludeRecordFailure(context, clock, current, failure, until, signal);
    if (failure.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    context.enqueueRecordOnRecovery(keyOf(current));
    throw error;
  }
}

/** Writes the refusal into the status. If the zone does not permit the record, the operator then removes it from DNS. */
async function refuseRecord(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  zone: DNSZone,
  answer: NotReady,
  run: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = run;
  const refused = await concludeRecord(context, object, {}, stopped(answer), signal);
  if (answer.reason === 'NotPermitted') await withdraw(context, clock, refused, zone, run);
  return { requeueAfterMs: REFUSED_RETRY_MS };
}

/** The zone's own API key is missing or invalid. The name servers still serve the records that were written before. */
async function waitForKey(
  context: OperatorContext,
  object: DNSRecord,
  zone: DNSZone,
  { reason }: NotReady,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const message = `DNSZone ${keyOf(zone)} has no usable API key (${reason}). See the conditions of that DNSZone.`;
  const answer = no('ZoneNotReady', message);
  await concludeRecord(context, object, {}, stopped(answer), signal);
  return { requeueAfterMs: context.credentials.refreshMs };
}

interface ReadyZone {
  /** The namespace of the record. */
  namespace: string;
  zoneId: string;
  zoneName: string;
  defaultTtl: number;
  parked: boolean;
  nameservers: string[];
  readyWhen: ReadyWhen;
  /** The names of the name servers that count, as the DNSZone last saw its secondaries. */
  counted: readonly string[];
}

function zoneOf({ spec, status }: DNSZone, record: DNSRecord): ReadyZone | null {
  if (status?.zoneId === undefined || status.defaultTtl === undefined) return null;
  // A zone that is refused now accepts no writes of its records either.
  if (findCondition(status.conditions, 'Accepted')?.status === 'False') return null;
  const name = parseZoneName(spec.zoneName);
  if (!name.ok) return null;
  const { nameservers = [], secondaries = [] } = status;
  const added = secondaries.map(({ nameservers: names = [] }) => ({ nameservers: names }));
  return {
    namespace: record.metadata.namespace ?? '',
    zoneId: status.zoneId,
    zoneName: name.value,
    defaultTtl: status.defaultTtl,
    parked: status.state === 'parked',
    nameservers,
    readyWhen: spec.readyWhen,
    counted: countedNames(nameservers, spec.readyWhen, added),
  };
}

function notPermitted(context: OperatorContext, record: DNSRecord, zone: DNSZone, name: string): NotReady | null {
  const message = refusal(zone, record, name, labelsIn(context));
  return message === null ? null : no('NotPermitted', message);
}

async function program(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  zone: ReadyZone,
  desired: Desired,
  run: ReconcileContext,
  written: (object: DNSRecord) => void,
  mustList = false,
): Promise<ReconcileResult> {
  const { signal, reconcileId: requestId } = run;
  const facts = { fqdn: desired.fqdn, zoneId: zone.zoneId };
  // A ledger of another zone is void: that zone no longer exists, and neither do its records.
  const known = ledgerOf(object, context.seal);
  const ledger = known.zoneId === zone.zoneId ? known.entries : [];
  // The finalizer precedes the first write; a new object gets it together with the announcement of its creations.
  const held = ledger.length > 0 ? await withFinalizer(context, context.records, DNS_RECORD, object, signal) : object;
  written(held);
  const owned = await resolveIntents(context, clock, held, zone.zoneId, ledger, run);
  // A new object sends its values without reading first: the service reports conflicts.
  const isOptimistic =
    !mustList && ledger.length === 0 && held.status?.records === undefined && held.spec.adopt === 'Never';
  const place = { name: desired.name, type: desired.type };
  const actual = isOptimistic ? [] : await context.client.records.list(zone.zoneId, place, { signal, requestId });
  const others = actual.filter(({ id }) => !owned.some((entry) => entry.id === id));
  const plan = planRecord({
    desired: desired.values,
    owned,
    actual,
    defaultTtl: zone.defaultTtl,
    adoptable: adoptable(context, object, zone, desired, others),
  });
  // Until the whole spec was written once, a difference is unfinished work of the operator.
  const programmed = isTrue(object.status?.conditions, 'Programmed', object.metadata.generation);
  if (plan.drift.length > 0 && programmed && !mayRepair(context, object, plan.drift)) {
    const answer = yes(
      'Drifted',
      `The records were changed at the DNS service, and driftPolicy does not revert that: ${plan.drift.join('; ')}. Set driftPolicy: Enforce to revert it.`,
    );
    await concludeRecord(context, object, facts, stopped(answer, ACCEPTED), signal);
    return {};
  }

  const outcome = await applyPlan(context, clock, held, { zoneId: zone.zoneId, plan, written }, run);
  if (isOptimistic && outcome.problem?.reason === 'Conflict')
    return program(context, clock, outcome.object, zone, desired, run, written, true);
  const records: LedgerEntry[] = outcome.owned;
  const hasWritten = plan.create.length + plan.update.length + plan.remove.length > 0;
  if (hasWritten) context.observer.written(object.metadata.uid);
  if (outcome.problem) {
    const { reason } = outcome.problem;
    const answer = no(reason, messageOf(context, object, outcome.problem));
    const accepted = reason === 'Conflict' ? ACCEPTED : answer;
    await concludeRecord(context, outcome.object, { ...facts, records }, stopped(answer, accepted), signal);
    return { requeueAfterMs: REFUSED_RETRY_MS };
  }
  if (plan.drift.length > 0 && programmed) context.observer.drift('DNSRecord', 'repaired');
  const proven = provenBefore(object, zone);
  const propagated =
    proven !== null && isInSync(plan, ledger) && !zone.parked
      ? proven
      : await prove(context, zone, expectedOf(desired, plan, actual, zone), signal);
  await concludeRecord(
    context,
    outcome.object,
    { ...facts, records },
    { Accepted: ACCEPTED, Programmed: PROGRAMMED, Propagated: propagated },
    signal,
  );
  // Every write has an Event: this one, the Event for a change of Ready, or the Event for drift.
  if (hasWritten && isTrue(held.status?.conditions, 'Ready') && propagated.status === 'True' && plan.drift.length === 0)
    context.events.record(object, {
      type: 'Normal',
      reason: 'Updated',
      action: 'Update',
      note: `The change was written, and every name server serves it: ${summaryOf(valuesOf(object.spec))}`,
    });
  if (propagated.status === 'True') context.observer.propagated(object.metadata.uid);
  if (propagated.status === 'True' || zone.parked) return {};
  return { requeueAfterMs: probeDelay(object, context.now()) };
}

/** Whether the records matched the ledger and nothing was written: an earlier proof by DNS then remains valid. */
function isInSync({ create, update, remove, drift }: RecordPlan, ledger: readonly LedgerEntry[]): boolean {
  return (
    create.length + update.length + remove.length + drift.length === 0 && ledger.every(({ id }) => id !== undefined)
  );
}

/** The earlier proof, with its note, if it was about this spec and the same name servers. */
function provenBefore({ status, metadata }: DNSRecord, { counted, nameservers }: ReadyZone): Answer | null {
  if (!isTrue(status?.conditions, 'Propagated', metadata.generation)) return null;
  const message = findCondition(status?.conditions, 'Propagated')?.message ?? '';
  return message.startsWith(propagatedAt(counted, nameservers).message) ? yes('Propagated', message) : null;
}

/** Enforce reverts the drift and records an Event, Report only records the Event, and Ignore does neither. */
function mayRepair(context: OperatorContext, object: DNSRecord, drift: string[]): boolean {
  const policy = object.spec.driftPolicy ?? context.zones.get(zoneKeyOf(object))?.spec.driftPolicy ?? 'Enforce';
  if (policy !== 'Ignore') {
    context.observer.drift('DNSRecord', 'found');
    context.events.record(object, {
      type: 'Warning',
      reason: 'Drift',
      action: policy === 'Enforce' ? 'Repair' : 'Report',
      note: drift.join('; '),
    });
  }
  return policy === 'Enforce';
}

/** The expected RRset: the values of the object, with the lowest TTL of all records in the RRset. */
function expectedOf(
  desired: Desired,
  plan: RecordPlan,
  actual: readonly DnsRecord[],
  { defaultTtl }: ReadyZone,
): ExpectedRecord {
  const ours = new Set([...plan.keep, ...plan.update, ...plan.remove].map(({ id }) => id));
  const others = actual.filter(({ id }) => !ours.has(id)).map(({ ttl }) => ttl);
  const ttl = Math.min(...desired.values.map((value) => value.ttl ?? defaultTtl), ...others);
  return {
    name: desired.fqdn,
    type: desired.type,
    ttl,
    rdatas: desired.values.map(({ wire }) => wire),
  };
}

async function prove(
  context: OperatorContext,
  zone: ReadyZone,
  expected: ExpectedRecord,
  signal: AbortSignal,
): Promise<Answer> {
  if (zone.parked)
    return no(
      'ZoneParked',
      'The zone is parked, so that the name servers answer for its apex only. Set spec.parked: false on the DNSZone.',
    );
  const proof = await context.propagation.recordServed(zone, expected, context.client, signal);
  return proof.problem === null
    ? propagatedAt(proof.nameservers, zone.nameservers, proof.note)
    : no('AwaitingPropagation', proof.problem);
}

/** The delay grows with the time since the change, up to 5 s. */
function probeDelay(object: DNSRecord, now: Date): number {
  const since = object.status?.conditions.find(({ type }) => type === 'Propagated')?.lastTransitionTime;
  const age = since === undefined ? 0 : now.getTime() - Date.parse(since);
  return Math.min(LAST_PROBE_RETRY_MS, Math.max(FIRST_PROBE_RETRY_MS, age / 10));
}
