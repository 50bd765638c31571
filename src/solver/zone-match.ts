// Finds the DNSZone of a name: the longest zone name that is a suffix of it. cert-manager takes the zone from a
// resolver, which may answer "com.". Pure.
//
// A DNSZone that the operator refused is skipped if another one covers the name. Otherwise a tenant that may create
// DNSZones could stop the certificates of another tenant's zone with an object for a name in it.
import { fqdn, listSuffixes } from '#dns/names/name.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { byAge } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';

export interface ZoneMatch {
  readonly zone: DNSZone;
  /** The zone's name in its canonical form. */
  readonly zoneName: string;
  /** The name relative to it, `@` for the apex. */
  readonly relative: string;
}

/**
 * @param name lower case, without final dot
 * @param findZones the DNSZones of a zone name
 */
export function matchZone(name: string, findZones: (zoneName: string) => readonly DNSZone[]): ZoneMatch | undefined {
  let refusedMatch: ZoneMatch | undefined;
  for (const zoneName of listSuffixes(name)) {
    const [zone] = [...findZones(zoneName)].filter(({ metadata }) => !metadata.deletionTimestamp).sort(byClaim);
    if (zone === undefined) continue;
    const relative = name === zoneName ? '@' : name.slice(0, -zoneName.length - 1);
    const match = { zone, zoneName, relative };
    if (!isRefused(zone)) return match;
    refusedMatch ??= match;
  }
  return refusedMatch;
}

/** The object has no zone at the service, and the operator refused it. */
function isRefused({ status }: DNSZone): boolean {
  return status?.zoneId === undefined && findCondition(status?.conditions, 'Accepted')?.status === 'False';
}

/** The object that has the zone at the service comes first, then the older one, as the operator decides. */
function byClaim(a: DNSZone, b: DNSZone): number {
  const claim = (zone: DNSZone) => (zone.status?.zoneId === undefined ? Number(!isRefused(zone)) : 2);
  return claim(b) - claim(a) || byAge(a, b);
}

/** For messages. */
export function wholeName({ relative, zoneName }: ZoneMatch): string {
  return fqdn(relative, zoneName);
}
