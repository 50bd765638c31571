// Which DNSZone a DNSRecord names. It must not know whether there is one.
import type { DNSRecord } from './resources/dnsrecord.ts';

/** The key of the DNSZone that a record names. */
export function zoneKeyOf(record: DNSRecord): string {
  const { namespace, name } = record.spec.zoneRef;
  return `${namespace ?? record.metadata.namespace}/${name}`;
}
