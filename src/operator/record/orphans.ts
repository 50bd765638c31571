// Finds the records of a zone whose object no longer exists. In a zone of another namespace no record may remain without its
// DNSRecord: a tenant that removes the finalizer and deletes the object would keep the record, even after its grant has ended.
//
// Only records that this operator wrote for this cluster count: their mark at the service is `DNSRecord namespace/name@cluster`.
// Records of the zone's own namespace remain, because deletionPolicy Retain may have kept them.
import { createHash } from 'node:crypto';
import type { ListedRecord } from '#client/client.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { keyOf, splitKey } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';

/** The prefix of the marks of all DNSRecords. */
export const MARK = 'DNSRecord ';

/** A record whose object does not exist according to the cache. */
export interface OrphanCandidate {
  readonly id: string;
  readonly name: string;
  readonly type: ListedRecord['type'];
  /** The key of the object that the record was written for. */
  readonly owner: string;
}

/** The text that marks a record at the service as managed by the object. @param cluster undefined while it is unknown */
export function markOfRecord(object: DNSRecord, cluster: string | undefined): string {
  return `${MARK}${keyOf(object)}${cluster === undefined ? '' : `@${cluster}`}`;
}

/** The id of the cluster in marks, derived from its namespace kube-system, which exists as long as the cluster. */
export function clusterId(kubeSystem: KubeObject | undefined): string | undefined {
  const uid = kubeSystem?.metadata.uid;
  return uid === undefined ? undefined : createHash('sha256').update(uid).digest('hex').slice(0, 12);
}

/** Returns the key of the object in a mark; undefined without a mark, and for the mark of another cluster. */
export function ownerIn(mark: string | undefined, cluster: string): string | undefined {
  const end = `@${cluster}`;
  return mark?.startsWith(MARK) && mark.endsWith(end) ? mark.slice(MARK.length, -end.length) : undefined;
}

export interface Known {
  readonly cluster: string;
  /** The namespace of the DNSZone. */
  readonly namespace: string;
  /** Whether the operator watches the objects of the namespace. */
  watches(namespace: string): boolean;
  /** Whether a ledger contains the record. */
  isOwned(id: string): boolean;
  /** Whether the object waits for the response to a creation. */
  isExpecting(key: string): boolean;
}

/** Counts the records of other namespaces in the zone, and returns those whose object does not exist. */
export function findOrphanCandidates(
  records: readonly ListedRecord[],
  known: Known,
): { foreign: number; candidates: OrphanCandidate[] } {
  let foreign = 0;
  const candidates: OrphanCandidate[] = [];
  for (const { id, name, type, managedBy } of records) {
    const owner = ownerIn(managedBy, known.cluster);
    const namespace = owner === undefined ? undefined : splitKey(owner).namespace;
    if (owner === undefined || namespace === undefined || namespace === known.namespace) continue;
    foreign += 1;
    if (!known.watches(namespace) || known.isOwned(id) || known.isExpecting(owner)) continue;
    candidates.push({ id, name, type, owner });
  }
  return { foreign, candidates };
}

/** More candidates than this, and more than half of the foreign records, are probably the result of a mistake elsewhere. */
const MAX_AT_ONCE = 20;

/** Whether the operator may remove so many records without the consent of a user. */
export function isPlausible(candidates: number, foreign: number): boolean {
  return candidates <= MAX_AT_ONCE || candidates <= foreign / 2;
}
