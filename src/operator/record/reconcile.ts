// Reconciles one DNSRecord: looks at the object and its zone, decides whether the record may be there, writes its values, proves
// them by DNS, and returns the outcome.

import type { ListedRecord } from '#client/client.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { Reconcile } from '#kube/controller/controller.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord, type RecordStatus } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { summaryOf, valuesOf } from '#resources/summary.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { type BoundedWait, createBoundedWait } from '../access/bounded-wait.ts';
import { clusterOf, labelsIn, type OperatorContext } from '../access/context.ts';
import { type Connection, connectionFor } from '../access/credentials.ts';
import { refusal } from '../access/grants.ts';
import { precedingRecord, TURN_RETRY_MS } from '../access/precedence.ts';
import { isWithdrawn } from '../cluster/reports.ts';
import { drainedMessage, servedOf } from '../cluster/served.ts';
import type { ExpectedRecord } from '../proof/propagation.ts';
import { countedNames, type ReadyWhen } from '../proof/secondaries.ts';
import { type Answer, type NotReady, no, yes } from '../run/conditions.ts';
import { REFUSED_RETRY_MS } from '../run/failures.ts';
import { createReconciler } from '../run/reconciler.ts';
import type { Next, RecordOutcome, RecordRun } from '../run/run.ts';
import { applyValues, identityOfRecord } from './apply.ts';
import { type Desired, desiredOf } from './desired.ts';
import { messageOf } from './problem.ts';
import { releaseGone, withdraw } from './release.ts';
import { ACCEPTED, failedRecord, PROGRAMMED, propagatedAt, READY, stopped } from './status.ts';

const FIRST_PROBE_RETRY_MS = 100;
const LAST_PROBE_RETRY_MS = 5_000;
/** The time until the next check whether the owners in the zone were read, in ms. Their list causes a run, too. */
const OWNERS_RETRY_MS = 1_000;

const ALL_OR_NONE = 'The operator has written none of the new values of this object.';

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
    fieldsOf: ({ spec }) => ({ summary: summaryOf(valuesOf(spec)) }),
    answersOf: () => ({}),
    ready: READY,
    onRecovery: context.enqueueRecordOnRecovery,
    gone: (key, control) => releaseGone(context, key, control, mustWaitForZone),
  });
}

async function reconcileRecord(
  run: RecordRun,
  mustWait: BoundedWait,
  mustWaitForOwners: BoundedWait,
): Promise<RecordOutcome> {
  const { context, object, signal } = run;
  context.held.back(keyOf(object));
  const found = context.zones.get(zoneKeyOf(object));
  const zone = found && zoneOf(context, found, object);
  // A change of the zone causes the next run of this record.
  if (!found || !zone) return { answers: stopped(noZone(object, found)), next: {} };
  const verdict = desiredOf(object, zone.zoneName);
  const problem = verdict.ok
    ? notPermitted(context, object, found, verdict.desired.name)
    : no('InvalidSpec', verdict.message);
  if (!verdict.ok || problem) return refuse(run, found, problem as NotReady);
  const { desired } = verdict;
  // After a start, the list of the owners in the zone shows which sets the service has: those need no request.
  if (mustWaitForOwners(object, !context.held.isCompared(zone.zoneId))) return { next: { afterMs: OWNERS_RETRY_MS } };
  const service = await connectionFor(context, found, signal);
  const preceding = precedingRecord(context, object, found, zone.zoneName, desired);
  if (mustWait(object, preceding !== null)) return { next: { afterMs: TURN_RETRY_MS } };
  return program(run, service, zone, desired);
}

function noZone(object: DNSRecord, zone: DNSZone | undefined): NotReady {
  return no(
    'ZoneNotReady',
    zone
      ? `DNSZone ${keyOf(zone)} is not ready for records yet. See its conditions; the operator then continues by itself.`
      : `DNSZone ${zoneKeyOf(object)} does not exist. Create it, or create this DNSRecord again with another spec.zoneRef.`,
  );
}

/** A refused record that the zone does not permit is removed from DNS. A failure of the removal leaves the refusal as it is. */
async function refuse(run: RecordRun, zone: DNSZone, answer: NotReady): Promise<RecordOutcome> {
  run.answers = stopped(answer);
  if (answer.reason === 'NotPermitted') await withdraw(run, zone);
  return { answers: run.answers, next: { afterMs: REFUSED_RETRY_MS } };
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
  /** Whether the cluster is drained for the owner of the zone. */
  isDrained: boolean;
}

function zoneOf(context: OperatorContext, dnsZone: DNSZone, record: DNSRecord): ReadyZone | null {
  const { spec, status } = dnsZone;
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
    // After a start, the status is right until the service has answered.
    isDrained: context.isDrained(dnsZone) ?? isWithdrawn(record),
  };
}

function notPermitted(context: OperatorContext, record: DNSRecord, zone: DNSZone, name: string): NotReady | null {
  const message = refusal(zone, record, name, labelsIn(context));
  return message === null ? null : no('NotPermitted', message);
}

