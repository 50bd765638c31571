// NAPTR, URI and DNAME: rules that lead from one name to another, or to a URI.
import { expect, test } from 'vitest';
import { hex, rdata, refusal } from './build.ts';

// Examples of RFC 3403 section 6 and RFC 3402 section 4; the octets are those of named-rrchecker (BIND 9.18).
test.each([
  [
    '100 50 "a" "rcds+N2C" "" CIDServer.example.com.',
    '100 50 "a" "rcds+N2C" "" cidserver.example.com',
    '00640032016108726364732b4e32430009636964736572766572076578616d706c6503636f6d00',
  ],
  [
    '100 10 u E2U+sip !^.*$!sip:info@example.com! .',
    '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
    '0064000a0175074532552b7369701b215e2e2a24217369703a696e666f406578616d706c652e636f6d2100',
  ],
  [
    '1 2 "" "" "!^urn:cid:.+@([^\\\\.]+\\\\.)(.*)$!\\\\2!i" .',
    '1 2 "" "" "!^urn:cid:.+@([^\\\\.]+\\\\.)(.*)$!\\\\2!i" .',
    `00010002000021${Buffer.from('!^urn:cid:.+@([^\\.]+\\.)(.*)$!\\2!i').toString('hex')}00`,
  ],
  [
    '0 65535 "S" "" "" _z3950._tcp.gatech.edu',
    '0 65535 "S" "" "" _z3950._tcp.gatech.edu',
    '0000ffff01530000065f7a33393530045f746370066761746563680365647500',
  ],
  ['1 1 "" "" "" .', '1 1 "" "" "" .', '000100010000 0000'],
  ['1 1 "" "\\200;" "" .', '1 1 "" "\\200;" "" .', '00010001 00 02c83b 00 00'],
])('a NAPTR record with %s is %s', (content, canonical, wire) => {
  const parsed = rdata('NAPTR', content);
  expect(parsed.content).toBe(canonical);
  expect(hex(parsed.wire)).toBe(wire.replaceAll(' ', ''));
});

test('a NAPTR record has an absolute replacement in a zone file, which is its target', () => {
  expect(rdata('NAPTR', '1 1 "s" "SIP+D2U" "" _sip._udp.example.com')).toMatchObject({
    rdata: '1 1 "s" "SIP+D2U" "" _sip._udp.example.com.',
    target: '_sip._udp.example.com',
    priority: null,
  });
});

test.each([
  ['100 10 "u" "E2U+sip" "!x!y!"', /A NAPTR record is "order preference flags services regexp replacement"/],
  ['100 10 "u" "E2U+sip" "!x!y!" . .', /Put a value with blanks in quotes/],
  ['100 10 "u""E2U+sip" "" .', /A NAPTR record is/],
  ['65536 10 "u" "" "" .', /order is "65536"/],
  ['1 x "u" "" "" .', /preference is "x"/],
  ['1 1 "u-" "" "" .', /flags "u-" are not accepted/],
  [`1 1 "u" "${'x'.repeat(256)}" "" .`, /services of the NAPTR record has 256 octets; at most 255/],
  ['1 1 "u" "" "!x!y!" a.example.com', /a regexp or a replacement, not both \(RFC 3403 section 4\.1\)/],
  ['1 1 "u" "" "" host', /single label/],
  ['1 1 "u" "" "" a\\.b.example.com', /contains "\\\\"; write a host name alone/],
  ['1 1 "u" "" "" 192.0.2.1', /reads as an IP address/],
  ['1 1 "u" "" "x .', /not closed/],
])('a NAPTR record with %s is refused', (content, message) => {
  expect(refusal('NAPTR', content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
});

test.each([
  [
    '10 1 "ftp://ftp1.example.com/public"',
    '10 1 "ftp://ftp1.example.com/public"',
    '000a00016674703a2f2f667470312e6578616d706c652e636f6d2f7075626c6963',
  ],
  [
    '0 65535 mailto:a@example.com',
    '0 65535 "mailto:a@example.com"',
    '0000ffff6d61696c746f3a61406578616d706c652e636f6d',
  ],
  [
    '1 1 "https://[2001:db8::1]/%20;x?y#z"',
    '1 1 "https://[2001:db8::1]/%20;x?y#z"',
    `00010001${Buffer.from('https://[2001:db8::1]/%20;x?y#z').toString('hex')}`,
  ],
])('a URI record with %s is %s', (content, canonical, wire) => {
  const parsed = rdata('URI', content);
  expect(parsed).toMatchObject({ content: canonical, rdata: canonical, target: null });
  expect(hex(parsed.wire)).toBe(wire);
});

test.each([
  ['10 1', /A URI record is "priority weight target"/],
  ['10 1 "https://a.example" x', /A URI record is/],
  ['65536 1 "https://a.example"', /priority is "65536"/],
  ['1 -1 "https://a.example"', /weight is "-1"/],
  ['1 1 ""', /The target "" is not a URI: begin with a scheme/],
  ['1 1 "www.example.com"', /is not a URI/],
  ['1 1 "https://a.example/x y"', /percent-encode/],
  ['1 1 "https://bücher.example/"', /percent-encode/],
  ['1 1 https://a.example/;x', /may not hold ";"; write the whole text in quotes/],
])('a URI record with %s is refused', (content, message) => {
  expect(refusal('URI', content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
});

test('a DNAME record points to a name like a CNAME', () => {
  const parsed = rdata('DNAME', 'Frobozz-Division.acme.example.');
  expect(parsed).toMatchObject({
    content: 'frobozz-division.acme.example',
    rdata: 'frobozz-division.acme.example.',
    target: 'frobozz-division.acme.example',
  });
  expect(hex(parsed.wire)).toBe('1066726f626f7a7a2d6469766973696f6e0461636d65076578616d706c6500');
  expect(refusal('DNAME', '.').message).toContain('The root "." cannot be the target');
});
