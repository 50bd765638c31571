// The one form of an address, and the addresses that people may not write.
import { expect, test } from 'vitest';
import { describeUnusable, formatHostPort, peerAddress, plainAddress } from '#base/address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
  // The former IPv4-compatible addresses are none of IPv4 (RFC 4291 section 2.5.5.1).
  ['::192.0.2.1', '::c000:201'],
  ['fe80::1%eth0', null],
  ['192.0.2.1%eth0', null],
  ['010.0.0.1', null],
  ['[2001:db8::1]', null],
  ['ns1.example', null],
  ['', null],
])('the one form of %j is %j', (text, plain) => expect(plainAddress(text)).toBe(plain));

test.each([
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['%', null],
])('the other end of a connection %j is %j', (text, plain) => expect(peerAddress(text)).toBe(plain));

test.each([
  ['fe80::1%eth0', 'has a zone id, which has a meaning on one machine only; write an address without "%"'],
  ['2001:db8::1%25eth0', 'has a zone id, which has a meaning on one machine only; write an address without "%"'],
  ['::ffff:192.0.2.1', 'is an IPv4 address in the form of IPv6; write 192.0.2.1'],
  ['::FFFF:c000:201', 'is an IPv4 address in the form of IPv6; write 192.0.2.1'],
  ['2001:db8::1', null],
  ['192.0.2.1', null],
  ['ns1.example', null],
  ['100%', null],
])('the address %s is judged for people', (text, fault) => expect(describeUnusable(text)).toBe(fault));

test('an IPv6 address has brackets before its port', () => {
  expect(formatHostPort('2001:db8::1', 53)).toBe('[2001:db8::1]:53');
  expect(formatHostPort('192.0.2.1', 53)).toBe('192.0.2.1:53');
  expect(formatHostPort('ns1.example', 53)).toBe('ns1.example:53');
});
