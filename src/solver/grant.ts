// Whether a zone takes a challenge: its `acme` grant against tenant and name. Deny by default. Pure.
import type { DNSZone } from '../operator/resources/dnszone.ts';
import { isFromThere, type LabelsOf, matchesName } from '../operator/resources/grant-match.ts';
import { wholeName, type ZoneMatch } from './zone-match.ts';

/** @returns null when it is permitted, otherwise what to do; the same text for the same situation */
export function acmeRefusal(match: ZoneMatch, tenant: string, labelsOf: LabelsOf): string | null {
  const { zone, relative } = match;
  const { acme } = zone.spec;
  const own = zone.metadata.namespace ?? '';
  const title = titleOf(zone);
  if (acme === undefined) {
    return `${title} takes no ACME challenges; its owner can permit them in spec.acme`;
  }
  if (!isFromThere(acme.namespaces, own, tenant, labelsOf)) {
    return `${title} takes no ACME challenges from namespace ${tenant}; its owner can permit them in spec.acme.namespaces`;
  }
  if (isChallengeName(relative) || (acme.names ?? []).some((pattern) => matchesName(pattern, relative))) return null;
  return `${title} takes ACME challenges at _acme-challenge names only, and ${wholeName(match)} is none; its owner can permit it in spec.acme.names`;
}

/** `_acme-challenge` of the zone itself or of a name in it (RFC 8555 section 8.4). */
export function isChallengeName(relative: string): boolean {
  return relative === '_acme-challenge' || relative.startsWith('_acme-challenge.');
}

export function titleOf({ metadata }: DNSZone): string {
  return `DNSZone ${metadata.namespace}/${metadata.name}`;
}
