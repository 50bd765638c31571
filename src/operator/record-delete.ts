// The end of a DNSRecord: exactly the ids in its ledger are deleted at the service, then the finalizer goes.
//
// Where the zone goes as well, as with a namespace, its one deletion takes all records along: each by itself would cost a place
// in the key's limit, and a namespace of some hundred records minutes to go.
import { isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition } from '../kube/conditions.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { hasFinalizer, isDeleting } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { CREDENTIALS_RETRY_MS, houseOf, withConnection } from './credentials.ts';
import { type House, letGo } from './house.ts';
import { DELETION_BLOCKED, FINALIZER } from './names.ts';
import type { Patience } from './patience.ts';
import { removeValue } from './record-apply.ts';
import { ledgerOf } from './record-birth.ts';
import { resolveIntents } from './record-intents.ts';
import { concludeRecordTrouble } from './record-status.ts';
import { isInOwnNamespace, zoneKeyOf } from './record-zone.ts';
import { DNS_RECORD, type DNSRecord } from './resources/dnsrecord.ts';
import { settled } from './settled.ts';
import { PausedTooLong, REFUSED_RETRY_MS, type Trouble, troubleOf } from './trouble.ts';
import type { Open } from './verdicts.ts';
import { isKept, isManaged } from './zone-claims.ts';

/** How soon to look again whether the zone is gone, in ms. */
const ZONE_RETRY_MS = 250;

export async function deleteRecordObject(
  house: House,
  clock: Clock,
  object: DNSRecord,
  mustWait: Patience,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  if (!hasFinalizer(object, FINALIZER)) return {};
  const { signal } = context;
  if (mustWait(object, goesWithZone(house, object))) return { requeueAfterMs: ZONE_RETRY_MS };
  try {
    if (!mayStay(object)) {
      const scope = await houseOfRecord(house, object, signal);
      if ('answer' in scope) {
        const trouble: Trouble = { kind: 'transient', reason: 'ZoneNotReady', message: scope.answer.message };
        await concludeRecordTrouble(house, clock, object, trouble, null, signal);
        return { requeueAfterMs: CREDENTIALS_RETRY_MS };
      }
      await deleteAtService(scope.house, clock, object, context);
    }
  } catch (error) {
    const trouble = troubleOf(error);
    if (!trouble) throw error;
    await concludeRecordTrouble(
      house,
      clock,
      object,
      trouble,
      error instanceof PausedTooLong ? error.until : null,
      signal,
    );
    if (trouble.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    house.wakeRecordWithService(keyOf(object));
    throw error;
  }
  await letGo(house, house.records, DNS_RECORD, object, signal);
  return {};
}

/** Whether the object's zone is about to be deleted at the service, with all that is in it. */
function goesWithZone(house: House, object: DNSRecord): boolean {
  const zone = house.zones.get(zoneKeyOf(object));
  const { zoneId, entries } = ledgerOf(object, house.seal);
  if (!zone || entries.length === 0 || zone.status?.zoneId !== zoneId) return false;
  // A namespace in deletion takes its kinds one after the other: the zone's turn comes.
  const namespace = house.namespaces.get(zone.metadata.namespace ?? '');
  if (!isDeleting(zone) && (namespace === undefined || !isDeleting(namespace))) return false;
  if (isKept(zone) || !isManaged(zone)) return false;
  return findCondition(zone.status?.conditions, 'Ready')?.reason !== DELETION_BLOCKED;
}

/** In a zone of another namespace nothing may outlive its object, or it would outlive the grant as well. */
function mayStay(object: DNSRecord): boolean {
  return object.spec.deletionPolicy === 'Retain' && isInOwnNamespace(object);
}

/** Deletion goes on with the key known from before when its Secret is gone: a namespace in deletion loses it first. */
async function houseOfRecord(
  house: House,
  object: DNSRecord,
  signal: AbortSignal,
): Promise<{ house: House } | { answer: Open }> {
  const zone = house.zones.get(zoneKeyOf(object));
  const scope = zone ? await houseOf(house, zone, signal) : { house };
  if (zone && 'house' in scope) return scope;
  const connection = house.credentials.remembered(ledgerOf(object, house.seal).zoneId);
  return connection ? { house: withConnection(house, connection) } : scope;
}

async function deleteAtService(
  house: House,
  clock: Clock,
  object: DNSRecord,
  context: ReconcileContext,
): Promise<void> {
  const { zoneId, entries } = ledgerOf(object, house.seal);
  if (zoneId === undefined || entries.length === 0) return;
  const { signal, reconcileId: requestId } = context;
  try {
    const zone = house.zones.get(zoneKeyOf(object));
    // A look costs nothing of the key's limit, a deletion of what is gone already does.
    if (!zone || isDeleting(zone) || zone.status?.zoneId !== zoneId)
      await house.client.zones.get(zoneId, { signal, requestId });
    const owned = await resolveIntents(house, clock, object, zoneId, entries, context);
    await settled(owned.map(({ id }) => removeValue(house, clock, object, zoneId, id, context)));
  } catch (error) {
    // Without its zone nothing of it is left.
    if (!isAbsent(error)) throw error;
  }
}
