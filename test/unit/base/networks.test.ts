// The networks of a client, and the unit that a limit for one client counts by.
import { expect, test } from 'vitest';
import { isLoopback, matchNetworks, toClientNetwork } from '#base/networks.ts';

const isWithin = matchNetworks(['192.0.2.0/24', '198.51.100.7', '2001:db8:1::/48', 'fe80::/10']);

test.each([
  ['192.0.2.9', true],
  ['::ffff:192.0.2.9', true],
  ['::ffff:c000:209', true],
  ['0:0:0:0:0:ffff:c000:209', true],
  ['198.51.100.7', true],
  ['198.51.100.8', false],
  ['2001:db8:1::9', true],
  ['2001:DB8:1:0:0:0:0:9', true],
  ['2001:db8:2::9', false],
  ['fe80::1%eth0', true],
  ['::192.0.2.9', false],
  ['', false],
  ['not an address', false],
])('the networks contain %j: %s', (address, expected) => expect(isWithin(address)).toBe(expected));

test('a network of all addresses of one family contains none of the other', () => {
  const [isIpv4, isIpv6] = [matchNetworks(['0.0.0.0/0']), matchNetworks(['::/0'])];
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) {
    expect([isIpv4(address), isIpv6(address)]).toEqual([true, false]);
  }
  expect([isIpv4('2001:db8::1'), isIpv6('2001:db8::1')]).toEqual([false, true]);
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::', false],
  ['192.0.2.1', false],
])('%s is a loopback address: %s', (address, expected) => expect(isLoopback(address)).toBe(expected));

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, network) => expect(toClientNetwork(address)).toBe(network));
