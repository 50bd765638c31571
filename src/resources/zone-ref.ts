// The DNSZone that a DNSRecord refers to, and the zone names that DNSZones are indexed by. Pure.
import { parseZoneName } from '#dns/names/name.ts';
import type { DNSRecord } from './dnsrecord.ts';
import type { DNSZone } from './dnszone.ts';

/**
 * Whether the DNSZone is in the record's own namespace: a tenant that may write the record may then write the zone too.
 */
export function isInOwnNamespace({ metadata, spec }: DNSRecord): boolean {
  const { namespace = metadata.namespace } = spec.zoneRef;
  return namespace === metadata.namespace;
}

/** The cache key of the DNSZone that a record refers to. */
export function zoneKeyOf({ metadata, spec }: DNSRecord): string {
  return `${spec.zoneRef.namespace ?? metadata.namespace}/${spec.zoneRef.name}`;
}

/** An index of DNSZones by the canonical name, so that two spellings are one; empty if spec.zoneName is not a name. */
export function zoneNameIndex({ spec }: DNSZone): string[] {
  const parsed = parseZoneName(spec.zoneName);
  return parsed.ok ? [parsed.value] : [];
}
