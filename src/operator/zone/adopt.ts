// Decides whether a DNSZone may take over an existing zone by spec.adopt: IfIdentical. The takeover itself changes nothing at the
// service: the zone must already have the settings of the spec. A parked zone, for example, would otherwise begin to answer. Pure.
import type { Zone } from '#client/client.ts';
import type { DNSZone } from '#resources/dnszone.ts';

/** Says why the zone is not the one that the spec describes. @returns null when both have the same settings */
export function whyNotIdentical({ spec }: Pick<DNSZone, 'spec'>, zone: Zone): string | null {
  const { owner, defaultTtl, parked } = spec;
  // The settings of another owner's zone are nobody else's business.
  if (owner !== undefined && owner !== zone.owner) {
    return `Zone ${zone.zoneName} already exists at the DNS service and does not belong to ${owner}. Correct spec.owner.`;
  }
  const wanted = [
    ...(defaultTtl === undefined || defaultTtl === zone.defaultTtl ? [] : [`defaultTtl: ${zone.defaultTtl}`]),
    ...(parked === (zone.state === 'parked') ? [] : [`parked: ${!parked}`]),
  ];
  if (wanted.length === 0) return null;
  return `Zone ${zone.zoneName} already exists at the DNS service with other settings, and adopt: IfIdentical takes over only a zone with those of the spec. Set ${wanted.join(' and ')} in the spec. You can change them after the takeover.`;
}
