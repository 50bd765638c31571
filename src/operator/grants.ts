// Which DNSRecord may be in which DNSZone. Pure: labels come in as data.
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone, RecordGrant } from './resources/dnszone.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Whether the zone permits the record: its own namespace without entries, otherwise one entry must permit it.
 * @param labelsOf labels of a namespace; undefined when it is not known
 * @returns null when it is permitted, otherwise what to do
 */
export function refusal(
  zone: DNSZone,
  record: DNSRecord,
  name: string,
  labelsOf: (namespace: string) => Labels | undefined,
): string | null {
  const own = zone.metadata.namespace ?? '';
  const namespace = record.metadata.namespace ?? '';
  const grants = zone.spec.allowedRecords ?? [];
  const permitted =
    grants.length === 0
      ? namespace === own
      : grants.some(
          (grant) =>
            fromThere(grant, own, namespace, labelsOf) &&
            (grant.names === undefined || grant.names.some((pattern) => matchesName(pattern, name))) &&
            (grant.types === undefined || grant.types.includes(record.spec.type)),
        );
  if (permitted) return null;
  return `DNSZone ${own}/${zone.metadata.name} does not permit ${record.spec.type} records named ${name} from namespace ${namespace}; its owner can permit them in spec.allowedRecords.`;
}

function fromThere(
  grant: RecordGrant,
  own: string,
  namespace: string,
  labelsOf: (namespace: string) => Labels | undefined,
): boolean {
  const { from, selector } = grant.namespaces;
  if (from === 'All') return true;
  if (from === 'Same') return namespace === own;
  const labels = labelsOf(namespace);
  if (labels === undefined || selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      return value === undefined || !values.includes(value);
    })
  );
}

/** `*` permits every name, `*.dev` every name below dev, anything else itself. */
function matchesName(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  if (wanted === '*') return true;
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}
