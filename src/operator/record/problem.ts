// The refusal of a DNSRecord's values, as its condition reports it. An object of another namespace is told nothing about the zone's
// records, except about a DNSRecord of this cluster that owns the same value.
import { isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import type { OperatorContext } from '../access/context.ts';
import { BY_LABEL, labelIndex } from '../access/precedence.ts';
import type { Failure } from '../run/failures.ts';
import { keyIn } from './owner.ts';

export type Problem = Pick<Failure, 'reason' | 'message'>;

export function problemOf({ reason, message }: Failure): Problem {
  return { reason, message };
}

/** The value in a refusal, with its owner, or without one (service/refusals/records.ts). */
const OWNED =
  /the value (?<value>.+) (?<relation>belongs to|is shared by) (?<owner>k8s:(?<cluster>[^\s,;/]+)\/(?<key>[^\s,;]+?))[.,;]?(?:\s|$)/s;
const UNOWNED = /the value (?<value>.+) exists already, and nobody owns it/s;

/** Returns the message for the condition of this object. */
export function messageOf(context: OperatorContext, object: DNSRecord, { reason, message }: Problem): string {
  if (reason !== 'Conflict') return message;
  const cluster = context.cluster();
  const owned = OWNED.exec(message)?.groups;
  const holder = owned === undefined || cluster === undefined ? undefined : keyIn(owned.owner ?? '', cluster);
  if (holder !== undefined && holder !== keyOf(object))
    return `DNSRecord ${holder} already owns ${owned?.value}. Delete one of the two objects.`;
  if (!isInOwnNamespace(object)) {
    const { type, name } = object.spec;
    return `The zone contains records that conflict with ${type} records named ${name}. Ask the owner of DNSZone ${zoneKeyOf(object)} which records these are. If they are the same values of another cluster, set spec.sharing: Shared on both DNSRecords.`;
  }
  const value = UNOWNED.exec(message)?.groups?.value;
  if (value !== undefined)
    return `The value ${value} already exists at the DNS service, and no DNSRecord owns it. Delete it there, or set spec.adopt: IfIdentical to take it over.`;
  if (owned !== undefined)
    return `The value ${owned.value} ${owned.relation} DNSRecord ${owned.key} of cluster ${owned.cluster}. To serve it from both clusters, ${whoShares(object, owned.relation)}; otherwise delete one of the two objects.`;
  return [message, ...neighbours(context, object)].join(' ');
}

/** The objects that do not share the value yet. */
function whoShares({ spec }: DNSRecord, relation: string | undefined): string {
  if (relation === 'is shared by') return 'set spec.sharing: Shared on this DNSRecord';
  return spec.sharing === 'Shared'
    ? 'set spec.sharing: Shared on that DNSRecord too'
    : 'set spec.sharing: Shared on both DNSRecords';
}

/** The other DNSRecords that have records of the same name. */
function neighbours({ records }: OperatorContext, object: DNSRecord): string[] {
  const isThere = ({ metadata, spec, status }: DNSRecord) =>
    metadata.uid !== object.metadata.uid &&
    spec.name.toLowerCase() === object.spec.name.toLowerCase() &&
    isTrue(status?.conditions, 'Programmed');
  return labelIndex(object)
    .flatMap((label) => records.byIndex(BY_LABEL, label))
    .filter(isThere)
    .map((record) => `DNSRecord ${keyOf(record)} has ${record.spec.type} records of this name.`);
}
