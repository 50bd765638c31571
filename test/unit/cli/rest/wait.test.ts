// The wait of --wait, with a real name server whose serial the test changes.
import { expect, test } from 'vitest';
import { waitUntilServed } from '#cli/rest/wait.ts';
import { checkWait } from '#cli/rest/wait-options.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { fakeClient, on } from '../../../support/service/fake-client.ts';

const ZONE = { id: 'zone_1', zoneName: 'example.org', serial: 9, nameservers: ['ns1.test', 'ns2.test'] };

/** Waits for serial 9 at two name servers. @param serials those of the second one, query by query; the last one stays */
async function wait(
  serials: number[],
  options: { wait?: boolean; waitLimit?: number },
  signal = new AbortController().signal,
) {
  const soa = (serial: number) => ({
    answers: [
      {
        name: 'example.org',
        type: 'SOA' as const,
        ttl: 300,
        data: { mname: 'ns1.test', rname: 'h.test', serial, refresh: 1, retry: 2, expire: 3, minimum: 4 },
      },
    ],
  });
  let asked = 0;
  const servers = await Promise.all([
    startNameServer(() => soa(10)),
    startNameServer(() => soa(serials[Math.min(asked++, serials.length - 1)] ?? 0)),
  ]);
  const addresses = servers.map(({ address, port }, at) => `ns${at + 1}.test=${address}:${port}`).join(',');
  const said: string[] = [];
  const session = {
    client: fakeClient(on(getZone, async () => ZONE as Zone)),
    signal,
    warn: (line: string) => void said.push(line),
  };
  try {
    await waitUntilServed(session, 'zone_1', { options, addresses });
    return { said, asked };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

test('a wait ends when every name server has the serial of the zone or a later one', async () => {
  expect(await wait([8, 8, 9], { wait: true })).toEqual({
    said: ['every name server of example.org answers with serial 9'],
    asked: 3,
  });
});

test('a wait that reaches its limit names the name servers without the change, and says that it is stored', async () => {
  const failed = await wait([8], { wait: true, waitLimit: 1 }).catch((error: Error) => error.message);
  expect(failed).toMatch(
    /^the change is stored, but after 1 s not every name server answers with it: ns2\.test \(127\.0\.0\.1:\d+\) [^;]*8[^;]*\. "zonestead zones status example\.org" shows them$/,
  );
});

test('a wait ends with the signal of the process, and nothing waits without --wait', async () => {
  await expect(wait([8], { wait: true }, AbortSignal.timeout(50))).rejects.toThrow(/timeout/);
  expect(await wait([8], {})).toEqual({ said: [], asked: 0 });
});

test('a limit is from a second to a day', () => {
  for (const waitLimit of [0, 86_401]) expect(() => checkWait({ waitLimit })).toThrow('write a time from 1s to 1d');
  for (const waitLimit of [1, 86_400]) expect(() => checkWait({ waitLimit })).not.toThrow();
  expect(() => checkWait({})).not.toThrow();
});
