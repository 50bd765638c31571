// Which DNSZone a name lies in: the longest zone name that it ends in. cert-manager's own idea of the zone is a resolver's
// and may be "com." Pure.
import { fqdn, parseZoneName, suffixesOf } from '../dns/name.ts';
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
  for (const zoneName of suffixesOf(name)) {
    const [zone] = [...named(zoneName)].filter(({ metadata }) => !metadata.deletionTimestamp).sort(byClaim);
    if (zone === undefined) continue;
    const relative = name === zoneName ? '@' : name.slice(0, -zoneName.length - 1);
    return { zone, zoneName, relative };
  }
  return undefined;
}

/** Of two objects for one zone the one that has it at the service, then the older: the operator lets that one win. */
function byClaim(a: DNSZone, b: DNSZone): number {
  const claim = Number(b.status?.zoneId !== undefined) - Number(a.status?.zoneId !== undefined);
  return claim === 0 ? byAge(a, b) : claim;
}

/** For messages. */
export function wholeName({ relative, zoneName }: ZoneMatch): string {
  return fqdn(relative, zoneName);
}
