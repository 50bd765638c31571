// The secondaries in `zonestead zones status`, with answers of an api that this file makes up.
import { expect, test } from 'vitest';
import { showStatus } from '#cli/zones/status.ts';
import { getZone, listZoneNodes } from '#contract/operations/zones.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import { startNameServer } from '../../support/dns/fake-nameserver.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';

const SECONDARY = { listedBy: 'owner', chosen: true } as const;
const EU: ZoneSecondary = { ...SECONDARY, name: 'eu', nameservers: ['ns.eu.test'], state: 'current' };
const US: ZoneSecondary = {
  ...SECONDARY,
  name: 'us',
  nameservers: [],
  state: 'behind',
  serial: 6,
  since: '2026-01-01T00:00:00Z',
  reason: 'it has an older version of the zone',
};

/** The output, with the answers of a name server that has the serial 9. */
async function output(secondaries: ZoneSecondary[], isJson = false): Promise<string[]> {
  const soa = { mname: 'ns.eu.test', rname: 'h.test', serial: 9, refresh: 1, retry: 2, expire: 3, minimum: 4 };
  const server = await startNameServer(() => ({
    answers: [{ name: 'example.org', type: 'SOA' as const, ttl: 300, data: soa }],
  }));
  const zone = { id: 'zone_1', zoneName: 'example.org', serial: 9, nameservers: ['ns.eu.test'] };
  const node = { node: 'ns1', current: true, reportedAt: '2026-01-01T00:00:00Z' };
  const client = fakeClient(
    on(getZone, async () => zone as Zone),
    on(listZoneNodes, async () => ({ nodes: [node], secondaries })),
  );
  const lines: string[] = [];
  const session = {
    client,
    format: isJson ? ('json' as const) : ('table' as const),
    print: (line: string) => void lines.push(line),
    warn: () => undefined,
    signal: new AbortController().signal,
  };
  await showStatus(session, 'zone_1', `ns.eu.test=${server.address}:${server.port}`);
  await server.close();
  return lines;
}

test('the command shows the state, the serial and the names of each secondary', async () => {
  const lines = await output([EU, US]);
  // The answer over DNS tells the serial of eu, and the api that of us.
  expect(lines.find((line) => line.startsWith('eu '))).toMatch(/^eu +current +9 +ns\.eu\.test *$/);
  expect(lines.find((line) => line.startsWith('us '))).toMatch(
    /^us +behind +6 +hidden +secondary us does not have the last change yet: .* \(behind since 2026-01-01T00:00:00Z\)$/,
  );
  expect(JSON.parse((await output([EU, US], true)).join('\n'))).toMatchObject({ secondaries: [EU, US] });
});

test('the command shows no table of secondaries for a zone without one', async () => {
  expect((await output([])).join('\n')).not.toContain('SECONDARY');
});
