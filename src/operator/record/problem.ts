// The problem that keeps a value of a DNSRecord from being written, as its condition reports it. An object of another
// namespace is told nothing about the zone's records, except about DNSRecords that own the same value.
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import { BY_RECORD_ID, type OperatorContext } from '../access/context.ts';
import type { Failure } from '../run/failures.ts';
import type { DesiredValue } from './desired.ts';

export interface Problem extends Pick<Failure, 'reason' | 'message'> {
  /** The ids of the records at the service that conflict with the value. */
  records: readonly string[];
  /** Whether the message may be shown to an object of another namespace than the zone's. */
  isForAll: boolean;
}

/** Describes a refusal by the service. Its message may describe any record of the zone. */
export function problemOf({ reason, message, records }: Failure): Problem {
  return { reason, message, records, isForAll: reason !== 'Conflict' };
}

/** Describes a value that already exists at the service in a record that this object does not own. */
export function takenValue(context: OperatorContext, { id, value }: { id: string; value: DesiredValue }): Problem {
  const [holder] = context.records.byIndex(BY_RECORD_ID, id);
  const message = holder
    ? `DNSRecord ${keyOf(holder)} already owns ${value.content}. Delete one of the two objects.`
    : `The value ${value.content} already exists at the DNS service (${id}), and no DNSRecord owns it. Delete it there, or set spec.adopt: IfIdentical to take it over.`;
  return { reason: 'Conflict', message, records: [], isForAll: holder !== undefined };
}

/** Returns the message for the condition of this object. */
export function messageOf(context: OperatorContext, object: DNSRecord, problem: Problem): string {
  if (problem.isForAll) return problem.message;
  if (!isInOwnNamespace(object)) {
    const { type, name } = object.spec;
    return `The zone contains records that conflict with ${type} records named ${name}. Ask the owner of DNSZone ${zoneKeyOf(object)} which records these are.`;
  }
  const owners = problem.records.flatMap((id) => {
    const [holder] = context.records.byIndex(BY_RECORD_ID, id);
    return holder ? [`${id} belongs to DNSRecord ${keyOf(holder)}.`] : [];
  });
  return [problem.message, ...owners].join(' ');
}
