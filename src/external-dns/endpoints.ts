// Converts records to external-dns' endpoints, and endpoints to sets of values that the service can store. Pure.
import type { DnsRecord, Zone } from '#client/client.ts';
import { plainName } from '#dns/names/plain.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { Endpoint } from './protocol.ts';
import { canonicalTarget, isEndpointType, targetOf, ttlOf } from './values.ts';

export type ZoneName = Pick<Zone, 'id' | 'zoneName'>;

export interface Place<Z extends ZoneName> {
  zone: Z;
  /** Relative to the zone, `@` at the apex. */
  name: string;
}

/** The longest zone that encloses the name; null when no zone of the key does. */
export function placeOf<Z extends ZoneName>(dnsName: string, zones: readonly Z[]): Place<Z> | null {
  const name = plainName(dnsName);
  let best: Z | null = null;
  for (const zone of zones) {
    const inside = name === zone.zoneName || name.endsWith(`.${zone.zoneName}`);
    if (inside && zone.zoneName.length > (best?.zoneName.length ?? 0)) best = zone;
  }
  return best && { zone: best, name: name === best.zoneName ? '@' : name.slice(0, -best.zoneName.length - 1) };
}

/** external-dns' own property for a CNAME that must be served as addresses, as at a zone's apex. */
const ALIAS = { name: 'alias', value: 'true' };

export function isAlias(endpoint: Pick<Endpoint, 'recordType' | 'providerSpecific'>): boolean {
  const said = endpoint.providerSpecific?.some(({ name, value }) => name === ALIAS.name && value === ALIAS.value);
  return endpoint.recordType === 'CNAME' && said === true;
}

/** The type that an endpoint has at the service. */
export function typeOf(endpoint: Pick<Endpoint, 'recordType' | 'providerSpecific'>): RecordType | null {
  if (isAlias(endpoint)) return 'ALIAS';
  return isEndpointType(endpoint.recordType) ? endpoint.recordType : null;
}

/** The content of a zone, as one endpoint per set of values. Types that external-dns does not know are omitted. */
export function endpointsOf(zone: ZoneName, records: readonly DnsRecord[]): Endpoint[] {
  const sets = new Map<string, Endpoint>();
  for (const record of records) {
    const recordType = record.type === 'ALIAS' ? 'CNAME' : record.type;
    if (!isEndpointType(recordType)) continue;
    const target = targetOf(record.type, record);
    const key = `${record.name} ${record.type}`;
    const set = sets.get(key);
    if (set === undefined) {
      sets.set(key, {
        dnsName: record.name === '@' ? zone.zoneName : `${record.name}.${zone.zoneName}`,
        targets: [target],
        recordType,
        recordTTL: record.ttl,
        ...(record.type === 'ALIAS' ? { providerSpecific: [ALIAS] } : {}),
      });
    } else {
      set.targets.push(target);
      // DNS serves the lowest TTL for the whole set.
      set.recordTTL = Math.min(set.recordTTL ?? record.ttl, record.ttl);
    }
  }
  // Sorted, because the order of the records depends on their changes.
  for (const set of sets.values()) set.targets.sort();
  return [...sets.values()];
}

interface Adjusted {
  endpoints: Endpoint[];
  /** One sentence for the log per endpoint that the service cannot store. */
  dropped: string[];
}

/**
 * The wanted endpoints in the form that `endpointsOf` returns, so that external-dns sees no difference where there is
 * none, and never tries to create an endpoint that the service cannot store.
 */
export function adjust(wanted: readonly Endpoint[], zones: readonly ZoneName[]): Adjusted {
  const adjusted: Adjusted = { endpoints: [], dropped: [] };
  for (const endpoint of wanted) {
    const place = placeOf(endpoint.dnsName, zones);
    const apexAlias = endpoint.recordType === 'CNAME' && place?.name === '@';
    const providerSpecific = isAlias(endpoint) || apexAlias ? [ALIAS] : [];
    const type = typeOf({ ...endpoint, providerSpecific });
    const problem = problemOf(endpoint, place, type);
    if (problem !== null || type === null) {
      adjusted.dropped.push(`${endpoint.dnsName} ${endpoint.recordType}: ${problem}`);
      continue;
    }
    const { recordTTL, providerSpecific: _, ...rest } = endpoint;
    const ttl = ttlOf(recordTTL);
    adjusted.endpoints.push({
      ...rest,
      targets: [...new Set(endpoint.targets.map((target) => canonicalTarget(type, target)))],
      ...(ttl === undefined ? {} : { recordTTL: ttl }),
      ...(providerSpecific.length === 0 ? {} : { providerSpecific }),
    });
  }
  return adjusted;
}

function problemOf(endpoint: Endpoint, place: Place<ZoneName> | null, type: RecordType | null): string | null {
  if (place === null) return 'no zone of the key contains it';
  if (type === null) return 'the service has no such type';
  if (endpoint.setIdentifier) return 'routing policies (setIdentifier) are not supported';
  return null;
}
