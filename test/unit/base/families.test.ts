// The family that a machine uses first, by the addresses of its interfaces.
import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { orderFamilies, preferFamily } from '#base/families.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

function interfaces(...addresses: string[]) {
  const describe = (address: string): NetworkInterfaceInfo => {
    const common = { address, netmask: '', mac: '', internal: LOOPBACK.includes(address), cidr: null };
    return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' };
  };
  return { lo: LOOPBACK.map(describe), eth0: addresses.map(describe) };
}

test.each([
  ['IPv4 alone', ['192.0.2.1'], [4, 6]],
  ['both', ['192.0.2.1', '2001:db8::1'], [4, 6]],
  ['IPv4 and a link-local address of IPv6', ['192.0.2.1', 'fe80::1'], [4, 6]],
  ['IPv6 alone', ['2001:db8::1', 'fe80::1'], [6, 4]],
  ['IPv6 and a link-local address of IPv4', ['fd00::1', '169.254.7.7'], [6, 4]],
  ['loopback alone', [], [4, 6]],
])('a machine with %s uses the families in the order %j', (_, addresses, order) => {
  expect(orderFamilies(interfaces(...addresses))).toEqual(order);
});

test('the addresses of the second family count if there are no others', () => {
  const both = ['192.0.2.1', '2001:db8::1', '2001:db8::2'];
  expect(preferFamily(both, [6, 4])).toEqual(['2001:db8::1', '2001:db8::2']);
  expect(preferFamily(both, [4, 6])).toEqual(['192.0.2.1']);
  expect(preferFamily(['192.0.2.1'], [6, 4])).toEqual(['192.0.2.1']);
  expect(preferFamily([], [6, 4])).toEqual([]);
});
