// Public suffixes (publicsuffix.org), and names of private use that are none.
import { expect, test } from 'vitest';
import { isPublicSuffix } from '#dns/names/public-suffix.ts';

test.each(['com', 'co.uk', 'xn--p1ai', 'github.io', 's3.amazonaws.com', 'arpa', 'in-addr.arpa', 'ip6.arpa'])(
  '%s is a public suffix',
  (name) => expect(isPublicSuffix(name)).toBe(true),
);

// The rules with a star and with an exclamation mark: *.kawasaki.jp, !city.kawasaki.jp.
test('wildcard rules and their exceptions hold', () => {
  expect(isPublicSuffix('any.kawasaki.jp')).toBe(true);
  expect(isPublicSuffix('city.kawasaki.jp')).toBe(false);
});

test.each([
  'example.com',
  'me.github.io',
  '_acme.co.uk',
  '2.0.192.in-addr.arpa',
  // RFC 6761, RFC 8375, RFC 9476, and names that no registry has.
  'test',
  'example',
  'localhost',
  'local',
  'cluster.local',
  'invalid',
  'internal',
  'corp.internal',
  'home.arpa',
  'den.home.arpa',
  'alt',
  'kubernetes',
])('%s is not a public suffix', (name) => expect(isPublicSuffix(name)).toBe(false));
