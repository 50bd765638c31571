// The results of a run as conditions of a DNSRecord.
import { isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { listRecordValues } from '#resources/summary.ts';
import { unownedValue } from '#resources/unowned.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import { type OperatorContext, requireCluster } from '../access/context.ts';
import { buildCheckName } from '../checks/name.ts';
import { ONLY_SECONDARIES } from '../proof/propagation.ts';
import { type ConditionAnswer, no, notEvaluated, yes } from '../run/conditions.ts';
import type { Failure } from '../run/failures.ts';
import type { RecordOutcome, RecordRun } from '../run/run.ts';
import { findWithLabel } from './indexes.ts';
import { keyIn } from './owner.ts';

export const RECORD_ACCEPTED = yes('Accepted', 'The record is valid and permitted.');
export const PROGRAMMED = yes('Programmed', 'The DNS service has stored all values.');
export const RECORD_READY = yes('Ready', 'The record is served.');

const ALL_OR_NONE = 'The operator has written none of the new values of this object.';

/** The delay in ms after which the operator tries a zone again that was there a moment ago. */
const NO_ZONE_MS = 1_000;

/** The condition for a proof that omits unreachable name servers. Its message lists them all, as the other one. */
export function propagatedToReachable(
  countedServers: readonly string[],
  all: readonly string[],
  note: string | null = null,
): ConditionAnswer {
  const which = countedServers.length < all.length ? ' that are not secondaries' : '';
  const message = `Every reachable name server serves the record. The name servers of the zone${which}: ${[...countedServers].sort().join(', ')}.`;
  return yes('Propagated', note === null ? message : `${message} ${note}`);
}

/**
 * The message lists the name servers that count, so that other name servers of the zone need a new proof, also after a
 * restart.
 * @param all the names of all name servers
 * @param note a sentence after it.
 */
export function propagatedAt(
  countedServers: readonly string[],
  all: readonly string[],
  note: string | null = null,
): ConditionAnswer {
  const which = countedServers.length < all.length ? ' that is not a secondary' : '';
  const message =
    countedServers.length === 0 && all.length > 0
      ? `Every node has the record. ${ONLY_SECONDARIES}`
      : `Every name server of the zone${which} serves the record: ${[...countedServers].sort().join(', ')}.`;
  return yes('Propagated', note === null ? message : `${message} ${note}`);
}

/**
 * The results of a run that ended before the proof by DNS. (Default of `acceptedAnswer`: the same as
 * `programmedAnswer`.)
 */
export function stopped(
  programmedAnswer: ConditionAnswer & { reason: NotReadyReason },
  acceptedAnswer: ConditionAnswer = programmedAnswer,
): Record<string, ConditionAnswer> {
  return { Accepted: acceptedAnswer, Programmed: programmedAnswer, Propagated: notEvaluated(programmedAnswer.reason) };
}

/** A record that was Ready for this spec stays Ready while the service is unavailable, because it is still served. */
export function failedRecord({ context, object }: RecordRun, failure: Failure): Partial<RecordOutcome> {
  const zoneKey = zoneKeyOf(object);
  if (failure.kind === 'key') {
    const message = `DNSZone ${zoneKey} has no usable API key (${failure.reason}). See the conditions of that DNSZone.`;
    return { answers: stopped(no('ZoneNotReady', message)) };
  }
  if (failure.kind === 'absent') {
    // The reconciler of the zone handles that, and a change of the zone causes the next run of the record.
    const message = `The zone of DNSZone ${zoneKey} no longer exists at the DNS service. See the conditions of that DNSZone.`;
    return {
      answers: stopped(no('ZoneNotReady', message), RECORD_ACCEPTED),
      wakesZone: zoneKey,
      next: { afterMs: NO_ZONE_MS },
    };
  }
  const { kind, reason } = failure;
  if (reason === 'OlderThanService') context.older.note(keyOf(object), zoneKey);
  const message = describeRefusal(context, object, failure);
  if (reason === 'CheckMissing') return missingCheck(context, object);
  if (kind === 'refused') {
    // Only a write can be refused: a key that may write may read.
    const together = listRecordValues(object.spec).length > 1 ? ` ${ALL_OR_NONE}` : '';
    const answer = no(reason, message + together);
    return {
      answers: stopped(answer, reason === 'InvalidSpec' || reason === 'NotPermitted' ? answer : RECORD_ACCEPTED),
    };
  }
  if (isTrue(object.status?.conditions, 'Ready', object.metadata.generation ?? 0))
    return { answers: { Ready: yes(reason, message) } };
  return { answers: stopped(no(reason, message), RECORD_ACCEPTED) };
}

/** The time until the operator puts a check of its own again that is gone, in ms. */
const CHECK_RETRY_MS = 1_000;

/** The service has no check of the name that the values have. */
function missingCheck(context: OperatorContext, object: DNSRecord): Partial<RecordOutcome> {
  const owner = context.zones.get(zoneKeyOf(object))?.status?.owner;
  const name = object.spec.healthCheck?.checkRef;
  if (name === undefined) {
    context.checks.forget(owner, buildCheckName(requireCluster(context), keyOf(object)));
    const answer = no(
      'CheckMissing',
      'The check of this record was deleted at the DNS service. The operator creates it again.',
    );
    return { answers: stopped(answer, RECORD_ACCEPTED), next: { afterMs: CHECK_RETRY_MS } };
  }
  const message = `${owner ?? 'The owner of the zone'} has no check ${name} at the DNS service. Create it with "PUT /v1/checks/${name}", or write its definition into spec.healthCheck; the operator then continues automatically.`;
  return { answers: stopped(no('CheckMissing', message), RECORD_ACCEPTED) };
}

type Refusal = Pick<Failure, 'reason' | 'message' | 'owner' | 'value' | 'isShared' | 'records'>;

/** A longer value is cut: a condition is read by people. */
const LONGEST_VALUE = 80;
/** The owner that stands for a DNSRecord of any cluster. */
const OF_CLUSTER = /^k8s:(?<cluster>[^/]+)\/(?<key>.+)$/;

/**
 * Returns the message for the condition of this object. An object of another namespace is told nothing about the zone's
 * records, except about a DNSRecord of this cluster that owns the same value.
 */
export function describeRefusal(context: OperatorContext, object: DNSRecord, failure: Refusal): string {
  const { reason, message, owner, isShared } = failure;
  if (reason === 'OlderThanService') return olderMessage(context);
  if (reason !== 'Conflict') return message;
  const cluster = context.cluster();
  const value = failure.value === null ? null : clip(failure.value);
  const holder = owner === null || cluster === undefined ? undefined : keyIn(owner, cluster);
  if (value !== null && holder !== undefined && holder !== keyOf(object))
    return `DNSRecord ${holder} already owns ${value}. Delete one of the two objects.`;
  if (!isInOwnNamespace(object)) {
    const { type, name } = object.spec;
    return `The zone contains records that conflict with ${type} records named ${name}. Ask the owner of DNSZone ${zoneKeyOf(object)} which records these are. If they are the same values of another cluster, set spec.sharing: Shared on both DNSRecords.`;
  }
  if (value !== null && owner === null) return unownedValue(value);
  const other = OF_CLUSTER.exec(owner ?? '')?.groups;
  if (value !== null && other !== undefined)
    return `The value ${value} ${isShared ? 'is shared by' : 'belongs to'} DNSRecord ${other.key} of cluster ${other.cluster}. To serve it from both clusters, ${whoShares(object, isShared)}; otherwise delete one of the two objects.`;
  const others = neighbours(context, object);
  return [forObject(message, others.length > 0 ? failure.records : []), ...others].join(' ');
}

/**
 * The sentence of the service about a field, as a sentence about the object.
 * @param ids those that the rest names as objects
 */
function forObject(message: string, ids: readonly string[]): string {
  const withField = message.replace(/^(?=(?:name|type|content|ttl|priority): )/, 'spec.');
  return ids.reduce((text, id) => text.replaceAll(` (${id})`, ''), withField);
}

/** The message about an object that is older than the data of the service of it. */
export function olderMessage({ cluster }: Pick<OperatorContext, 'cluster'>): string {
  return `The DNS service has a newer version of this object than Kubernetes: etcd was probably restored from a backup. DNS keeps the newer values. To keep them, write them into this object. To let this object win, an owner of the team runs "zonestead clusters accept-older ${cluster()}"; the operator then continues automatically.`;
}

/** The objects that do not share the value yet. */
function whoShares({ spec }: DNSRecord, isShared: boolean): string {
  if (isShared) return 'set spec.sharing: Shared on this DNSRecord';
  return spec.sharing === 'Shared'
    ? 'set spec.sharing: Shared on that DNSRecord too'
    : 'set spec.sharing: Shared on both DNSRecords';
}

function clip(value: string): string {
  return value.length <= LONGEST_VALUE ? value : `${value.slice(0, LONGEST_VALUE - 3)}…`;
}

/** The other DNSRecords that have records of the same name. */
function neighbours({ records }: OperatorContext, object: DNSRecord): string[] {
  const isThere = ({ metadata, spec, status }: DNSRecord) =>
    metadata.uid !== object.metadata.uid &&
    spec.name.toLowerCase() === object.spec.name.toLowerCase() &&
    isTrue(status?.conditions, 'Programmed');
  return findWithLabel(records, zoneKeyOf(object), object.spec.name)
    .filter(isThere)
    .map((record) => `DNSRecord ${keyOf(record)} has ${record.spec.type} records of this name.`);
}
