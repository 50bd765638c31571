// Deletes a DNSZone: treats the zone at the service according to the policy, and then removes the finalizer. The operator does
// not delete a zone that contains records which no DNSRecord owns.

import type { Clock } from '#base/clock.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, FINALIZER, FORCE_DELETE } from '#resources/names.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { isKept, isManaged } from '../access/claims.ts';
import { BY_ZONE, dropFinalizer, type OperatorContext, writeStatus } from '../access/context.ts';
import { type Connection, contextForZone, rejectedKey, withConnection } from '../access/credentials.ts';
import { conditionsWith, no, yes } from '../run/conditions.ts';
import { failureOf, PausedTooLong } from '../run/failures.ts';
import { send } from '../run/send.ts';
import { repeatCreation, zonePlaceOf } from './create.ts';

const BLOCKED_RETRY_MS = 5_000;
const SHOWN = 5;
/** The number of records in one response. */
const PAGE = 200;

export async function deleteZoneObject(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  run: ReconcileContext,
): Promise<ReconcileResult> {
  if (!hasFinalizer(object, FINALIZER)) return {};
  const { signal } = run;
  // The object may not delete a zone that it only observed, or that it was refused from the start.
  const has = isManaged(object) || object.status?.intent !== undefined;
  try {
    if (!isKept(object) && has) {
      const scope = await contextForZone(context, object, signal);
      const connection = 'context' in scope ? null : context.credentials.remembered(object.status?.zoneId);
      if ('answer' in scope && !connection) {
        const { reason, message } = scope.answer;
        const words = `The operator cannot delete the zone at the DNS service yet. ${message} To keep the zone there instead, set spec.deletionPolicy: Retain.`;
        await reportDeletionBlocked(context, object, reason, words, signal);
        return { requeueAfterMs: context.credentials.refreshMs };
      }
      const own = 'context' in scope ? scope.context : withConnection(context, connection as Connection);
      const zoneId = isManaged(object) ? object.status?.zoneId : await announced(own, clock, object, run);
      const blocked = zoneId === undefined ? null : await deleteAtService(own, clock, object, zoneId, run);
      if (blocked !== null) {
        await reportDeletionBlocked(context, object, DELETION_BLOCKED, blocked, signal);
        return { requeueAfterMs: BLOCKED_RETRY_MS };
      }
    }
  } catch (error) {
    const answer = rejectedKey(context, object, error);
    if (answer) {
      await reportDeletionBlocked(
        context,
        object,
        answer.reason,
        `The operator cannot delete the zone at the DNS service yet. ${answer.message}`,
        signal,
      );
      return { requeueAfterMs: context.credentials.refreshMs };
    }
    const failure = failureOf(error);
    if (!failure) throw error;
    await reportDeletionBlocked(
      context,
      object,
      failure.reason,
      `The operator cannot delete the zone at the DNS service yet. ${failure.message}`,
      signal,
    );
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    context.enqueueZoneOnRecovery(keyOf(object));
    throw error;
  }
  await dropFinalizer(context, context.zones, DNS_ZONE, object, signal);
  return {};
}

/** Returns the id of a zone whose creation was sent, but whose response was lost. */
async function announced(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  run: ReconcileContext,
): Promise<string | undefined> {
  const intent = object.status?.intent;
  const made = intent && (await repeatCreation(context, clock, object, intent, run));
  return made && !(made instanceof ApiError) ? made.id : undefined;
}

/** @returns why the zone is not deleted, or null when it no longer exists */
async function deleteAtService(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  zoneId: string,
  { reconcileId: requestId, signal }: ReconcileContext,
): Promise<string | null> {
  try {
    const zone = await context.client.zones.get(zoneId, { signal, requestId });
    const name = parseZoneName(object.spec.zoneName);
    // An id in a status must never lead to another zone.
    if (!name.ok || zone.zoneName !== name.value) return null;
    if (object.metadata.annotations?.[FORCE_DELETE] !== 'true') {
      const own = new Set(
        context.records
          .byIndex(BY_ZONE, keyOf(object))
          .flatMap((record) => (record.status?.records ?? []).map(({ id }) => id)),
      );
      const foreign = await foreignRecords(context, zoneId, own, { signal, requestId });
      if (foreign.length > 0) {
        const names = foreign.slice(0, SHOWN).join(', ') + (foreign.length > SHOWN ? ' and others' : '');
        return `The zone contains records that no DNSRecord owns: ${names}. Delete them at the DNS service, set spec.deletionPolicy: Retain, or annotate this object with ${FORCE_DELETE}=true to delete them with the zone.`;
      }
    }
    await send(context.dispatcher, clock, {
      ...zonePlaceOf(object, 'change'),
      zone: zoneId,
      signal,
      run: (attempt, onRate) => context.client.zones.delete(zoneId, { signal: attempt, onRate, requestId }),
    });
    return null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Returns the first names and types of records with other ids; a zone may contain any number of records. */
async function foreignRecords(
  context: OperatorContext,
  zoneId: string,
  own: ReadonlySet<string | undefined>,
  options: { signal: AbortSignal; requestId: string },
): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const page of context.client.records.pages(zoneId, {}, PAGE, options)) {
    for (const { id, name, type } of page) if (!own.has(id)) found.add(`${name} ${type}`);
    if (found.size > SHOWN) break;
  }
  return [...found];
}

async function reportDeletionBlocked(
  context: OperatorContext,
  object: DNSZone,
  reason: NotReadyReason,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  const generation = object.metadata.generation ?? 0;
  // A condition of its own allows `kubectl wait --for=condition=DeletionBlocked` and an alert.
  const isBlocked = reason === DELETION_BLOCKED;
  const wasBlocked = findCondition(object.status?.conditions, DELETION_BLOCKED) !== undefined;
  const blocked = isBlocked ? yes('ForeignRecords', message) : no(reason, message);
  const answers = { Ready: no(reason, message), ...(isBlocked || wasBlocked ? { [DELETION_BLOCKED]: blocked } : {}) };
  const conditions = conditionsWith(object.status?.conditions, answers, generation, context.now());
  const status: ZoneStatus = { ...(object.status as ZoneStatus), observedGeneration: generation, conditions };
  await writeStatus(context, context.zones, DNS_ZONE, object, status, signal);
  context.events.record(object, { type: 'Warning', reason, action: 'Delete', note: message });
}
