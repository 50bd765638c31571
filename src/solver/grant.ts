// The message for a challenge that a zone does not permit. The rule itself is in resources/acme-grant.ts. Pure.
import { challengedName } from '#dns/names/certified.ts';
import { fqdn } from '#dns/names/name.ts';
import { acmeVerdict } from '#resources/acme-grant.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { LabelsOf } from '#resources/grant-match.ts';
import { wholeName, type ZoneMatch } from './zone-match.ts';

/** @returns null if it is permitted, otherwise what to do; the text stays the same while the situation does */
export function acmeRefusal(match: ZoneMatch, tenant: string, labelsOf: LabelsOf): string | null {
  const { zone, zoneName, relative } = match;
  const title = formatZoneTitle(zone);
  switch (acmeVerdict(zone, tenant, relative, labelsOf)) {
    case 'permitted':
      return null;
    case 'none':
      return `${title} takes no ACME challenges; its owner can permit them in spec.acme`;
    case 'namespace':
      return `${title} takes no ACME challenges from namespace ${tenant}; its owner can permit them in spec.acme.namespaces`;
    case 'name': {
      const name = challengedName(relative)?.name ?? relative;
      return `${title} takes no ACME challenges for ${fqdn(name, zoneName)} from namespace ${tenant}; its owner can permit ${name} in spec.acme.names`;
    }
    case 'target':
      return `${title} takes ACME challenges at _acme-challenge names only, and ${wholeName(match)} is not one; its owner can permit ${relative} in spec.acme.targets`;
  }
}

export function formatZoneTitle({ metadata }: DNSZone): string {
  return `DNSZone ${metadata.namespace}/${metadata.name}`;
}
