// The end of a DNSZone: what the policy says about the zone at the service, then the finalizer. A zone that holds records
// which no DNSRecord here owns is not deleted by itself.
import { ApiError, isAbsent } from '../client/errors.ts';
import { parseZoneName } from '../dns/name.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition } from '../kube/conditions.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { hasFinalizer } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { type Connection, CREDENTIALS_RETRY_MS, houseOf, rejected, withConnection } from './credentials.ts';
import { BY_ZONE, type House, letGo, writeStatus } from './house.ts';
import { DELETION_BLOCKED, FINALIZER, FORCE_DELETE } from './names.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus } from './resources/dnszone.ts';
import type { NotReadyReason } from './resources/reasons.ts';
import { send } from './send.ts';
import { PausedTooLong, troubleOf } from './trouble.ts';
import { judged, no, yes } from './verdicts.ts';
import { isKept, isManaged } from './zone-claims.ts';
import { repeatCreation } from './zone-create.ts';

const BLOCKED_RETRY_MS = 5_000;
const SHOWN = 5;

export async function deleteZoneObject(
  house: House,
  clock: Clock,
  object: DNSZone,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  if (!hasFinalizer(object, FINALIZER)) return {};
  const { signal } = context;
  // What was only watched, or refused from the start, is not this object's to delete.
  const has = isManaged(object) || object.status?.intent !== undefined;
  try {
    if (!isKept(object) && has) {
      const scope = await houseOf(house, object, signal);
      const connection = 'house' in scope ? null : house.credentials.remembered(object.status?.zoneId);
      if ('answer' in scope && !connection) {
        const { reason, message } = scope.answer;
        const words = `The zone cannot be deleted at the DNS service yet: ${message} Or set spec.deletionPolicy: Retain.`;
        await say(house, object, reason, words, signal);
        return { requeueAfterMs: CREDENTIALS_RETRY_MS };
      }
      const own = 'house' in scope ? scope.house : withConnection(house, connection as Connection);
      const zoneId = isManaged(object) ? object.status?.zoneId : await announced(own, clock, object, context);
      const blocked = zoneId === undefined ? null : await deleteAtService(own, clock, object, zoneId, context);
      if (blocked !== null) {
        await say(house, object, DELETION_BLOCKED, blocked, signal);
        return { requeueAfterMs: BLOCKED_RETRY_MS };
      }
    }
  } catch (error) {
    const answer = rejected(house, object, error);
    if (answer) {
      await say(house, object, answer.reason, `The zone cannot be deleted yet: ${answer.message}`, signal);
      return { requeueAfterMs: CREDENTIALS_RETRY_MS };
    }
    const trouble = troubleOf(error);
    if (!trouble) throw error;
    await say(house, object, trouble.reason, `The zone cannot be deleted yet: ${trouble.message}`, signal);
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    house.wakeZoneWithService(keyOf(object));
    throw error;
  }
  await letGo(house, house.zones, DNS_ZONE, object, signal);
  return {};
}

/** The id of a zone whose creation was sent but whose answer was lost. */
async function announced(
  house: House,
  clock: Clock,
  object: DNSZone,
  context: ReconcileContext,
): Promise<string | undefined> {
  const intent = object.status?.intent;
  const made = intent && (await repeatCreation(house, clock, object, intent, context));
  return made && !(made instanceof ApiError) ? made.id : undefined;
}

/** @returns why it is not deleted, or null when it is gone */
async function deleteAtService(
  house: House,
  clock: Clock,
  object: DNSZone,
  zoneId: string,
  { reconcileId: requestId, signal }: ReconcileContext,
): Promise<string | null> {
  try {
    const zone = await house.client.zones.get(zoneId, { signal, requestId });
    const name = parseZoneName(object.spec.zoneName);
    // An id in a status must never lead to somebody else's zone.
    if (!name.ok || zone.zoneName !== name.value) return null;
    if (object.metadata.annotations?.[FORCE_DELETE] !== 'true') {
      const own = new Set(
        house.records
          .byIndex(BY_ZONE, keyOf(object))
          .flatMap((record) => (record.status?.records ?? []).map(({ id }) => id)),
      );
      const foreign = (await house.client.records.list(zoneId, {}, { signal, requestId })).filter(
        ({ id }) => !own.has(id),
      );
      if (foreign.length > 0) {
        const names = [...new Set(foreign.map(({ name, type }) => `${name} ${type}`))].slice(0, SHOWN).join(', ');
        return `The zone holds ${foreign.length} record(s) that no DNSRecord here owns: ${names}. Delete them at the DNS service, set spec.deletionPolicy: Retain, or annotate this object with ${FORCE_DELETE}=true to delete them with the zone.`;
      }
    }
    await send(house.dispatcher, clock, {
      lane: 'change',
      zone: zoneId,
      signal,
      run: (attempt) => house.client.zones.delete(zoneId, { signal: attempt, requestId }),
    });
    return null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function say(
  house: House,
  object: DNSZone,
  reason: NotReadyReason,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  const generation = object.metadata.generation ?? 0;
  // As a condition of its own too, so that `kubectl wait --for=condition=DeletionBlocked` and an alert can ask for it.
  const isBlocked = reason === DELETION_BLOCKED;
  const wasBlocked = findCondition(object.status?.conditions, DELETION_BLOCKED) !== undefined;
  const blocked = isBlocked ? yes('ForeignRecords', message) : no(reason, message);
  const answers = { Ready: no(reason, message), ...(isBlocked || wasBlocked ? { [DELETION_BLOCKED]: blocked } : {}) };
  const conditions = judged(object.status?.conditions, answers, generation, house.now());
  const status: ZoneStatus = { ...(object.status as ZoneStatus), observedGeneration: generation, conditions };
  await writeStatus(house, house.zones, DNS_ZONE, object, status, signal);
  house.events.record(object, { type: 'Warning', reason, action: 'Delete', note: message });
}
