// Which DNSZone a DNSRecord names. It must not know whether there is one.
import type { DNSRecord } from './resources/dnsrecord.ts';

/** Whether the DNSZone is in the record's own namespace: then who writes the one may write the other. */
export function isInOwnNamespace({ metadata, spec }: DNSRecord): boolean {
  const { namespace = metadata.namespace } = spec.zoneRef;
  return namespace === metadata.namespace;
}

/** The key of the DNSZone that a record names. */
export function zoneKeyOf(record: DNSRecord): string {
  const { namespace, name } = record.spec.zoneRef;
  return `${namespace ?? record.metadata.namespace}/${name}`;
}
