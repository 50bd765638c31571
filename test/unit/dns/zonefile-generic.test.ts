// RDATA in hexadecimal digits, and types by their numbers, in zone files (RFC 3597 section 5).
import { expect, test } from 'vitest';
import { readZoneFile } from '../../support/dns/zone-file.ts';
import { ZONE } from './build.ts';

/** The line, and its record; `-` stands for the zone's default TTL, and null for a refusal. */
test.each([
  ['A \\# 4 c0000201', 'www - A 192.0.2.1'],
  ['TYPE1 \\# 4 C000 0201', 'www - A 192.0.2.1'],
  ['60 CLASS1 TYPE28 \\# 16 ( 20010db8 00000000\n 00000000 00000001 )', 'www 60 AAAA 2001:db8::1'],
  ['TYPE16 \\# 6 02 6869 0261 22', 'www - TXT "hi" "a\\""'],
  ['TYPE15 \\# 12 000a 046d61696c 0361626300', 'www - MX 10 mail.abc.'],
  ['CAA \\# 14 0005697373756563612e6f7267', null],
  ['CAA \\# 13 0005697373756563612e6f7267', 'www - CAA 0 issue "ca.org"'],
  ['TYPE65 \\# 10 0001 00 0001 0003 026832', 'www - HTTPS 1 . alpn="h2"'],
  ['TYPE65 \\# 7 0001 00 0002 0000', null],
  ['TYPE65 \\# 9 0001 00 0001 0003 0268', null],
  ['A \\# 3 c00002', null],
  ['A \\# 4 c00002', null],
  ['A \\# 4 c000020g', null],
  ['A \\# 4', null],
  ['A \\#', null],
  ['ALIAS \\# 0', null],
  ['TYPE65280 \\# 0', 'www - TYPE65280 \\# 0'],
  ['TYPE0065280 \\# ( 4 0A00\n 0001 )', 'www - TYPE65280 \\# 4 0a000001'],
  ['TYPE65280 \\# 2 0a', null],
  ['TYPE65280 0a', null],
  ['TYPE65280 "\\#" 0', null],
  ['TYPE255 \\# 0', null],
  ['TYPE44 \\# 4 0402 abcd', null],
  ['TYPE44 \\# 4 0403 ABCD', 'www - SSHFP 4 3 abcd'],
  ['TYPE39 \\# 5 03 616263 00', 'www - DNAME abc.'],
  ['NAPTR \\# 9 0001 0002 0175 00 00 00', 'www - NAPTR 1 2 "u" "" "" .'],
  ['TYPE64 \\# 10 0001 00 0001 0003 026832', 'www - SVCB 1 . alpn="h2"'],
  ['TYPE256 \\# 9 0001 0002 783a 79 7a 7a', 'www - URI 1 2 "x:yzz"'],
  ['CLASS3 A 192.0.2.1', null],
])('the line "www %s" is read or refused', (line, expected) => {
  const { records, problems } = readZoneFile(`www ${line}`, { zone: ZONE, defaultTtl: 3600, children: new Set() });
  expect(records.map(({ record: { name, ttl, type, rdata } }) => `${name} ${ttl ?? '-'} ${type} ${rdata}`)).toEqual(
    expected === null ? [] : [expected],
  );
  expect(problems).toMatchObject(expected === null ? [{ line: 1 }] : []);
});
