// Retry-After: reading the header and writing it.
import { expect, test } from 'vitest';
import { parseRetryAfter, retryAfterSeconds } from '#base/retry-after.ts';

test('Retry-After is read as seconds or as a date (RFC 9110 section 10.2.3), and as nothing else', () => {
  const now = Date.parse('Sat, 21 Nov 2026 10:00:00 GMT');
  expect(parseRetryAfter('0', now)).toBe(0);
  expect(parseRetryAfter('120', now)).toBe(120_000);
  expect(parseRetryAfter('Sat, 21 Nov 2026 10:00:30 GMT', now)).toBe(30_000);
  expect(parseRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeNull();
  expect(parseRetryAfter(undefined, now)).toBeNull();
});

test('Retry-After is written in whole seconds that are never too short and never 0', () => {
  expect([0, 1, 999, 1_000, 1_001, 59_999, 60_000].map(retryAfterSeconds)).toEqual([1, 1, 1, 1, 2, 60, 60]);
});
