// Deletes a DNSRecord: deletes exactly the ids in its ledger at the service, and then removes the finalizer.
//
// If the zone is deleted too, for example with its namespace, the one deletion of the zone removes all its records. Separate
// deletions would use up the write limit of the key, and a namespace with hundreds of records would take minutes.

import type { Clock } from '#base/clock.ts';
import { settleAll } from '#base/settle-all.ts';
import { isAbsent } from '#client/errors.ts';
import type { ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer, isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DELETION_BLOCKED, FINALIZER } from '#resources/names.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import type { BoundedWait } from '../access/bounded-wait.ts';
import { isKept, isManaged } from '../access/claims.ts';
import { dropFinalizer, type OperatorContext } from '../access/context.ts';
import { contextForZone, withConnection } from '../access/credentials.ts';
import type { NotReady } from '../run/conditions.ts';
import { type Failure, failureOf, PausedTooLong, REFUSED_RETRY_MS } from '../run/failures.ts';
import { removeValue } from './apply.ts';
import { ledgerOf } from './creation-annotation.ts';
import { resolveIntents } from './intents.ts';
import { concludeRecordFailure } from './status.ts';

/** The time until the next check whether the zone still exists, in ms. */
const ZONE_RETRY_MS = 250;

export async function deleteRecordObject(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  mustWait: BoundedWait,
  run: ReconcileContext,
): Promise<ReconcileResult> {
  if (!hasFinalizer(object, FINALIZER)) return {};
  const { signal } = run;
  if (mustWait(object, isDeletedWithZone(context, object))) return { requeueAfterMs: ZONE_RETRY_MS };
  try {
    if (!isRetained(object)) {
      const scope = await contextForRecord(context, object, signal);
      if ('answer' in scope) {
        const { message } = scope.answer;
        const failure: Failure = { kind: 'transient', reason: 'ZoneNotReady', message, records: [] };
        await concludeRecordFailure(context, clock, object, failure, null, signal);
        return { requeueAfterMs: context.credentials.refreshMs };
      }
      await deleteAtService(scope.context, clock, object, run);
    }
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    await concludeRecordFailure(
      context,
      clock,
      object,
      failure,
      error instanceof PausedTooLong ? error.until : null,
      signal,
    );
    if (failure.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    context.enqueueRecordOnRecovery(keyOf(object));
    throw error;
  }
  await dropFinalizer(context, context.records, DNS_RECORD, object, signal);
  return {};
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

/** Deletion uses the remembered key when the Secret is gone: Kubernetes deletes the Secrets of a namespace first. */
async function contextForRecord(
  context: OperatorContext,
  object: DNSRecord,
  signal: AbortSignal,
): Promise<{ context: OperatorContext } | { answer: NotReady }> {
  const zone = context.zones.get(zoneKeyOf(object));
  const scope = zone ? await contextForZone(context, zone, signal) : { context };
  if (zone && 'context' in scope) return scope;
  const connection = context.credentials.remembered(ledgerOf(object, context.seal).zoneId);
  return connection ? { context: withConnection(context, connection) } : scope;
}

async function deleteAtService(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  run: ReconcileContext,
): Promise<void> {
  const { zoneId, entries } = ledgerOf(object, context.seal);
  if (zoneId === undefined || entries.length === 0) return;
  const { signal, reconcileId: requestId } = run;
  try {
    const zone = context.zones.get(zoneKeyOf(object));
    // A read does not count towards the write limit of the key, but the deletion of a missing record does.
    if (!zone || isDeleting(zone) || zone.status?.zoneId !== zoneId)
      await context.client.zones.get(zoneId, { signal, requestId });
    const owned = await resolveIntents(context, clock, object, zoneId, entries, run);
    await settleAll(owned.map(({ id }) => removeValue(context, clock, object, zoneId, id, run)));
  } catch (error) {
    // The records are gone with their zone.
    if (!isAbsent(error)) throw error;
  }
}
