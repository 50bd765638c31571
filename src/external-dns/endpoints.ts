// Converts the sets of owners to external-dns' endpoints, and endpoints to a form that the service can store. Pure.
//
// external-dns compares the properties of the endpoints that it reads with those that it wants. Two of our own make it
// apply an endpoint again although targets and TTL are as it wants them:
//
//     zonestead/ttl      `default`, on both sides: an endpoint lost its TTL, so that the zone's default applies
//     zonestead/repair   only on the read side: others changed the records, or the setting for sharing changed
import type { OwnedSet } from '#contract/owners.ts';
import type { Zone } from '#contract/zone.ts';
import { plainName } from '#dns/names/plain.ts';
import type { RecordType } from '#dns/types/index.ts';
import { buildLabels } from './owner.ts';
import type { DnsEndpoint } from './protocol.ts';
import { canonicalTarget, isEndpointType, toServedTtl, toTarget } from './values.ts';

export type ZoneName = Pick<Zone, 'id' | 'zoneName' | 'defaultTtl'>;

export interface EndpointPlace<Z extends ZoneName> {
  zone: Z;
  /** Relative to the zone, `@` at the apex. */
  name: string;
}

/** The longest zone that encloses the name; null when no zone of the key does. */
export function findEndpointPlace<Z extends ZoneName>(dnsName: string, zones: readonly Z[]): EndpointPlace<Z> | null {
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
const DEFAULT_TTL = { name: 'zonestead/ttl', value: 'default' };
const REPAIR = { name: 'zonestead/repair', value: 'true' };

export function isAlias(endpoint: Pick<DnsEndpoint, 'recordType' | 'providerSpecific'>): boolean {
  const hasAliasProperty = endpoint.providerSpecific?.some(
    ({ name, value }) => name === ALIAS.name && value === ALIAS.value,
  );
  return endpoint.recordType === 'CNAME' && hasAliasProperty === true;
}

/** The type that an endpoint has at the service. */
export function toRecordType(endpoint: Pick<DnsEndpoint, 'recordType' | 'providerSpecific'>): RecordType | null {
  if (isAlias(endpoint)) return 'ALIAS';
  return isEndpointType(endpoint.recordType) ? endpoint.recordType : null;
}

/** The sets of an instance as endpoints. Types that external-dns does not know are omitted. */
export function buildEndpoints(
  zone: ZoneName,
  sets: readonly OwnedSet[],
  { ownerId, share }: { ownerId: string; share: boolean },
): DnsEndpoint[] {
  const places = new Map<string, DnsEndpoint>();
  for (const set of sets) {
    const recordType = set.type === 'ALIAS' ? 'CNAME' : set.type;
    if (!isEndpointType(recordType)) continue;
    const targets = set.records.map((record) => toTarget(set.type, record));
    const before = places.get(`${set.name} ${set.type}`);
    const providerSpecific = [
      ...(set.type === 'ALIAS' ? [ALIAS] : []),
      ...(set.ttl === null ? [DEFAULT_TTL] : []),
      // Two objects have one name only after a change of the object was cut in two.
      ...(set.drifted || set.share !== share || before !== undefined ? [REPAIR] : []),
    ];
    places.set(`${set.name} ${set.type}`, {
      dnsName: set.name === '@' ? zone.zoneName : `${set.name}.${zone.zoneName}`,
      // Sorted, because the order of the records depends on their changes.
      targets: [...(before?.targets ?? []), ...targets].sort(),
      recordType,
      recordTTL: set.ttl ?? zone.defaultTtl,
      labels: buildLabels(ownerId, set.owner),
      ...(providerSpecific.length === 0 ? {} : { providerSpecific }),
    });
  }
  return [...places.values()];
}

interface Adjusted {
  endpoints: DnsEndpoint[];
  /** One sentence for the log per endpoint that the service cannot store. */
  dropped: string[];
}

/**
 * The wanted endpoints in the form that `buildEndpoints` returns, so that external-dns sees no difference where there
 * is none, and never tries to create an endpoint that the service cannot store.
 */
export function adjust(wantedEndpoints: readonly DnsEndpoint[], zones: readonly ZoneName[]): Adjusted {
  const adjusted: Adjusted = { endpoints: [], dropped: [] };
  for (const endpoint of wantedEndpoints) {
    const place = findEndpointPlace(endpoint.dnsName, zones);
    const apexAlias = endpoint.recordType === 'CNAME' && place?.name === '@';
    const alias = isAlias(endpoint) || apexAlias ? [ALIAS] : [];
    const type = toRecordType({ ...endpoint, providerSpecific: alias });
    const problem = findProblem(endpoint, place, type);
    if (problem !== null || type === null) {
      adjusted.dropped.push(`${endpoint.dnsName} ${endpoint.recordType}: ${problem}`);
      continue;
    }
    const { recordTTL, providerSpecific: _, ...rest } = endpoint;
    const ttl = toServedTtl(recordTTL);
    const providerSpecific = [...alias, ...(ttl === undefined ? [DEFAULT_TTL] : [])];
    adjusted.endpoints.push({
      ...rest,
      targets: [...new Set(endpoint.targets.map((target) => canonicalTarget(type, target)))],
      ...(ttl === undefined ? {} : { recordTTL: ttl }),
      ...(providerSpecific.length === 0 ? {} : { providerSpecific }),
    });
  }
  return adjusted;
}

function findProblem(
  endpoint: DnsEndpoint,
  place: EndpointPlace<ZoneName> | null,
  type: RecordType | null,
): string | null {
  if (place === null) return 'no zone of the key contains it';
  if (type === null) return 'the service has no such type';
  if (endpoint.setIdentifier) return 'routing policies (setIdentifier) are not supported';
  return null;
}
