// Which DNSZone a name lies in: the longest zone name that it ends in. cert-manager's own idea of the zone is a resolver's
// and may be "com." Pure.
//
// An object that the operator refused is passed over where another one covers the name: whoever may create DNSZones could
// otherwise stop the certificates of somebody else's zone with an object for a name in it.
import { fqdn, parseZoneName, suffixesOf } from '../dns/name.ts';
import { findCondition } from '../kube/conditions.ts';
import { byAge } from '../kube/resource.ts';
import type { DNSZone } from '../operator/resources/dnszone.ts';

export interface ZoneMatch {
  readonly zone: DNSZone;
  /** The zone's name in its canonical form. */
  readonly zoneName: string;
  /** The name relative to it, `@` for the apex. */
  readonly relative: string;
}

/** The canonical name of a DNSZone, as an index: none when its spec holds no name. */
export function zoneNameIndex({ spec }: DNSZone): string[] {
  const parsed = parseZoneName(spec.zoneName);
  return parsed.ok ? [parsed.value] : [];
}

/**
 * @param name lower case, without final dot
 * @param named the DNSZones of a zone name
 */
export function matchZone(name: string, named: (zoneName: string) => readonly DNSZone[]): ZoneMatch | undefined {
  let refused: ZoneMatch | undefined;
  for (const zoneName of suffixesOf(name)) {
    const [zone] = [...named(zoneName)].filter(({ metadata }) => !metadata.deletionTimestamp).sort(byClaim);
    if (zone === undefined) continue;
    const relative = name === zoneName ? '@' : name.slice(0, -zoneName.length - 1);
    const match = { zone, zoneName, relative };
    if (!isRefused(zone)) return match;
    refused ??= match;
  }
  return refused;
}

/** It has no zone at the service, and the operator has said that it gets none. */
function isRefused({ status }: DNSZone): boolean {
  return status?.zoneId === undefined && findCondition(status?.conditions, 'Accepted')?.status === 'False';
}

/** Of two objects for one zone the one that has it at the service, then the older: the operator lets that one win. */
function byClaim(a: DNSZone, b: DNSZone): number {
  const claim = (zone: DNSZone) => (zone.status?.zoneId === undefined ? Number(!isRefused(zone)) : 2);
  return claim(b) - claim(a) || byAge(a, b);
}

/** For messages. */
export function wholeName({ relative, zoneName }: ZoneMatch): string {
  return fqdn(relative, zoneName);
}
