import { expect, test } from 'vitest';
import { hex, rdata, refusal } from './build.ts';

const FOO = '03666f6f076578616d706c6503636f6d00';

// The octets are those of named-rrchecker (BIND 9.18), and of RFC 9460 appendix D.
test.each([
  ['0 foo.example.com.', '0 foo.example.com', `0000${FOO}`],
  [
    '1 foo.example.com. alpn=dot port=853',
    '1 foo.example.com alpn="dot" port=853',
    `0001${FOO}000100040364 6f74000300020355`,
  ],
  ['1 . dohpath=/dns-query{?dns}', '1 . key7="/dns-query{?dns}"', '000100000700102f646e732d71756572797b3f646e737d'],
  ['2 . ohttp', '2 . key8=""', '00020000080000'],
  // draft-ietf-tls-key-share-prediction section 3.1: 29 is x25519, 23 the P-256 curve, each in two octets.
  ['2 . tls-supported-groups=29,23', '2 . key9="\\000\\029\\000\\023"', '00020000090004001d0017'],
])('an SVCB record with %s is %s', (content, canonical, wire) => {
  const parsed = rdata('SVCB', content);
  expect(parsed.content).toBe(canonical);
  expect(hex(parsed.wire)).toBe(wire.replaceAll(' ', ''));
});

test('an SVCB record has an absolute target in a zone file', () => {
  expect(rdata('SVCB', '1 Foo.example.com')).toMatchObject({
    rdata: '1 foo.example.com.',
    target: 'foo.example.com',
    priority: null,
  });
});

test('an SVCB record shows its form when it cannot be read', () => {
  expect(refusal('SVCB', '1').message).toMatch(/^An SVCB record is "priority target params"/);
  expect(refusal('SVCB', '0 foo.example.com port=1').message).toContain('Priority 0 is the alias form');
});
