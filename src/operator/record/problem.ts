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

export type Problem = Pick<Failure, 'reason' | 'message' | 'owner' | 'value' | 'isShared'>;

export function problemOf({ reason, message, owner, value, isShared }: Failure): Problem {
  return { reason, message, owner, value, isShared };
}

/** A longer value is cut: a condition is read by people. */
const LONGEST_VALUE = 80;
/** The owner that stands for a DNSRecord of any cluster. */
const OF_CLUSTER = /^k8s:(?<cluster>[^/]+)\/(?<key>.+)$/;

/** Returns the message for the condition of this object. */
export function messageOf(context: OperatorContext, object: DNSRecord, { reason, message, ...held }: Problem): string {
  if (reason !== 'Conflict') return message;
  const { owner, isShared } = held;
  const cluster = context.cluster();
  const value = held.value === null ? null : clip(held.value);
  const holder = owner === null || cluster === undefined ? undefined : keyIn(owner, cluster);
  if (value !== null && holder !== undefined && holder !== keyOf(object))
    return `DNSRecord ${holder} already owns ${value}. Delete one of the two objects.`;
  if (!isInOwnNamespace(object)) {
    const { type, name } = object.spec;
    return `The zone contains records that conflict with ${type} records named ${name}. Ask the owner of DNSZone ${zoneKeyOf(object)} which records these are. If they are the same values of another cluster, set spec.sharing: Shared on both DNSRecords.`;
  }
  if (value !== null && owner === null)
    return `The value ${value} already exists at the DNS service, and no DNSRecord owns it. Delete it there, or set spec.adopt: IfIdentical to take it over.`;
  const other = OF_CLUSTER.exec(owner ?? '')?.groups;
  if (value !== null && other !== undefined)
    return `The value ${value} ${isShared ? 'is shared by' : 'belongs to'} DNSRecord ${other.key} of cluster ${other.cluster}. To serve it from both clusters, ${whoShares(object, isShared)}; otherwise delete one of the two objects.`;
  return [message, ...neighbours(context, object)].join(' ');
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
  return labelIndex(object)
    .flatMap((label) => records.byIndex(BY_LABEL, label))
    .filter(isThere)
    .map((record) => `DNSRecord ${keyOf(record)} has ${record.spec.type} records of this name.`);
}
