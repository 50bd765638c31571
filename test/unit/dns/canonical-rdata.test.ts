// Canonical text of RDATA, as the feed carries it, and octets.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { genericText } from '#dns/types/generic.ts';
import { RECORD_TYPES } from '#dns/types/index.ts';
import { canonicalRdata, octetsOfRdata, rdataOfOctets } from '#dns/wire/canonical-rdata.ts';
import { typedRdata } from '../../support/dns/served-sets.ts';
import { effort } from '../../support/runner/seed.ts';
import { hex } from './build.ts';

test('canonical RDATA is the octets of its type', () => {
  expect(hex(octetsOfRdata('MX', '10 mail.example.com.'))).toBe('000a046d61696c076578616d706c6503636f6d00');
  expect(hex(octetsOfRdata('MX', '0 .'))).toBe('000000');
  expect(hex(octetsOfRdata('A', '192.0.2.1'))).toBe('c0000201');
  expect(hex(octetsOfRdata('TXT', '"a" ""'))).toBe('016100');
  expect(hex(octetsOfRdata('CAA', '0 issue ";"'))).toBe('000569737375653b');
  expect(hex(octetsOfRdata('HTTPS', '1 . alpn="h2"'))).toBe('000100000100030268 32'.replace(' ', ''));
});

test('canonical RDATA comes back from octets, for every type', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(typedRdata, ({ type, text }) => {
      seen.add(type.startsWith('TYPE') ? 'TYPEn' : type);
      const octets = octetsOfRdata(type, text);
      expect(rdataOfOctets(type, octets)).toBe(text);
      expect(canonicalRdata(type, text)).toBe(text);
    }),
    { numRuns: effort(1_500, 300) },
  );
  expect([...seen].sort()).toEqual([...RECORD_TYPES.filter((type) => type !== 'ALIAS'), 'TYPEn'].sort());
});

test('canonical RDATA is made of every other presentation form', () => {
  expect(canonicalRdata('AAAA', '2001:DB8:0::1')).toBe('2001:db8::1');
  expect(canonicalRdata('TXT', '"\\097"')).toBe('"a"');
  expect(canonicalRdata('DS', `1 13 2 ${'AB'.repeat(32)}`)).toBe(`1 13 2 ${'ab'.repeat(32)}`);
  expect(canonicalRdata('HTTPS', '1 . key1=\\002h2 port=443')).toBe('1 . alpn="h2" port=443');
});

test('canonical RDATA is nothing for a value that the service has not', () => {
  expect(canonicalRdata('A', 'x')).toBeNull();
  expect(canonicalRdata('ALIAS', 'a.example.')).toBeNull();
  expect(canonicalRdata('TYPE48', '\\# 1 00')).toBeNull();
  expect(canonicalRdata('TYPE65280', '\\# 2 00')).toBeNull();
  expect(rdataOfOctets('A', Uint8Array.of(1, 2, 3))).toBeNull();
  expect(rdataOfOctets('SOA', Uint8Array.of(0))).toBeNull();
  expect(() => octetsOfRdata('A', 'x')).toThrow('x is not a value of type A');
});

test('canonical RDATA has a generic form', () => {
  expect(genericText(Uint8Array.of(192, 0, 2, 1))).toBe('\\# 4 c0000201');
  expect(genericText(new Uint8Array(0))).toBe('\\# 0');
});
