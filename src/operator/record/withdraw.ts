// Removes the values of a DNSRecord from DNS that the zone no longer permits. The object remains, and its values return when the
// zone permits them again.

import type { DNSZone } from '#resources/dnszone.ts';
import { connectionFor } from '../access/credentials.ts';
import type { RecordRun } from '../run/run.ts';
import { ledgerOf } from './creation-annotation.ts';
import { releaseValues } from './write.ts';

/** @throws errors of the service; the ledger then still contains the remaining values */
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
