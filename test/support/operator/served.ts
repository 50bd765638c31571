// The answers that name servers with the content of the service would give, compared with the expected ones: the probe
// without DNS.
import { chooseServedTtl, pickServed, pickWeights } from '#dns/members.ts';
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
      const served = [...service.zones.values()].flatMap(({ zone, records }) =>
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
                    ttl: chooseServedTtl(ttl ?? zone.defaultTtl, health ?? null),
                    wire: parsed.ok ? parsed.value.wire : new Uint8Array(),
                  };
                }),
            ),
      );
      // One of several records with weights: the last one.
      const rrset = pickWeights(served) === null ? served : served.slice(-1);
      const stale = (expected.absent ?? []).some((rdata) => rrset.some(({ wire }) => equalBytes(wire, rdata)));
      if (stale) return 'still serves a removed value';
      const isHeld = (rdata: Uint8Array) => rrset.some(({ wire }) => equalBytes(wire, rdata));
      if (!(expected.isDrawn ? expected.rdatas.some(isHeld) : expected.rdatas.every(isHeld)))
        return 'does not serve it yet';
      // RFC 2181 section 5.2: one TTL for the whole set; the service serves the lowest.
      const ttl = Math.min(...rrset.map((record) => record.ttl));
      return expected.ttl === undefined || ttl === expected.ttl ? null : `serves TTL ${ttl} instead of ${expected.ttl}`;
    },
  };
}
