// Decides whether a zone permits an ACME challenge (RFC 8555 section 8.4): compares its spec.acme with the namespace
// and the name. The solver asks before it creates a DNSRecord, and the operator before it writes one. The default is to
// deny.
import { challengedName, judgedNames } from '#dns/names/certified.ts';
import type { DNSZone } from './dnszone.ts';
import { isFromThere, type LabelsOf, permitsOneOf, spellsOneOf } from './grant-match.ts';

/**
 * The result. A challenge is refused because the zone permits none (`none`), none from this namespace (`namespace`),
 * none for this name (`name`), or none at a name that is not an _acme-challenge name (`target`).
 */
type AcmeVerdict = 'permitted' | 'none' | 'namespace' | 'name' | 'target';

/**
 * The namespace of the zone may request certificates for every name in the zone, other namespaces for the names in
 * spec.acme.names. If a rule of spec.allowedRecords restricts the namespace of the zone, listed names are the limit for
 * it too. A name includes its wildcard, because both have the same challenge.
 * @param relative the name of the challenge's TXT record, canonical and relative to the zone
 */
export function acmeVerdict(zone: DNSZone, namespace: string, relative: string, labelsOf: LabelsOf): AcmeVerdict {
  const { acme } = zone.spec;
  if (acme === undefined) return 'none';
  const zoneNamespace = zone.metadata.namespace ?? '';
  if (!isFromThere(acme.namespaces, zoneNamespace, namespace, labelsOf)) return 'namespace';
  const targets = acme.targets ?? [];
  if (judgedNames(relative, 'TXT').every((judgedName) => spellsOneOf(targets, judgedName))) return 'permitted';
  const challenged = challengedName(relative);
  if (challenged === undefined) return 'target';
  const isFree = acme.names === undefined || !restrictsItself(zone);
  const isListed = permitsOneOf(acme.names ?? [], challenged);
  return isListed || (namespace === zoneNamespace && isFree) ? 'permitted' : 'name';
}

/** Whether a rule restricts the records of the zone's own namespace. */
export function restrictsItself({ spec }: DNSZone): boolean {
  return (spec.allowedRecords ?? []).some(({ namespaces }) => namespaces.from === 'Same');
}
