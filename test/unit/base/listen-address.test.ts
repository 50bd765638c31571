// The addresses that servers listen on, on machines with and without IPv6.
import { expect, test } from 'vitest';
import { chooseListenAddress, chooseListenAddresses } from '#base/listen-address.ts';

const [withIpv6, withoutIpv6] = [async () => true, async () => false];

test('a server of Node.js listens on all addresses of the families that the machine has', async () => {
  expect(await chooseListenAddress('*', withIpv6)).toBe('::');
  expect(await chooseListenAddress('*', withoutIpv6)).toBe('0.0.0.0');
});

test('knotd has a socket for each family that the machine has', async () => {
  expect(await chooseListenAddresses(['*'], withIpv6)).toEqual(['0.0.0.0', '::']);
  expect(await chooseListenAddresses(['*'], withoutIpv6)).toEqual(['0.0.0.0']);
  expect(await chooseListenAddresses(['192.0.2.1', '*'], withIpv6)).toEqual(['0.0.0.0', '::']);
});

test.each(['192.0.2.1', '0.0.0.0', '::', 'localhost'])('the address %s stays as it is', async (host) => {
  expect(await chooseListenAddress(host, withoutIpv6)).toBe(host);
  expect(await chooseListenAddresses([host], withoutIpv6)).toEqual([host]);
});
