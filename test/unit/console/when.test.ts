// How long ago something happened, in words.
import { expect, test } from 'vitest';
import { whenOf } from '#console/shell/when.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ago = (seconds: number) => whenOf(new Date(NOW.getTime() - seconds * 1_000).toISOString(), NOW).ago;

test.each([
  [-5, 'just now'],
  [0, 'just now'],
  [59.9, 'just now'],
  [60, '1 min ago'],
  [59 * 60 + 59, '59 min ago'],
  [60 * 60, '1 h ago'],
  [24 * 60 * 60 - 1, '23 h ago'],
  [24 * 60 * 60, '1 day ago'],
  [30 * 24 * 60 * 60, '30 days ago'],
  [31 * 24 * 60 * 60, '2026-10-21'],
])('%d s ago are "%s"', (seconds, words) => {
  expect(ago(seconds)).toBe(words);
});

test('the exact time is in UTC, without fractions of a second', () => {
  expect(whenOf('2026-11-21T10:31:07.123Z', NOW).exact).toBe('2026-11-21 10:31:07 UTC');
});
