// Which records at the service a DNSRecord may take over: spec.adopt asks for it, and no other DNSRecord here owns them or
// is about to. Two ledgers with one id would let the end of one object delete what the other serves.
import type { DnsRecord } from '../client/client.ts';
import { BY_RECORD_ID, type House } from './house.ts';
import { type Desired, desiredOf } from './record-desired.ts';
import { BY_EXPECTED_IN } from './record-indexes.ts';
import { isInOwnNamespace } from './record-zone.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';

/** @param candidates records of the name and type that are not in the object's ledger; the ids of the free ones are returned */
export function adoptable(
  house: Pick<House, 'records'>,
  object: DNSRecord,
  zone: { zoneId: string; zoneName: string },
  desired: Pick<Desired, 'name' | 'type'>,
  candidates: readonly DnsRecord[],
): ReadonlySet<string> {
  if (object.spec.adopt !== 'IfIdentical' || candidates.length === 0) return new Set();
  // Who knows what is served could take it over, and delete it afterwards: for the zone's own namespace only.
  if (!isInOwnNamespace(object)) return new Set();
  const isOther = (record: DNSRecord) => record.metadata.uid !== object.metadata.uid;
  // A creation whose answer is on its way: which of the records it made, nobody knows yet.
  const expectsOne = (record: DNSRecord): boolean => {
    const verdict = desiredOf(record, zone.zoneName);
    return verdict.ok && verdict.desired.name === desired.name && verdict.desired.type === desired.type;
  };
  const expecting = house.records.byIndex(BY_EXPECTED_IN, zone.zoneId);
  if (expecting.some((record) => isOther(record) && expectsOne(record))) return new Set();
  const free = candidates.filter(({ id }) => !house.records.byIndex(BY_RECORD_ID, id).some(isOther));
  return new Set(free.map(({ id }) => id));
}
