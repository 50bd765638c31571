// Serials of nodes that sign the same zone: they never meet, and they increase.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeFollowing } from '#dns/secondaries/follow.ts';
import { isOfSlot, jumpOver, SLOTS, slottedSerial } from '#dns/secondaries/serial.ts';
import { isLater } from '#dns/serial.ts';

const serial = fc.nat({ max: 2 ** 32 - 1 });
const slot = fc.nat({ max: SLOTS - 1 });
const notBefore = (a: number, b: number) => a === b || isLater(a, b);

test('the serial of a node belongs to its slot, also when it wraps', () => {
  fc.assert(
    fc.property(serial, fc.option(serial), slot, fc.boolean(), (least, current, own, source) => {
      const next = slottedSerial({ least, current, slot: own, source });
      expect(isOfSlot(next, own)).toBe(true);
      expect(next).not.toBe(0);
      expect(next).toBeLessThan(2 ** 32);
    }),
  );
  expect(slottedSerial({ least: 2 ** 32 - 1, current: null, slot: 0, source: false })).toBe(SLOTS);
});

test("the serial of a node comes after the one before, and is not before the api's", () => {
  fc.assert(
    fc.property(serial, fc.nat({ max: 2 ** 30 }), slot, fc.boolean(), (current, ahead, own, source) => {
      const least = (current + ahead) % 2 ** 32;
      const next = slottedSerial({ least, current, slot: own, source });
      expect(isLater(next, current)).toBe(true);
      expect(notBefore(next, least)).toBe(true);
    }),
  );
  expect(slottedSerial({ least: 5, current: 900, slot: 1, source: false })).toBe(901);
});

test('the serial of a node is later at the source than at any other node for the same contents', () => {
  // Not around the wrap, where 0 is omitted.
  const beforeWrap = fc.integer({ min: 1, max: 2 ** 32 - 1 - 2 * SLOTS });
  fc.assert(
    fc.property(beforeWrap, slot, slot, (least, first, second) => {
      const source = slottedSerial({ least, current: null, slot: first, source: true });
      const standby = slottedSerial({ least, current: null, slot: second, source: false });
      expect(isLater(source, standby)).toBe(true);
    }),
  );
});

test('a source jumps over a secondary that is ahead, with a serial of its own', () => {
  expect(jumpOver(101, [90, 110, 105], 1)).toBe(113);
  expect(jumpOver(2 ** 32 - 3, [2], 1)).toBe(5);
});

test('a source stays if no secondary is ahead', () => {
  expect(jumpOver(101, [], 1)).toBeNull();
  expect(jumpOver(101, [101, 97, 2 ** 32 - 5], 1)).toBeNull();
});

test('a source tells from the serial of a secondary whether it follows', () => {
  expect(judgeFollowing(8, { serial: 8 })).toEqual({ state: 'current' });
  expect(judgeFollowing(8, { serial: 4 })).toEqual({ state: 'behind', serial: 4 });
  expect(judgeFollowing(2 ** 32 - 4, { serial: 4 })).toEqual({ state: 'ahead', serial: 4 });
  expect(judgeFollowing(8, { reason: 'answers REFUSED' })).toEqual({ state: 'absent', reason: 'answers REFUSED' });
});
