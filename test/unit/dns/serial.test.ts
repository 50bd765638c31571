import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextSerial } from '#dns/serial.ts';

const TOP = 2 ** 32 - 1;

test('the next serial is the clock when that is ahead', () => {
  expect(nextSerial(1_700_000_000, 1_800_000_000.9)).toBe(1_800_000_000);
});

test('the next serial is one more when changes come faster than seconds or the clock went back', () => {
  expect(nextSerial(1_800_000_000, 1_800_000_000)).toBe(1_800_000_001);
  expect(nextSerial(1_800_000_005, 1_800_000_000)).toBe(1_800_000_006);
});

test('the next serial wraps and skips zero', () => {
  expect(nextSerial(TOP, TOP)).toBe(1);
  expect(nextSerial(TOP, 2 ** 32)).toBe(1);
  expect(nextSerial(TOP - 1, 5)).toBe(5);
});

test('the next serial continues from a serial that looks greater than the clock in plain numbers', () => {
  // Date-shaped serials (2026112100) of a zone that moved here are ahead of Unix time for decades.
  expect(nextSerial(2_026_112_100, 1_800_000_000)).toBe(2_026_112_101);
});

test('the next serial is always newer to a secondary, RFC 1982 section 3.2', () => {
  const serial = fc.oneof(
    fc.integer({ min: 0, max: TOP }),
    fc.constantFrom(0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, TOP),
  );
  fc.assert(
    fc.property(serial, serial, (current, now) => {
      const next = nextSerial(current, now);
      const advance = (next - current + 2 ** 32) % 2 ** 32;
      expect(Number.isInteger(next) && next >= 1 && next <= TOP).toBe(true);
      expect(advance >= 1 && advance < 2 ** 31).toBe(true);
    }),
  );
});
