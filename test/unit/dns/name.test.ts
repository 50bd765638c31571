import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fqdn, listSuffixes, orderName, parseLookupName, parseOwnerName, parseZoneName } from '#dns/names/name.ts';
import type { RecordType } from '#dns/types/index.ts';
import { given, problemOf, ZONE } from './build.ts';

const owner = (name: string, type: RecordType = 'TXT', zone = ZONE) => parseOwnerName(name, zone, type);

test.each([
  ['example.com', 'example.com'],
  ['Example.COM.', 'example.com'],
  ['mytld', 'mytld'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
  ['faß.example', 'xn--fa-hia.example'], // non-transitional: ß stays ß
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'], // the ideographic full stop is a dot
  ['2.0.192.in-addr.arpa', '2.0.192.in-addr.arpa'],
  ['_acme-challenge.example.com', '_acme-challenge.example.com'],
])('the zone name %s becomes %s', (input, canonical) => {
  expect(given(parseZoneName(input))).toBe(canonical);
});

test.each([
  ['the root', '.'],
  ['nothing', ''],
  ['an empty label', 'a..com'],
  ['a leading dot', '.example.com'],
  ['two final dots', 'example.com..'],
  ['a wildcard', '*.example.com'],
  ['a blank', 'exa mple.com'],
  ['an escape', 'a\\.b.com'],
  ['an address', '192.0.2.1'],
  ['a slash', '0/25.2.0.192.in-addr.arpa'],
  ['a hyphen at a label end', 'example-.com'],
  ['a fake A-label', 'xn--a.example'],
  ['a Bidi violation', 'a\u05d0.example'],
  ['a label of 64 octets', `${'a'.repeat(64)}.com`],
  ['254 octets', `${'a.'.repeat(126)}ab`],
])('a zone name with %s is refused', (_, input) => {
  expect(problemOf(parseZoneName(input))).toMatchObject({ code: 'bad_request', field: 'zoneName' });
});

test('a zone name may have up to 253 octets', () => {
  expect(given(parseZoneName(`${'a.'.repeat(126)}a`))).toHaveLength(253);
});

test.each([
  ['@', '@'],
  ['WWW', 'www'],
  ['*', '*'],
  ['*.dev', '*.dev'],
  ['_acme-challenge', '_acme-challenge'],
  ['bücher', 'xn--bcher-kva'],
  ['example.com.', '@'],
  ['www.Example.com.', 'www'],
  ['*.example.com.', '*'],
  ['com', 'com'],
  ['notexample.com', 'notexample.com'],
  ['-edge-', '-edge-'],
  ['www.example.com.example.com.', 'www.example.com'],
])('the owner name %s becomes %s', (input, canonical) => {
  expect(given(owner(input))).toBe(canonical);
});

test.each([
  ['nothing', ''],
  ['the root', '.'],
  ['an inner wildcard', 'a.*'],
  ['a wildcard after a wildcard', '*.*'],
  ['half a wildcard', 'a*'],
  ['an apex sign inside', '@.www'],
  ['a blank', 'a b'],
  ['a quote', 'a"b'],
  ['a backslash', 'a\\046b'],
  ['a newline', 'a\n'],
  ['a null', 'a\0'],
  ['an empty label', 'a..b'],
  ['a final dot outside the zone', 'www.example.org.'],
  ['a final dot and no zone', 'www.'],
  ['a broken U-label', '\u200d'],
  ['a lone surrogate', '\ud800'],
  ['a label of 64 octets', 'a'.repeat(64)],
])('an owner name with %s is refused', (_, input) => {
  expect(problemOf(owner(input))).toMatchObject({ code: 'bad_request', field: 'name' });
});

test('an owner name that ends in the zone without final dot is refused with both correct forms', () => {
  const { message } = problemOf(owner('www.example.com'));
  expect(message).toContain('"www"');
  expect(message).toContain('"www.example.com.example.com."');
  expect(problemOf(owner('EXAMPLE.com')).message).toContain('"@"');
});

test('an owner name counts together with its zone: 253 octets at most', () => {
  const zone = `${'z'.repeat(63)}.${'y'.repeat(63)}.${'x'.repeat(63)}`; // 191
  const room = `${'a'.repeat(30)}.${'b'.repeat(30)}`; // 61, with its dot 253 in all
  expect(given(owner(room, 'TXT', zone))).toBe(room);
  expect(problemOf(owner(`${room}b`, 'TXT', zone)).message).toContain('254');
});

test.each<[string, RecordType]>([
  ['-edge', 'A'],
  ['edge-.www', 'AAAA'],
  ['edge-', 'ALIAS'],
])('the owner name %s is refused for %s, whose owner is a host', (name, type) => {
  expect(problemOf(owner(name, type)).message).toContain('hyphen');
});

test('an owner name with an underscore is accepted for addresses as for all other types', () => {
  expect(given(owner('_foo', 'A'))).toBe('_foo');
});

test.each(['*', '*.dev'])('the owner name %s cannot be delegated', (name) => {
  expect(problemOf(owner(name, 'NS')).message).toContain('RFC 4592');
});

test.each(['_sip._tcp', '_sip._tcp.region1', '*._tcp', '_a1._udp.x'])(
  'the owner name %s is one of an SRV record',
  (name) => {
    expect(given(owner(name, 'SRV'))).toBe(name);
  },
);

test.each(['@', 'sip', '_sip', 'sip._tcp', '_sip.tcp', '_._tcp', '_tcp', '*'])(
  'the owner name %s is refused for an SRV record',
  (name) => {
    expect(problemOf(owner(name, 'SRV')).field).toBe('name');
  },
);

test('an owner name may have the protocol of an SRV record in the zone name', () => {
  expect(given(owner('_sip', 'SRV', '_tcp.example.com'))).toBe('_sip');
});

test.each(['_443._tcp', '_25._tcp.mail', '*._tcp.mail', '_0._udp', '_65535._sctp'])(
  'the owner name %s is one of a TLSA record',
  (name) => {
    expect(given(owner(name, 'TLSA'))).toBe(name);
  },
);

test.each(['@', 'www', '_443', '443._tcp', '_443.tcp', '_https._tcp', '_0443._tcp', '_65536._tcp'])(
  'the owner name %s is refused for a TLSA record',
  (name) => {
    expect(problemOf(owner(name, 'TLSA')).field).toBe('name');
  },
);

test.each([
  ['example.com', 'example.com'],
  ['Example.COM.', 'example.com'],
  ['*.example.com', 'example.com'],
  ['_acme-challenge.www.example.com', '_acme-challenge.www.example.com'],
  ['bücher.example.', 'xn--bcher-kva.example'],
  ['_acme-challenge.\u05d0\u05d1.example', '_acme-challenge.xn--4dbc.example'], // the Bidi rule judges labels
])('the name to look up %s becomes %s', (input, canonical) => {
  expect(given(parseLookupName(input))).toBe(canonical);
});

test.each(['', '.', 'com', 'com.', '*.com', 'a..com', 'a b.com', 'http://example.com', '*.*.com'])(
  'the name to look up %j is refused',
  (input) => {
    expect(problemOf(parseLookupName(input))).toMatchObject({ code: 'bad_request', field: 'suffix_of' });
  },
);

test('the absolute name is joined from owner and zone', () => {
  expect(fqdn('www', ZONE)).toBe('www.example.com');
  expect(fqdn('@', ZONE)).toBe('example.com');
});

test('the suffixes of a name are all listed, the longest first', () => {
  expect(listSuffixes('a.b.c')).toEqual(['a.b.c', 'b.c', 'c']);
  expect(listSuffixes('c')).toEqual(['c']);
});

test('the ordername is written relative to the zone', () => {
  expect(orderName('@')).toBe('');
  expect(orderName('www')).toBe('www');
  expect(orderName('a.b.c')).toBe('c b a');
});

test('names are sorted by ordername as RFC 4034 section 6.1 sorts names', () => {
  const label = fc.oneof(fc.stringMatching(/^[a-c_0-]{1,4}$/), fc.constantFrom('*', 'a', 'aa', 'a-', 'a0', 'a_'));
  const name = fc.oneof(
    fc.constant('@'),
    fc.array(label, { minLength: 1, maxLength: 4 }).map((all) => all.join('.')),
  );
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(byteOrder(orderName(a), orderName(b)))).toBe(Math.sign(canonicalOrder(a, b)));
    }),
  );
});

test('a canonical name does not change', () => {
  const name = fc
    .array(fc.stringMatching(/^[a-zA-Z0-9_äß中]{1,8}$/), { minLength: 1, maxLength: 3 })
    .map((all) => all.join('.'));
  fc.assert(
    fc.property(name, (input) => {
      const once = owner(input);
      if (once.ok) expect(given(owner(once.value))).toBe(once.value);
    }),
  );
});

/** Labels from the right, each compared by octets, an absent label first (RFC 4034 section 6.1). */
function canonicalOrder(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => (name === '@' ? [] : name.split('.').reverse()));
  for (let index = 0; index < Math.max(left!.length, right!.length); index += 1) {
    const [one, other] = [left![index], right![index]];
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    if (one !== other) return byteOrder(one, other);
  }
  return 0;
}

function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
