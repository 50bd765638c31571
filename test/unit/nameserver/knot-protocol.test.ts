// The units of Knot's control socket as octets.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BLOCK,
  encodeUnit,
  type KnotItem,
  MAX_SECTION,
  SECTIONS,
  type Unit,
  UnitDecoder,
} from '#nameserver/knot/protocol.ts';

const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((value) => !value.includes('\0') && value.isWellFormed());
const item: fc.Arbitrary<KnotItem> = fc
  .dictionary(fc.constantFrom(...SECTIONS), text)
  .map((sections) => ({ ...sections }) as KnotItem);
const unit: fc.Arbitrary<Unit> = fc.oneof(
  item.map((value): Unit => ({ kind: 'data', item: value })),
  item.map((value): Unit => ({ kind: 'extra', item: value })),
  fc.constant<Unit>({ kind: 'block' }),
  fc.constant<Unit>({ kind: 'end' }),
);

/** The octets in pieces that end at the given places. */
function pieces(octets: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (octets.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => octets.subarray(start, ends[index] ?? octets.length));
}

test('units of the control socket are the octets of the protocol', () => {
  const octets = encodeUnit({ kind: 'data', item: { command: 'zone-read', zone: 'a.' } });
  expect(octets.toString('latin1')).toBe('\x01\x10\x00\x09zone-read\x16\x00\x02a.');
  expect(encodeUnit({ kind: 'end' })).toEqual(Buffer.of(0));
  expect(BLOCK).toEqual(Buffer.of(3));
  expect(encodeUnit({ kind: 'extra', item: { filters: '' } })).toEqual(Buffer.of(2, 0x1b, 0, 0));
});

test('units of the control socket come back from any pieces of their octets', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (units, places) => {
      // A DATA unit ends where the next unit begins.
      const octets = Buffer.concat([...units.map(encodeUnit), BLOCK]);
      const decoder = new UnitDecoder();
      expect(pieces(octets, places).flatMap((piece) => decoder.push(piece))).toEqual([...units, { kind: 'block' }]);
    }),
  );
});

test('units of the control socket come back octet by octet, with the longest section', () => {
  const octets = Buffer.concat([encodeUnit({ kind: 'data', item: { data: 'x'.repeat(MAX_SECTION) } }), BLOCK]);
  const whole = new UnitDecoder().push(octets);
  expect(whole).toEqual([{ kind: 'data', item: { data: 'x'.repeat(MAX_SECTION) } }, { kind: 'block' }]);
  const decoder = new UnitDecoder();
  const short = Buffer.concat([encodeUnit({ kind: 'data', item: { zone: 'example.' } }), BLOCK]);
  expect([...short].flatMap((octet) => decoder.push(Uint8Array.of(octet)))).toHaveLength(2);
});

test('units of the control socket have no section that does not fit or that contains a NUL', () => {
  expect(() => encodeUnit({ kind: 'data', item: { data: 'x'.repeat(MAX_SECTION + 1) } })).toThrow(
    'the section data has 65536 octets; at most 65535 fit',
  );
  expect(() => encodeUnit({ kind: 'data', item: { id: 'a\0b' } })).toThrow('the section id contains a NUL');
});

test('units of the control socket end with an error when the octets are something else', () => {
  expect(() => new UnitDecoder().push(Buffer.from('HTTP/1.1 200 OK'))).toThrow('octet 72 begins neither');
  expect(() => new UnitDecoder().push(Buffer.of(0x10, 0, 1, 0x61))).toThrow('the section command is outside of a unit');
  expect(() => new UnitDecoder().push(Buffer.of(1, 0x1c, 0, 0))).toThrow('octet 28 begins neither');
});
