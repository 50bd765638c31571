// The dependencies of the reconcilers, which run/main.ts assembles.
import type { Clock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import type { Cache } from '#kube/cache/store.ts';
import type { EventRecorder } from '#kube/events/events.ts';
import { type KubeObject, keyOf } from '#kube/objects/resource.ts';
import type { ParentLookup } from '#nameserver/probe/parent.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { LabelsOf } from '#resources/grant-match.ts';
import type { EventReason } from '#resources/reasons.ts';
import type { FollowedServices } from '../checks/services.ts';
import type { CheckWatch } from '../checks/watch.ts';
import type { OlderObjects } from '../cluster/older.ts';
import type { SeenRestore } from '../cluster/seen-restore.ts';
import type { Propagation } from '../proof/propagation.ts';
import type { HeldOwners } from '../record/held.ts';
import type { Observer } from '../run/observation.ts';
import type { Neighbours } from './claims.ts';
import type { KindIsDeleted } from './crds.ts';
import type { Credentials } from './credentials.ts';

export interface OperatorContext {
  api: KubeApi;
  clock: Clock;
  events: EventRecorder<EventReason>;
  /** The connections to the service, one for each API key. */
  credentials: Credentials;
  /** Null when no resolver is configured to find parent zones with. */
  lookUpParent: ParentLookup | null;
  propagation: Propagation;
  observer: Observer;
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  /** Adds the key to the work queue. */
  enqueueZone(key: string): void;
  enqueueRecord(key: string): void;
  /** Adds the key to the work queue when the service, which is unavailable, answers again. */
  enqueueZoneOnRecovery(key: string): void;
  enqueueRecordOnRecovery(key: string): void;
  now(): Date;
  /** Returns the name of this cluster in the owners of records; undefined until it is known. */
  cluster(): string | undefined;
  /** Whether the operator sees the objects of a namespace. */
  watches(namespace: string): boolean;
  /** Whether the cluster is drained for the owner of the zone; undefined until the service has answered. */
  isDrained(zone: DNSZone): boolean | undefined;
  /** Whether another Kubernetes cluster has the name of this one; undefined until the service has answered. */
  isNameTaken(zone: DNSZone): boolean | undefined;
  /**
   * Whether the etcd of this cluster was restored from a backup, and no owner has accepted the older objects;
   * undefined: not known yet.
   * @param zone undefined: a zone whose DNSZone does not exist
   */
  isEtcdRestored(zone: DNSZone | undefined): boolean | undefined;
  /** The objects that are older than the data of the service. */
  older: OlderObjects;
  seenRestore: SeenRestore;
  /** Whether the objects of a kind vanish because their CRD is deleted. */
  isKindDeleted: KindIsDeleted;
  /** Where the DNSRecords of this cluster have records. */
  held: HeldOwners;
  /** The results of the checks of DNSRecords. */
  checks: CheckWatch;
  /** The Services that DNSRecords follow. */
  services: Pick<FollowedServices, 'judge'>;
  /** Returns a new unique text for an Idempotency-Key. */
  nonce(): string;
}

/** The names of the indexes of the caches. */
export const BY_ZONE = 'zone';
export const BY_ZONE_NAME = 'zoneName';
export const BY_ZONE_ABOVE = 'zoneAbove';

/** @throws Error while the name of the cluster is not known; the queue then tries again */
export function requireCluster({ cluster }: Pick<OperatorContext, 'cluster'>): string {
  const name = cluster();
  if (name === undefined)
    throw new Error('the uid of namespace kube-system is not known; set ZONESTEAD_CLUSTER to a name of this cluster');
  return name;
}

/** Returns the other DNSZones, which decide with the object whether it may have its name. */
export function createNeighbours({ zones }: Pick<OperatorContext, 'zones'>): Neighbours {
  return {
    named: (name) => zones.byIndex(BY_ZONE_NAME, name),
    below: (name) => zones.byIndex(BY_ZONE_ABOVE, name),
  };
}

/** The text that marks a zone at the service as managed by the object. */
export function formatZoneMark(object: DNSZone): string {
  return `DNSZone ${keyOf(object)}`;
}

export function labelsIn({ namespaces }: Pick<OperatorContext, 'namespaces'>): LabelsOf {
  return (name) => {
    const namespace = namespaces.get(name);
    return namespace && (namespace.metadata.labels ?? {});
  };
}
