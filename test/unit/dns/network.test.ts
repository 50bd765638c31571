// Networks in CIDR form: parsed to the one form that is stored.
import { expect, test } from 'vitest';
import { parseNetwork } from '#dns/network.ts';

test.each([
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['192.0.2.128/25', '192.0.2.128/25'],
  ['192.0.2.1', '192.0.2.1/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['2001:db8:0:0::1', '2001:db8::1/128'],
  ['::/0', '::/0'],
  ['fe80::/10', 'fe80::/10'],
])('%s is %s', (given, stored) => {
  expect(parseNetwork(given, 'networks.0')).toEqual({ ok: true, value: stored });
});

test.each([
  '',
  '10.0.0.0/33',
  '10.0.0/8',
  '010.0.0.0/8',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '2001:db8::/129',
  '2001:db8::%eth0/64',
  'example.org',
  '10.0.0.0/8 ',
  '10.0.0.0/8\0',
])('%j is refused, naming the field', (given) => {
  expect(parseNetwork(given, 'networks.3')).toMatchObject({
    ok: false,
    problem: { code: 'bad_request', field: 'networks.3' },
  });
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:FFFF:192.0.2.1/128', '192.0.2.1/32'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
])('%s is an IPv4 network in the form of IPv6, and the message contains the right form: %s', (given, right) => {
  const verdict = parseNetwork(given, 'networks.0');
  expect(verdict.ok ? '' : verdict.problem.message).toBe(
    `"${given}" is an IPv4 network in the form of IPv6; write "${right}".`,
  );
});

test.each(['fe80::1%eth0', 'fe80::1%25eth0/128', 'FE80::%1/64'])('%s is refused because of its zone id', (given) => {
  const verdict = parseNetwork(given, 'networks.0');
  expect(verdict.ok ? '' : verdict.problem.message).toMatch(/has a zone id/);
});

test.each([
  ['10.0.0.1/8', '10.0.0.0/8'],
  ['192.0.2.129/25', '192.0.2.128/25'],
  ['2001:db8::1/32', '2001:db8::/32'],
  ['fec0::/9', 'fe80::/9'],
])('%s has bits after its prefix, and the message contains the right form: %s', (given, right) => {
  const verdict = parseNetwork(given, 'networks.0');
  expect(verdict.ok ? '' : verdict.problem.message).toContain(JSON.stringify(right));
});
