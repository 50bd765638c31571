import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex, rdata, refusal } from './build.ts';

test('an A record is a dotted quad', () => {
  expect(rdata('A', '192.0.2.1')).toEqual({
    content: '192.0.2.1',
    rdata: '192.0.2.1',
    wire: Uint8Array.of(192, 0, 2, 1),
    target: null,
    priority: null,
  });
});

test.each([
  '192.0.2',
  '192.0.2.256',
  '192.0.02.1',
  '192.0.2.1.',
  ' 192.0.2.1',
  '192.0.2.1 ',
  '192.0.2.1/32',
  '0x7f.1',
  '2130706433',
  '192.0.2.-1',
  '192.0.2.1.1',
  '::1',
  '١٩٢.0.2.1',
  'host.example.com',
])('an A record with %j is refused', (content) => {
  expect(refusal('A', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});

// RFC 4291 section 2.2 and RFC 5952 sections 4 and 5.
test.each([
  ['2001:DB8:0:0:8:800:200C:417A', '2001:db8::8:800:200c:417a'],
  ['FF01::101', 'ff01::101'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::', '::'],
  ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['1::', '1::'],
  ['2001:db8::192.0.2.33', '2001:db8::c000:221'],
  ['0:0:0:0:0:FFFF:129.144.52.38', '::ffff:129.144.52.38'],
])('an AAAA record with %s is returned as %s', (content, canonical) => {
  expect(rdata('AAAA', content).content).toBe(canonical);
});

test('an AAAA record has the canonical text of a v4-mapped address in hex, which every parser takes', () => {
  expect(rdata('AAAA', '::ffff:192.0.2.1').rdata).toBe('::ffff:c000:201');
});

test.each([
  ':',
  ':::',
  '1',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8:',
  ':1:2:3:4:5:6:7:8',
  '1::2::3',
  '1:2:3:4::5:6:7:8',
  '12345::',
  '::g',
  'fe80::1%eth0',
  '[::1]',
  '::1/64',
  '192.0.2.1',
  '::192.0.2.1:1',
  '192.0.2.1::',
  '::192.0.2.256',
  '::192.0.02.1',
  ' ::1',
])('an AAAA record with %j is refused', (content) => {
  expect(refusal('AAAA', content).field).toBe('content');
});

test('an AAAA record keeps its octets through both spellings', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.array(fc.nat(15)), (octets, zeros) => {
      for (const at of zeros) octets[at] = 0;
      const groups = Array.from({ length: 8 }, (_, index) => hex(octets.subarray(2 * index, 2 * index + 2)));
      const parsed = rdata('AAAA', groups.join(':'));
      expect(parsed.wire).toEqual(octets);
      expect(rdata('AAAA', parsed.content).wire).toEqual(octets);
      expect(rdata('AAAA', parsed.rdata).wire).toEqual(octets);
    }),
  );
});
