// The answers that name servers with the content of the service would give, compared with the expected ones: the probe
// without DNS.
import { MAX_CHECKED_TTL, pickServed } from '#dns/members.ts';
import { fqdn } from '#dns/names/name.ts';
import { parseRdata } from '#dns/types/index.ts';
import { equalBytes } from '#dns/wire/octets.ts';
import type { ExpectedRecord } from '#nameserver/probe/rounds.ts';
import type { MemoryService } from './memory-service.ts';

export function servedBy(service: MemoryService) {
  return {
    zone: (zoneName: string): string | null =>
      [...service.zones.values()].some(({ zone }) => zone.zoneName === zoneName) ? null : 'no server serves the zone',

    rrset: (expected: ExpectedRecord): string | null => {
      const rrset = [...service.zones.values()].flatMap(({ zone, records }) =>
        zone.state === 'parked'
          ? []
          : pickServed(
              [...records.values()]
                .filter(({ name, type }) => fqdn(name, zone.zoneName) === expected.name && type === expected.type)
                .map(({ type, content, ttl, priority, health }) => {
                  const parsed = parseRdata(type, content, priority);
                  const isChecked = health?.check !== undefined;
                  return {
                    ...health,
                    failing: isChecked && service.checks.failing.has(content),
                    ttl: Math.min(ttl ?? zone.defaultTtl, isChecked ? MAX_CHECKED_TTL : Number.MAX_SAFE_INTEGER),
                    wire: parsed.ok ? parsed.value.wire : new Uint8Array(),
                  };
                }),
            ),
      );
      const stale = (expected.absent ?? []).some((rdata) => rrset.some(({ wire }) => equalBytes(wire, rdata)));
      if (stale) return 'still serves a removed value';
      const missing = expected.rdatas.some((rdata) => !rrset.some(({ wire }) => equalBytes(wire, rdata)));
      if (missing) return 'does not serve it yet';
      // RFC 2181 section 5.2: one TTL for the whole set; the service serves the lowest.
      const ttl = Math.min(...rrset.map((record) => record.ttl));
      return expected.ttl === undefined || ttl === expected.ttl ? null : `serves TTL ${ttl} instead of ${expected.ttl}`;
    },
  };
}
