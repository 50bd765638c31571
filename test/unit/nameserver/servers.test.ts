// The addresses of a name server that a measurement asks: those of both families, as far as the machine has routes.
import { expect, test } from 'vitest';
import { parseOverrides, resolveServers } from '#nameserver/probe/probe.ts';

const { signal } = new AbortController();
const resolver = {
  resolve4: async () => ['192.0.2.1'],
  resolve6: async () => ['2001:db8::2', '2001:db8::1'],
};
const options = { overrides: new Map(), resolver, families: [4, 6] as const, signal };
const IPV6 = ['2001:db8::1', '2001:db8::2'];

async function addressesOf(more: { hasRoute?: (address: string) => Promise<boolean> }): Promise<string[]> {
  const { servers } = await resolveServers(['ns1.example'], { ...options, ...more });
  return servers.map(({ address }) => address);
}

test.each([
  ['both families', /./, ['192.0.2.1', ...IPV6]],
  ['IPv4 alone', /^192/, ['192.0.2.1']],
  ['IPv6 alone', /^2001/, IPV6],
  // Otherwise the name would have no address, and not addresses that do not answer.
  ['neither family', /^$/, ['192.0.2.1', ...IPV6]],
])(
  'a measurement on a machine with routes of %s asks the addresses that it can reach',
  async (_, routes, addresses) => {
    expect(await addressesOf({ hasRoute: async (address) => routes.test(address) })).toEqual(addresses);
  },
);

test('a proof asks the addresses of one family, because those of the other belong to the same machine', async () => {
  expect(await addressesOf({})).toEqual(['192.0.2.1']);
});

test('a measurement asks the addresses of one family while the names of the other do not resolve', async () => {
  const failing = { ...resolver, resolve4: () => Promise.reject(new Error('no answer')) };
  const { servers } = await resolveServers(['ns1.example'], {
    ...options,
    resolver: failing,
    hasRoute: async () => true,
  });
  expect(servers.map(({ address }) => address)).toEqual(IPV6);
});

test.each([
  ['ns1.example=[fe80::1%eth0]:53', 'has an address that has a zone id, which has a meaning on one machine only'],
  ['ns1.example=[::ffff:192.0.2.1]', 'has an address that is an IPv4 address in the form of IPv6; write 192.0.2.1'],
])('the override %s gets a sentence that says what to write', (text, sentence) => {
  expect(() => parseOverrides(text)).toThrow(sentence);
});
