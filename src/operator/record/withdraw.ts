// Removes the values of a DNSRecord from DNS that the zone no longer permits. The object remains, and its values return when the
// zone permits them again. A condition and an Event report the removal before it happens.

import type { Clock } from '#base/clock.ts';
import { isAbsent } from '#client/errors.ts';
import type { ReconcileContext } from '#kube/controller/controller.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { type OperatorContext, writeStatus } from '../access/context.ts';
import { contextForZone } from '../access/credentials.ts';
import { removeValue } from './apply.ts';
import { ledgerOf } from './creation-annotation.ts';
import { resolveIntents } from './intents.ts';

/** @throws errors of the service; the ledger then still contains the remaining values */
export async function withdraw(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  zone: DNSZone,
  run: ReconcileContext,
): Promise<void> {
  const { zoneId, entries: records } = ledgerOf(object, context.seal);
  if (zoneId === undefined || records.length === 0 || zoneId !== zone.status?.zoneId) return;
  const { signal } = run;
  const scope = await contextForZone(context, zone, signal);
  // Without a key the operator cannot write to the zone; the conditions of the zone report that.
  if ('answer' in scope) return;
  const contents = records.map(({ content }) => content).join(', ');
  context.events.record(object, {
    type: 'Warning',
    reason: 'Withdrawn',
    action: 'Withdraw',
    note: `The zone no longer allows these values, and the operator removes them from DNS: ${contents}`.slice(0, 1_024),
  });
  try {
    for (const { id } of await resolveIntents(scope.context, clock, object, zoneId, records, run)) {
      await removeValue(scope.context, clock, object, zoneId, id, run);
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const { records: _gone, ...status } = object.status ?? { conditions: [] };
  await writeStatus(context, context.records, DNS_RECORD, object, { ...status, records: [] }, signal);
}
