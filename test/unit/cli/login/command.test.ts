// The address and the name of a login.
import { expect, test } from 'vitest';
import { defaultName, holderOf, parseAddress } from '#cli/login/command.ts';

test.each([
  ['https://dns.example.net', 'dns.example.net'],
  ['https://dns.example.net:8443/zonestead/', 'dns.example.net:8443'],
  ['http://127.0.0.1:8080', '127.0.0.1:8080'],
  ['http://[2001:db8::1]:8080', '2001:db8::1:8080'],
])('the login at %s has the name %s', (address, name) => {
  expect(defaultName(parseAddress(address))).toBe(name);
});

test.each([
  ['dns.example.net', /is not an address; write one such as https/],
  ['ftp://dns.example.net', /is not an address/],
  ['', /is not an address/],
  ['https://ada:secret@dns.example.net', /contains a name or a password; write it without them$/],
  ['https://dns.example.net/?key=1', /a part after "\?" or "#"/],
])('the address %j is refused with the accepted form, and without its password', (address, said) => {
  expect(() => parseAddress(address)).toThrow(said);
  expect(() => parseAddress(address)).not.toThrow(/secret@/);
});

test('a login says whose key it is', () => {
  const key = { name: 'ci' };
  const holder = (account: object) => holderOf(account as Parameters<typeof holderOf>[0]);
  expect(holder({ key, user: { name: 'Ada', email: 'ada@example.org' } })).toBe('as Ada (ada@example.org)');
  expect(holder({ key, team: { name: 'platform' } })).toBe('with the key ci of the team platform');
});
