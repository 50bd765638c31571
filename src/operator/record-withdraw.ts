// What a DNSRecord has in a zone whose owner does not permit it any more is taken out of DNS; the object stays, and comes
// back when it is permitted again. Its condition and an Event have said so before: nothing vanishes without a word.
import { isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { houseOf } from './credentials.ts';
import { type House, writeStatus } from './house.ts';
import { removeValue } from './record-apply.ts';
import { ledgerOf } from './record-birth.ts';
import { resolveIntents } from './record-intents.ts';
import { DNS_RECORD, type DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';

/** @throws what the service answers; the ledger then still holds what is left */
export async function withdraw(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zone: DNSZone,
  context: ReconcileContext,
): Promise<void> {
  const { zoneId, entries: records } = ledgerOf(object, house.seal);
  if (zoneId === undefined || records.length === 0 || zoneId !== zone.status?.zoneId) return;
  const { signal } = context;
  const scope = await houseOf(house, zone, signal);
  // Without a key nobody can write to the zone; its own conditions say so.
  if ('answer' in scope) return;
  const contents = records.map(({ content }) => content).join(', ');
  house.events.record(object, {
    type: 'Warning',
    reason: 'Withdrawn',
    action: 'Withdraw',
    note: `No longer permitted, and taken out of DNS: ${contents}`.slice(0, 1_024),
  });
  try {
    for (const { id } of await resolveIntents(scope.house, clock, object, zoneId, records, context)) {
      await removeValue(scope.house, clock, object, zoneId, id, context);
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const { records: _gone, ...status } = object.status ?? { conditions: [] };
  await writeStatus(house, house.records, DNS_RECORD, object, { ...status, records: [] }, signal);
}
