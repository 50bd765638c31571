// Decides whether a DNSRecord may be in a DNSZone, and whether a child zone may be delegated from it. Labels come in as
// data.
import { type JudgedName, judgedNames } from '#dns/names/certified.ts';
import { REVERSE_TYPE } from '#dns/reverse.ts';
import type { RecordType } from '#dns/types/index.ts';
import { acmeVerdict, restrictsItself } from './acme-grant.ts';
import type { DNSRecord } from './dnsrecord.ts';
import type { DNSZone } from './dnszone.ts';
import { isFromThere, type LabelsOf, permitsOneOf } from './grant-match.ts';

/**
 * Whether the zone permits the record. The zone's own namespace may create every record, unless an entry has `from:
 * Same`; the record must then match such an entry. Records of other namespaces must match an entry, or spec.acme for a
 * challenge.
 * @param name canonical and relative to the zone
 * @returns null when the record is permitted, otherwise the message for the condition
 */
export function explainDenial(zone: DNSZone, record: DNSRecord, name: string, labelsOf: LabelsOf): string | null {
  const zoneNamespace = zone.metadata.namespace ?? '';
  const namespace = record.metadata.namespace ?? '';
  const { type } = record.spec;
  if (permits(zone, namespace, name, type, labelsOf)) return null;
  if (type === 'TXT' && acmeVerdict(zone, namespace, name, labelsOf) === 'permitted') return null;
  const provenName = judgedNames(name, type).find((judgedName) => judgedName.name !== name);
  const because =
    provenName === undefined
      ? ''
      : ` They prove control of ${provenName.name} to a certificate authority, so ${provenName.name} must be allowed too.`;
  return `DNSZone ${zoneNamespace}/${zone.metadata.name} does not allow ${type} records named ${name} from namespace ${namespace}.${because} The owner of that DNSZone can allow them in spec.allowedRecords.`;
}

/**
 * Whether the zone has a grant for some records of the namespace, or is its own. Without one, a record is not told
 * whether the zone exists.
 */
export function mayKnow(zone: DNSZone, namespace: string, labelsOf: LabelsOf): boolean {
  const zoneNamespace = zone.metadata.namespace ?? '';
  if (namespace === zoneNamespace) return true;
  const { allowedRecords = [], acme } = zone.spec;
  const grants = [...allowedRecords.map(({ namespaces }) => namespaces), ...(acme ? [acme.namespaces] : [])];
  return grants.some((grant) => isFromThere(grant, zoneNamespace, namespace, labelsOf));
}

/**
 * Whether a zone of another namespace may be a child of this zone: it is a delegation, so NS records must be permitted.
 */
export function permitsDelegation(zone: DNSZone, namespace: string, name: string, labelsOf: LabelsOf): boolean {
  return permits(zone, namespace, name, 'NS', labelsOf);
}

/**
 * Whether the zone permits the PTR record of an address to a namespace.
 * @param name canonical and relative to the zone
 */
export function permitsReverse(zone: DNSZone, namespace: string, name: string, labelsOf: LabelsOf): boolean {
  return permits(zone, namespace, name, REVERSE_TYPE, labelsOf);
}

function permits(zone: DNSZone, namespace: string, name: string, type: RecordType, labelsOf: LabelsOf): boolean {
  const zoneNamespace = zone.metadata.namespace ?? '';
  if (namespace === zoneNamespace && !restrictsItself(zone)) return true;
  const grants = (zone.spec.allowedRecords ?? []).filter(
    ({ namespaces, types }) =>
      isFromThere(namespaces, zoneNamespace, namespace, labelsOf) && (types === undefined || types.includes(type)),
  );
  const isAllowed = (judgedName: JudgedName) =>
    grants.some(({ names }) => names === undefined || permitsOneOf(names, judgedName));
  return judgedNames(name, type).every(isAllowed);
}
