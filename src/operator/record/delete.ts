// Deletes a DNSRecord: deletes exactly the ids in its ledger at the service, and then removes the finalizer.
//
// If the zone is deleted too, for example with its namespace, the one deletion of the zone removes all its records. Separate
// deletions would use up the write limit of the key, and a namespace with hundreds of records would take minutes.

import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer, isDeleting } from '#kube/objects/finalizer.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { DELETION_BLOCKED, FINALIZER } from '#resources/names.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import type { BoundedWait } from '../access/bounded-wait.ts';
import { isKept, isManaged } from '../access/claims.ts';
import type { OperatorContext } from '../access/context.ts';
import { connectionForDeletion } from '../access/credentials.ts';
import type { RecordOutcome, RecordRun } from '../run/run.ts';
import { ledgerOf } from './creation-annotation.ts';
import { releaseValues } from './write.ts';

/** The time until the next check whether the zone still exists, in ms. */
const ZONE_RETRY_MS = 250;

/** @throws errors of the service and of the API server */
export async function deleteRecord(run: RecordRun, mustWait: BoundedWait): Promise<RecordOutcome> {
  const { context, object, signal } = run;
  if (!hasFinalizer(object, FINALIZER)) return { next: {} };
  if (mustWait(object, isDeletedWithZone(context, object))) return { next: { afterMs: ZONE_RETRY_MS } };
  if (!isRetained(object)) {
    const { zoneId } = ledgerOf(object, context.seal);
    const service = await connectionForDeletion(context, context.zones.get(zoneKeyOf(object)), zoneId, signal);
    await releaseValues(run, service);
  }
  return { isReleased: true, next: {} };
}

/** Whether the zone of the object is about to be deleted at the service with all its records. */
function isDeletedWithZone(context: OperatorContext, object: DNSRecord): boolean {
  const zone = context.zones.get(zoneKeyOf(object));
  const { zoneId, entries } = ledgerOf(object, context.seal);
  if (!zone || entries.length === 0 || zone.status?.zoneId !== zoneId) return false;
  // Kubernetes deletes the kinds of a namespace one after the other: the zone follows.
  const namespace = context.namespaces.get(zone.metadata.namespace ?? '');
  if (!isDeleting(zone) && (namespace === undefined || !isDeleting(namespace))) return false;
  if (isKept(zone) || !isManaged(zone)) return false;
  return findCondition(zone.status?.conditions, 'Ready')?.reason !== DELETION_BLOCKED;
}

/** In a zone of another namespace no value may remain without its object, because it would remain after the grant ends. */
function isRetained(object: DNSRecord): boolean {
  return object.spec.deletionPolicy === 'Retain' && isInOwnNamespace(object);
}