async function program(run: RecordRun, service: Connection, zone: ReadyZone, desired: Desired): Promise<RecordOutcome> {
  const { context, object } = run;
  const { zoneId } = zone;
  const zoneSpec = context.zones.get(zoneKeyOf(object))?.spec;
  const driftPolicy = object.spec.driftPolicy ?? zoneSpec?.driftPolicy ?? 'Enforce';
  const whenClusterLost = object.spec.whenClusterLost ?? zoneSpec?.whenClusterLost ?? 'Keep';
  const applied = await applyValues(run, service, zoneId, desired, { drift: driftPolicy, whenClusterLost });
  const { drift, hasWritten } = applied;
  if (hasWritten) run.observations.push({ kind: 'written', at: context.clock.now() });
  run.fields = { fqdn: desired.fqdn, zoneId };
  if (drift.length > 0 && driftPolicy !== 'Enforce') return { answers: stopped(drifted(drift), ACCEPTED), next: {} };
  if (applied.problem) {
    const { reason } = applied.problem;
    const together = desired.values.length > 1 ? ` ${ALL_OR_NONE}` : '';
    const answer = no(reason, messageOf(context, object, applied.problem) + together);
    const accepted = reason === 'Conflict' ? ACCEPTED : answer;
    return { answers: stopped(answer, accepted), next: { afterMs: REFUSED_RETRY_MS } };
  }
  if (drift.length > 0) run.observations.push({ kind: 'drift', result: 'repaired' });
  const wasInSync = !hasWritten && drift.length === 0;
  const before = wasInSync && !zone.parked && !zone.isDrained ? provenBefore(object, zone) : null;
  const propagated = before ?? (await proveValues(run, service, zone, desired));
  const isServed = propagated.status === 'True';
  if (propagated.reason === 'AwaitingPropagation') applied.unproven();
  if (isServed) run.observations.push({ kind: 'propagated', at: context.clock.now() });
  // Every write has an Event: this one, the Event for a change of Ready, or the Event for drift.
  if (hasWritten && isTrue(object.status?.conditions, 'Ready') && isServed && drift.length === 0)
    run.events.push({
      type: 'Normal',
      reason: 'Updated',
      action: 'Update',
      note: `The change was written, and every name server serves it: ${summaryOf(valuesOf(object.spec))}`,
    });
  return {
    answers: { Accepted: ACCEPTED, Programmed: PROGRAMMED, Propagated: propagated },
    next: nextProbe(run, zone, propagated),
  };
}

function drifted(drift: readonly string[]) {
  return yes(
    'Drifted',
    `The records were changed at the DNS service, and driftPolicy does not revert that: ${drift.join('; ')}. Set driftPolicy: Enforce to revert it.`,
  );
}

/** The earlier proof, with its note, if it was about this spec and the same name servers. */
function provenBefore({ status, metadata }: DNSRecord, { counted, nameservers }: ReadyZone): Answer | null {
  if (!isTrue(status?.conditions, 'Propagated', metadata.generation)) return null;
  const message = findCondition(status?.conditions, 'Propagated')?.message ?? '';
  return message.startsWith(propagatedAt(counted, nameservers).message) ? yes('Propagated', message) : null;
}

/** An RRset has the lowest TTL of its records (RFC 2181 section 5.2), and other owners may have some of them. */
async function proveValues(
  run: RecordRun,
  service: Connection,
  zone: ReadyZone,
  { fqdn, name, type, values }: Desired,
): Promise<Answer> {
  const expected = { name: fqdn, type, rdatas: values.map(({ wire }) => wire) };
  const ttl = Math.min(...values.map((value) => value.ttl ?? zone.defaultTtl));
  const read = () => service.client.records.list(zone.zoneId, { name, type }, run.call);
  let there = zone.isDrained && !zone.parked ? await read() : null;
  if (there !== null && isWithheld(values, there)) return no('ClusterDrained', drainedMessage(clusterOf(run.context)));
  const first = await prove(run, service, zone, { ...expected, ttl });
  if (first.status === 'True' || zone.parked) return first;
  there ??= await read();
  const lowest = Math.min(ttl, ...servedOf(there).map((record) => record.ttl));
  return lowest === ttl ? first : prove(run, service, zone, { ...expected, ttl: lowest });
}

/** Whether a value is stored, but not served. */
function isWithheld(values: Desired['values'], records: readonly ListedRecord[]): boolean {
  const stored = new Set(records.map(identityOfRecord));
  const served = new Set(servedOf(records).map(identityOfRecord));
  return values.some(({ identity }) => stored.has(identity) && !served.has(identity));
}

/** Other records of the name may change while the cluster is drained. The heartbeat that ends it causes a run at once. */
function nextProbe({ object, context }: RecordRun, zone: ReadyZone, { status, reason }: Answer): Next {
  if (status === 'True' || zone.parked) return zone.isDrained ? { afterMs: REFUSED_RETRY_MS } : {};
  return { afterMs: reason === 'ClusterDrained' ? REFUSED_RETRY_MS : probeDelay(object, context.now()) };
}

async function prove(
  { context, signal }: RecordRun,
  { client }: Connection,
  zone: ReadyZone,
  expected: ExpectedRecord,
): Promise<Answer> {
  if (zone.parked)
    return no(
      'ZoneParked',
      'The zone is parked, so that the name servers answer for its apex only. Set spec.parked: false on the DNSZone.',
    );
  const proof = await context.propagation.recordServed(zone, expected, client, signal);
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
