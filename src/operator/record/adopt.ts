// Decides which records at the service a DNSRecord may take over: spec.adopt requests it, and no other DNSRecord owns them or is
// about to. If two ledgers had the same id, the deletion of one object would delete the record of the other.
import type { DnsRecord } from '#client/client.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { isInOwnNamespace } from '#resources/zone-ref.ts';
import { BY_RECORD_ID, type OperatorContext } from '../access/context.ts';
import { type Desired, desiredOf } from './desired.ts';
import { BY_EXPECTED_IN } from './indexes.ts';

/**
 * @param candidates records of the name and type that are not in the object's ledger
 * @returns the ids of the candidates that the object may take over
 */
export function adoptable(
  context: Pick<OperatorContext, 'records'>,
  object: DNSRecord,
  zone: { zoneId: string; zoneName: string },
  desired: Pick<Desired, 'name' | 'type'>,
  candidates: readonly DnsRecord[],
): ReadonlySet<string> {
  if (object.spec.adopt !== 'IfIdentical' || candidates.length === 0) return new Set();
  // Only for the zone's own namespace: anybody who knows a served value could take it over and delete it afterwards.
  if (!isInOwnNamespace(object)) return new Set();
  const isOther = (record: DNSRecord) => record.metadata.uid !== object.metadata.uid;
  // Another object waits for the response to a creation: it is unknown which of the records it has created.
  const expectsOne = (record: DNSRecord): boolean => {
    const verdict = desiredOf(record, zone.zoneName);
    return verdict.ok && verdict.desired.name === desired.name && verdict.desired.type === desired.type;
  };
  const expecting = context.records.byIndex(BY_EXPECTED_IN, zone.zoneId);
  if (expecting.some((record) => isOther(record) && expectsOne(record))) return new Set();
  const free = candidates.filter(({ id }) => !context.records.byIndex(BY_RECORD_ID, id).some(isOther));
  return new Set(free.map(({ id }) => id));
}
