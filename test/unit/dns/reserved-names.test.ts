// Names of zones that need a setting: the registries of special-use names (RFC 6761) and of locally served zones (RFC
// 6303).
import { expect, test } from 'vitest';
import { reservedName } from '#dns/names/reserved-names.ts';

const found = (zone: string, allowed: readonly string[] | 'allow' = []) => reservedName(zone, allowed)?.name ?? null;

test.each([
  // RFC 6761 sections 6.1, 6.3 and 6.4, with the private addresses of RFC 1918.
  ['10.in-addr.arpa', '10.in-addr.arpa'],
  ['3.2.10.in-addr.arpa', '10.in-addr.arpa'],
  ['16.172.in-addr.arpa', '16.172.in-addr.arpa'],
  ['31.172.in-addr.arpa', '31.172.in-addr.arpa'],
  ['168.192.in-addr.arpa', '168.192.in-addr.arpa'],
  ['localhost', 'localhost'],
  ['a.invalid', 'invalid'],
  // RFC 6762, RFC 7686, RFC 8375, RFC 9476.
  ['local', 'local'],
  ['printer.local', 'local'],
  ['hidden.onion', 'onion'],
  ['home.arpa', 'home.arpa'],
  ['den.home.arpa', 'home.arpa'],
  ['alt', 'alt'],
  // Kubernetes.
  ['cluster.local', 'cluster.local'],
  ['svc.cluster.local', 'cluster.local'],
  // RFC 6303 sections 4.2 to 4.5, RFC 7793.
  ['0.in-addr.arpa', '0.in-addr.arpa'],
  ['1.0.0.127.in-addr.arpa', '127.in-addr.arpa'],
  ['254.169.in-addr.arpa', '254.169.in-addr.arpa'],
  ['255.255.255.255.in-addr.arpa', '255.255.255.255.in-addr.arpa'],
  ['64.100.in-addr.arpa', '64.100.in-addr.arpa'],
  ['127.100.in-addr.arpa', '127.100.in-addr.arpa'],
  ['d.f.ip6.arpa', 'd.f.ip6.arpa'],
  ['0.0.d.f.ip6.arpa', 'd.f.ip6.arpa'],
  ['8.e.f.ip6.arpa', '8.e.f.ip6.arpa'],
  ['b.e.f.ip6.arpa', 'b.e.f.ip6.arpa'],
  [
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa',
    expect.stringMatching(/^1\.(0\.){31}ip6/),
  ],
  // RFC 3172: the names themselves.
  ['arpa', 'arpa'],
  ['in-addr.arpa', 'in-addr.arpa'],
  ['ip6.arpa', 'ip6.arpa'],
])('the zone name %s is reserved by %s', (zone, by) => expect(found(zone)).toEqual(by));

test.each([
  'example.com',
  'example',
  'a.example',
  'test',
  'corp.test',
  'internal',
  'corp.internal',
  'kubernetes',
  'locals',
  'notlocal',
  'cluster.local.example',
  '15.172.in-addr.arpa',
  '32.172.in-addr.arpa',
  '172.in-addr.arpa',
  '63.100.in-addr.arpa',
  '128.100.in-addr.arpa',
  '110.in-addr.arpa',
  '2.0.192.in-addr.arpa',
  '8.b.d.0.1.0.0.2.ip6.arpa',
  'e.f.ip6.arpa',
  'e164.arpa',
])('the zone name %s is free', (zone) => expect(found(zone)).toBeNull());

test('the setting allows a name with every name below, and no other one', () => {
  const allowed = ['10.in-addr.arpa', 'cluster.local'];
  expect(found('10.in-addr.arpa', allowed)).toBeNull();
  expect(found('1.10.in-addr.arpa', allowed)).toBeNull();
  expect(found('168.192.in-addr.arpa', allowed)).toBe('168.192.in-addr.arpa');
  expect(found('cluster.local', allowed)).toBeNull();
  expect(found('local', allowed)).toBe('local');
  expect(found('printer.local', allowed)).toBe('local');
  expect(found('in-addr.arpa', allowed)).toBe('in-addr.arpa');
});

test('the setting allows all names with "allow"', () => {
  for (const zone of ['local', '10.in-addr.arpa', 'arpa', 'onion']) expect(found(zone, 'allow')).toBeNull();
});
