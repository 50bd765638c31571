// RDATA as text for people: it must read back to the same octets wherever the types of the service have a form.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { rdataText } from '#dns/wire/rdata-text.ts';

const NUMBERS: Partial<Record<RecordType, number>> = {
  ...{ A: 1, NS: 2, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, DS: 43, TLSA: 52, CAA: 257 },
};

function textOf(type: RecordType, content: string, priority: number | null = null): string {
  const parsed = parseRdata(type, content, priority);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return rdataText(NUMBERS[type] as number, parsed.value.wire);
}

test('RDATA as text writes each type as a zone file has it', () => {
  expect(textOf('A', '192.0.2.1')).toBe('192.0.2.1');
  expect(textOf('AAAA', '2001:db8:0:0:1:0:0:1')).toBe('2001:db8::1:0:0:1');
  expect(textOf('AAAA', '::')).toBe('::');
  expect(textOf('AAAA', '2001:db8:0:1:1:1:1:1')).toBe('2001:db8:0:1:1:1:1:1');
  expect(textOf('CNAME', 'www.example.com')).toBe('www.example.com.');
  expect(textOf('MX', 'mail.example.com', 10)).toBe('10 mail.example.com.');
  expect(textOf('SRV', '1 2 443 srv.example.com')).toBe('1 2 443 srv.example.com.');
  expect(textOf('TXT', '"a \\"b\\"" "c"')).toBe('"a \\"b\\"" "c"');
  expect(textOf('CAA', '0 issue "ca.example"')).toBe('0 issue "ca.example"');
  expect(textOf('TLSA', `3 1 1 ${'ab'.repeat(32)}`)).toBe(`3 1 1 ${'ab'.repeat(32)}`);
  expect(textOf('DS', `1 13 2 ${'cd'.repeat(32)}`)).toBe(`1 13 2 ${'cd'.repeat(32)}`);
});

test('RDATA as text shows what it does not know, or what does not fit, as RFC 3597 section 5 says', () => {
  expect(rdataText(65280, Uint8Array.of(10, 0, 0, 1))).toBe('\\# 4 0a000001');
  expect(rdataText(1, Uint8Array.of(192, 0, 2))).toBe('\\# 3 c00002');
  expect(rdataText(2, new Uint8Array(0))).toBe('\\# 0');
  expect(rdataText(16, Uint8Array.of(5, 65))).toBe('\\# 2 0541');
  // A compression pointer: the names of RDATA that is shown are expanded.
  expect(rdataText(2, Uint8Array.of(1, 0x61, 0xc0, 0))).toBe('\\# 4 0161c000');
});

test('RDATA as text escapes all characters that could confuse a terminal or a page', () => {
  expect(rdataText(16, Uint8Array.of(3, 0x1b, 0x0a, 0xff))).toBe('"\\027\\010\\255"');
  expect(rdataText(5, Uint8Array.of(3, 0x61, 0x2e, 0x20, 0))).toBe('a\\.\\032.');
});

test('RDATA as text reads back to the same octets for any TXT', () => {
  const octets = fc.array(fc.uint8Array({ minLength: 0, maxLength: 40 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(octets, (parts) => {
      const wire = Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from([part.length, ...part]))));
      const parsed = parseRdata('TXT', rdataText(16, wire), null);
      expect(parsed.ok && [...parsed.value.wire]).toEqual([...wire]);
    }),
    { numRuns: 200 },
  );
});

test('RDATA as text throws at nothing', () => {
  const types = fc.constantFrom(1, 2, 5, 6, 12, 15, 16, 28, 33, 43, 46, 48, 52, 65, 257, 9999);
  fc.assert(fc.property(types, fc.uint8Array({ maxLength: 80 }), (type, rdata) => void rdataText(type, rdata)));
});
