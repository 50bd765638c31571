// The results of a run as conditions and fields of a DNSZone.

import type { Zone } from '#contract/zone.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import { enclosing, isManaged } from '../access/claims.ts';
import { createNeighbours, type OperatorContext } from '../access/context.ts';
import { ONLY_SECONDARIES, type Proof } from '../proof/propagation.ts';
import { type ConditionAnswer, type NotReady, no, unknown, yes } from '../run/conditions.ts';
import type { Failure } from '../run/failures.ts';
import type { ZoneOutcome, ZoneRun } from '../run/run.ts';
import { failedDeletion } from './delete.ts';
import { keySentence } from './key.ts';

export const ZONE_ACCEPTED = yes('Accepted', 'The zone is valid.');

/**
 * @param key the key that the zone got when the object created it; undefined if the object did not, or if it is not
 * known
 * @param keys those of the zone now; undefined: not known
 */
export function programmedWith(key: ZoneStatus['key'], keys: ZoneStatus['keys']): ConditionAnswer {
  const existence = 'The zone exists at the DNS service.';
  const isRolled = keys?.every(({ keyTag }) => keyTag !== key?.keyTag) ?? false;
  return yes('Programmed', key === undefined || isRolled ? existence : `${existence} ${keySentence(key)}`);
}

export const NOT_THERE_YET = unknown(
  'NotChecked',
  'The zone does not exist at the DNS service yet. The operator queries the parent zone afterwards.',
);
export const ZONE_READY = yes('Ready', 'Every name server answers for the zone.');

export function readyBy(
  { nameservers, note, leftOut }: Pick<Proof, 'nameservers' | 'note' | 'leftOut'>,
  { zoneName, nameservers: all }: Pick<Zone, 'zoneName' | 'nameservers'>,
): ConditionAnswer {
  const which = nameservers.length < all.length ? ' that is not a secondary' : '';
  const message =
    nameservers.length === 0 && all.length > 0
      ? `Every node has the zone. ${ONLY_SECONDARIES}`
      : `Every ${leftOut.length > 0 ? 'reachable ' : ''}name server${which} answers for the zone.`;
  const label = zoneName.includes('.') ? null : `${zoneName} is a single label${SINGLE_LABEL}`;
  return yes('Ready', [message, note, label].filter((text) => text !== null).join(' '));
}

const SINGLE_LABEL =
  ', which the public DNS has as a top-level domain only. If you mean a zone of a domain, create a DNSZone with the whole name, such as shop.example.com.';

/** The fields of the zone at the service that the status repeats. */
export function facts(object: DNSZone, zone: Zone): Partial<ZoneStatus> {
  return {
    // The intent is not needed once the id is known.
    intent: undefined,
    zoneId: zone.id,
    owner: zone.owner,
    creationStatus: zone.status ?? object.status?.creationStatus ?? 'done',
    state: zone.state,
    nameservers: zone.nameservers,
    ds: zone.ds,
    serial: zone.serial,
    defaultTtl: zone.defaultTtl,
    denial: zone.denial,
    records: zone.records,
  };
}

/** The fields of a status that say nothing about the zone at the service. */
const OWN_FIELDS: readonly string[] = [
  'conditions',
  'observedGeneration',
  'nextAttemptTime',
  'intent',
] satisfies (keyof ZoneStatus)[];

/** Removes the fields from a status that the namespace of the object has no right to know. */
function nothingKnown({ status = { conditions: [] } }: DNSZone): Partial<ZoneStatus> {
  const hiddenFields = Object.keys(status).filter((field) => !OWN_FIELDS.includes(field));
  return Object.fromEntries(hiddenFields.map((field) => [field, undefined]));
}

/** The zone may not have its name, or no record may be written to it. */
export function refusedZone(object: DNSZone, answer: NotReady): Partial<ZoneOutcome> {
  const fields = isManaged(object) || object.status?.origin === undefined ? {} : nothingKnown(object);
  return { answers: { Accepted: answer, Programmed: answer }, fields };
}

/** The service has no zone that the object may have. */
export function missingZone(object: DNSZone, answer: NotReady): Partial<ZoneOutcome> {
  // The status must not show data that the object has no right to, or no longer has a right to.
  const fields = answer.reason === 'ZoneMissing' ? {} : nothingKnown(object);
  return {
    answers: { Accepted: answer.reason === 'NotPermitted' ? answer : ZONE_ACCEPTED, Programmed: answer },
    fields,
  };
}

/** A zone that was Ready for this spec stays Ready while the service is unavailable, because it is still served. */
export function failedZone(run: ZoneRun, failure: Failure): Partial<ZoneOutcome> {
  const { object, context } = run;
  if (isDeleting(object)) return failedDeletion(run, failure);
  const { reason } = failure;
  if (failure.kind === 'key') return refusedZone(object, no(reason, failure.message));
  const generation = object.metadata.generation ?? 0;
  const message = messageFor(context, object, failure);
  if (failure.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation))
    return { answers: { Accepted: ZONE_ACCEPTED, Ready: yes(reason, message) } };
  return { answers: { Accepted: ZONE_ACCEPTED, Programmed: no(reason, message) } };
}

/** The service names records of the parent zone that a new zone would hide, which another namespace must not see. */
function messageFor(context: OperatorContext, object: DNSZone, { reason, message }: Failure): string {
  const name = parseZoneName(object.spec.zoneName);
  const above = name.ok ? enclosing(object, name.value, createNeighbours(context))?.zone : undefined;
  if (reason !== 'Conflict' || !name.ok || !above || above.metadata.namespace === object.metadata.namespace)
    return message;
  return `Zone ${name.value} conflicts with records in the zone of DNSZone ${keyOf(above)}. Ask the owner of that DNSZone which records these are.`;
}
