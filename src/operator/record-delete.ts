// The end of a DNSRecord: exactly the ids in its ledger are deleted at the service, then the finalizer goes.
import { isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { hasFinalizer } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { CREDENTIALS_RETRY_MS, houseOf, withConnection } from './credentials.ts';
import { type House, letGo } from './house.ts';
import { FINALIZER } from './names.ts';
import { removeValue } from './record-apply.ts';
import { ledgerOf } from './record-birth.ts';
import { resolveIntents } from './record-intents.ts';
import { concludeRecordTrouble } from './record-status.ts';
import { isInOwnNamespace, zoneKeyOf } from './record-zone.ts';
import { DNS_RECORD, type DNSRecord } from './resources/dnsrecord.ts';
import { settled } from './settled.ts';
import { PausedTooLong, REFUSED_RETRY_MS, type Trouble, troubleOf } from './trouble.ts';
import type { Open } from './verdicts.ts';

export async function deleteRecordObject(
  house: House,
  clock: Clock,
  object: DNSRecord,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  if (!hasFinalizer(object, FINALIZER)) return {};
  const { signal } = context;
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
  try {
    const owned = await resolveIntents(house, clock, object, zoneId, entries, context);
    await settled(owned.map(({ id }) => removeValue(house, clock, object, zoneId, id, context)));
  } catch (error) {
    // Without its zone nothing of it is left.
    if (!isAbsent(error)) throw error;
  }
}
