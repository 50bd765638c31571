// Releases what DNSRecords own at the service: of an object that no longer exists, and at places where an object may
// not have or no longer has its values.
//
// If the zone is deleted too, for example with its namespace, the one deletion of the zone removes all its records.
// Separate releases would use up the write limit of the key, and a namespace with hundreds of records would take
// minutes.

import type { BoundedWait } from '#base/bounded-wait.ts';
import { isAbsent } from '#client/errors.ts';
import { sendSet } from '#client/pace/send.ts';
import type { ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf, splitKey } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, RELEASE_MANY } from '#resources/names.ts';
import { isKept, isManaged } from '../access/claims.ts';
import { type OperatorContext, requireCluster } from '../access/context.ts';
import { connectionForDeletion } from '../access/credentials.ts';
import { NAME_RETRY_MS } from '../cluster/name.ts';
import { failed, toReconcileResult } from '../run/failures.ts';
import type { RecordRun } from '../run/run.ts';
import type { ReachedZone } from './held.ts';
import { contested } from './indexes.ts';
import { buildObjectOwner } from './owner.ts';

/** The time until the next check whether the zone still exists, in ms. */
const ZONE_RETRY_MS = 250;
/**
 * The time until the next check whether a release is still held, in ms. A permission or a returned object causes it at
 * once.
 */
const HELD_RETRY_MS = 5 * 60_000;

type Call = RecordRun['call'];

/** The run of a key whose object does not exist. @throws errors of the service that a retry may solve */
export async function releaseGone(
  context: OperatorContext,
  key: string,
  { signal, reconcileId, log }: ReconcileContext,
  mustWait: BoundedWait,
): Promise<ReconcileResult> {
  const call = { signal, requestId: reconcileId };
  for (const place of context.held.at(key)) {
    const zone = context.zones.get(place.zoneKey);
    if (mustWait(key, isDeletedWithRecords(context, zone, place))) {
      context.held.back(key);
      return { requeueAfterMs: ZONE_RETRY_MS };
    }
    // The owners of another cluster with the same name look like those of objects that are gone.
    if (zone && context.isNameTaken(zone) !== false) return { requeueAfterMs: NAME_RETRY_MS };
    context.held.gone(key);
    const isRestored = context.isEtcdRestored(zone);
    if (isRestored === undefined) return { requeueAfterMs: NAME_RETRY_MS };
    // An owner has accepted the older objects, so the objects that are missing count as deleted.
    const isAccepted = !isRestored && context.held.isHeldRestored(key);
    const isPermitted = isAccepted || zone?.metadata.annotations?.[RELEASE_MANY] === 'true';
    if (isRestored && !isPermitted) context.held.holdRestored(key);
    const may = isPermitted || context.held.mayRelease(key, () => listZoneIds(context));
    if (typeof may === 'number') return { requeueAfterMs: may };
    if (may && !isPermitted && (await context.isKindDeleted(DNS_RECORD, signal))) context.held.hold(key);
    if (!isPermitted && context.held.isHeld(key)) {
      context.enqueueZone(place.zoneKey);
      return { requeueAfterMs: HELD_RETRY_MS };
    }
    try {
      await releaseAt(context, key, place, call);
    } catch (error) {
      const { failure, next } = failed(context, error, zone);
      // The object that could have a condition is gone; the zone has one about its key.
      if (failure.kind === 'key' && zone) context.enqueueZone(keyOf(zone));
      if (failure.kind === 'refused')
        log.warn({ reason: failure.message }, 'the records of a deleted DNSRecord remain');
      return toReconcileResult(next, () => context.enqueueRecordOnRecovery(key));
    }
    context.held.released(key, !isPermitted);
  }
  return {};
}

function listZoneIds({ zones }: OperatorContext): string[] {
  return zones.list().flatMap((zone) => (isDeleting(zone) ? [] : (zone.status?.zoneId ?? [])));
}

/** Whether the zone is about to be deleted at the service with all its records. */
function isDeletedWithRecords(context: OperatorContext, zone: DNSZone | undefined, { zoneId }: ReachedZone): boolean {
  if (!zone || zone.status?.zoneId !== zoneId) return false;
  // Kubernetes deletes the kinds of a namespace one after the other: the zone follows.
  const namespace = context.namespaces.get(zone.metadata.namespace ?? '');
  if (!isDeleting(zone) && (namespace === undefined || !isDeleting(namespace))) return false;
  if (isKept(zone) || !isManaged(zone)) return false;
  return findCondition(zone.status?.conditions, 'Ready')?.reason !== DELETION_BLOCKED;
}

/**
 * Releases everything that the owner has in the zone. Records stay if they were applied with deletionPolicy Retain.
 * @throws errors of the service; the process then still knows the place
 */
export async function releaseAt(context: OperatorContext, key: string, place: ReachedZone, call: Call): Promise<void> {
  const zone = context.zones.get(place.zoneKey);
  const service = await connectionForDeletion(context, zone, place.zoneId, call.signal);
  const { namespace: group = '' } = splitKey(key);
  const set = { owner: buildObjectOwner(requireCluster(context), key), release: true } as const;
  try {
    await sendSet(service.dispatcher, context.clock, { lane: 'change', group, ...call, zone: place.zoneId, set });
  } catch (error) {
    // The records are gone with their zone.
    if (!isAbsent(error)) throw error;
  }
  context.held.drop(key, place.zoneId);
  context.checks.releasedAny();
  wakeContested(context, place.zoneKey, key);
}

/** Another object may wait for a value that this one has given up. */
export function wakeContested(context: OperatorContext, zoneKey: string, key: string): void {
  for (const each of contested(context.records, zoneKey, key)) context.enqueueRecord(each);
}

/**
 * Removes the values of a DNSRecord from DNS that the zone no longer permits. The object remains, and its values return
 * when the zone permits them again.
 * @throws errors of the service
 */
export async function withdraw(run: RecordRun, zone: DNSZone): Promise<void> {
  const { context, object } = run;
  const key = keyOf(object);
  const { zoneId } = zone.status ?? {};
  const isThere = zoneId !== undefined && object.status?.zoneId === zoneId;
  if (isThere) context.held.put(key, { zoneId, zoneKey: keyOf(zone) });
  const places = context.held.at(key);
  if (places.length === 0) return;
  // An older zone may lack a permission that the record has got since.
  if (context.isEtcdRestored(zone) !== false) return;
  // Without a key the operator cannot write to the zone; the conditions of the zone report that.
  for (const place of places) await releaseAt(context, key, place, run.call);
  run.events.push({
    type: 'Warning',
    reason: 'Withdrawn',
    action: 'Withdraw',
    note: `The zone no longer allows these values, and the operator removes them from DNS: ${object.status?.summary ?? ''}`,
  });
  run.fields = { ...run.fields, zoneId: undefined };
}
