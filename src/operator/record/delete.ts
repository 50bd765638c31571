// Removes the values of a DNSRecord from DNS: all of them before the object is deleted, and those that its zone no longer permits.
//
// If the zone is deleted too, for example with its namespace, the one deletion of the zone removes all its records. Separate
// deletions would use up the write limit of the key, and a namespace with hundreds of records would take minutes.

import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer, isDeleting } from '#kube/objects/finalizer.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, FINALIZER } from '#resources/names.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import type { BoundedWait } from '../access/bounded-wait.ts';
import { isKept, isManaged } from '../access/claims.ts';
import type { OperatorContext } from '../access/context.ts';
import { connectionFor, connectionForDeletion } from '../access/credentials.ts';
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

/**
 * Removes the values that the zone no longer permits. The object remains, and its values return when the zone permits them again.
 * @throws errors of the service; the ledger then still contains the remaining values
 */
export async function withdraw(run: RecordRun, zone: DNSZone): Promise<void> {
  const { context, object, signal } = run;
  const { zoneId, entries } = ledgerOf(object, context.seal);
  if (zoneId === undefined || entries.length === 0 || zoneId !== zone.status?.zoneId) return;
  // Without a key the operator cannot write to the zone; the conditions of the zone report that.
  const service = await connectionFor(context, zone, signal);
  const contents = entries.map(({ content }) => content).join(', ');
  await releaseValues(run, service);
  run.events.push({
    type: 'Warning',
    reason: 'Withdrawn',
    action: 'Withdraw',
    note: `The zone no longer allows these values, and the operator removes them from DNS: ${contents}`.slice(0, 1_024),
  });
  run.fields = { ...run.fields, records: [] };
}
