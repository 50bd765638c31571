// Which DNSRecord may be in which DNSZone, and which child zone may be cut out of it. Pure: labels come in as data. It must
// not know what happens to who is refused.
import type { RecordType } from '../dns/types/index.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { isFromThere, type LabelsOf, matchesName } from './resources/grant-match.ts';

export type { LabelsOf };

/**
 * Whether the zone permits the record. Its own namespace may put everything there until an entry says `from: Same`; from
 * then on such entries say what it may. Others need an entry that permits it, or spec.acme for a challenge.
 * @param name canonical, relative to the zone
 * @returns null when it is permitted, otherwise what to do
 */
export function refusal(zone: DNSZone, record: DNSRecord, name: string, labelsOf: LabelsOf): string | null {
  const own = zone.metadata.namespace ?? '';
  const namespace = record.metadata.namespace ?? '';
  const { type } = record.spec;
  if (permits(zone, namespace, name, type, labelsOf) || permitsChallenge(zone, namespace, name, type, labelsOf))
    return null;
  return `DNSZone ${own}/${zone.metadata.name} does not permit ${type} records named ${name} from namespace ${namespace}; its owner can permit them in spec.allowedRecords.`;
}

/** Whether a zone of another namespace may be cut out of this one: that is a delegation, so NS records must be permitted. */
export function permitsDelegation(zone: DNSZone, namespace: string, name: string, labelsOf: LabelsOf): boolean {
  return permits(zone, namespace, name, 'NS', labelsOf);
}

function permits(zone: DNSZone, namespace: string, name: string, type: RecordType, labelsOf: LabelsOf): boolean {
  const own = zone.metadata.namespace ?? '';
  const grants = zone.spec.allowedRecords ?? [];
  if (namespace === own && grants.every((grant) => grant.namespaces.from !== 'Same')) return true;
  return grants.some(
    (grant) =>
      isFromThere(grant.namespaces, own, namespace, labelsOf) &&
      (grant.names === undefined || grant.names.some((pattern) => matchesName(pattern, name))) &&
      (grant.types === undefined || grant.types.includes(type)),
  );
}

/** An ACME challenge (RFC 8555 section 8.4) from where spec.acme takes them. */
function permitsChallenge(
  zone: DNSZone,
  namespace: string,
  name: string,
  type: RecordType,
  labelsOf: LabelsOf,
): boolean {
  const { acme } = zone.spec;
  if (acme === undefined || type !== 'TXT') return false;
  const isOne =
    name === '_acme-challenge' ||
    name.startsWith('_acme-challenge.') ||
    (acme.names ?? []).some((pattern) => matchesName(pattern, name));
  return isOne && isFromThere(acme.namespaces, zone.metadata.namespace ?? '', namespace, labelsOf);
}
