// The facts about a DNSZone or DNSRecord that findings and views name. Pure.
import { type Condition, findCondition } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import type { KubeObject, ObjectName } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { listRecordValues, summarizeValues } from '#resources/summary.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';

export type Shown = DNSZone | DNSRecord;

/** The parts of the title of an object. An object that does not exist has a title too. */
interface Titled {
  readonly kind: string;
  readonly metadata: ObjectName;
}

/**
 * The operator writes serials and counts 10 seconds after a DNSRecord changed, and otherwise every 10 minutes. One that
 * is stopped writes nothing, so no text may promise an age.
 */
export const AGE = 'as the operator saw it last, which looks every 10 minutes while it runs';

export const isZone = (object: KubeObject): object is DNSZone => object.kind === DNS_ZONE.kind;
export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
/** Such as "DNSZone team-a/mine", or "ClusterIssuer public" for an object that belongs to no namespace. */
export const titleOf = ({ kind, metadata: { namespace, name } }: Titled): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
/** As kubectl takes it. The group is there because other products have DNSRecords too. */
export const resourceOf = ({ kind, metadata }: KubeObject): string =>
  `${kind.toLowerCase()}.zonestead.dev/${metadata.name}`;
/** As `why` takes it. */
export const shortOf = (object: KubeObject): string => `${isZone(object) ? 'zdz' : 'zdr'}/${object.metadata.name}`;

export function conditionsOf({ status }: Shown): readonly Condition[] {
  return status?.conditions ?? [];
}

/** The condition Ready. A condition of an older generation says nothing about the object as it is now. */
export function readyOf(object: Shown): { isReady: boolean; reason: string; message: string } {
  const ready = findCondition(conditionsOf(object), 'Ready');
  if (ready === undefined)
    return { isReady: false, reason: 'Pending', message: 'The operator has not processed this object yet.' };
  const isOld = (ready.observedGeneration ?? 0) < (object.metadata.generation ?? 0);
  if (ready.status === 'True' && isOld)
    return { isReady: false, reason: 'Pending', message: 'The operator has not processed the last change yet.' };
  return { isReady: ready.status === 'True', reason: ready.reason, message: ready.message };
}

/** Such as "Ready", "not Ready: Conflict" or "Deleting: DeletionBlocked". */
export function stateOf(object: Shown): string {
  const { isReady, reason } = readyOf(object);
  if (isDeleting(object)) return isReady ? 'Deleting' : `Deleting: ${reason}`;
  if (!isReady) return `not Ready: ${reason}`;
  return reason === 'Ready' ? 'Ready' : `Ready: ${reason}`;
}

/** The name of the zone as the service has it: in lower case, without the final dot. */
export function zoneNameOf({ spec }: DNSZone): string {
  return zoneNameIndex({ spec } as DNSZone)[0] ?? spec.zoneName;
}

/** Such as "www A 192.0.2.1". */
export function recordWords({ spec }: DNSRecord): string {
  return `${spec.name} ${spec.type} ${summarizeValues(listRecordValues(spec))}`;
}

/** Objects by namespace and name. */
export function sorted<T extends KubeObject>(objects: readonly T[]): T[] {
  const key = (object: T) => `${namespaceOf(object)}/${object.metadata.name}`;
  return objects.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
