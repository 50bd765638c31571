// The state of keys and trusts.
import { expect, test } from 'vitest';
import { judgeLifetime } from '#base/lifetime.ts';

const now = new Date('2026-06-01T00:00:00Z');

test.each([
  ['without an end is valid', null, null, 'valid'],
  ['is valid until its end', null, '2026-06-01T00:00:01Z', 'valid'],
  ['has expired at its end, as text', null, '2026-06-01T00:00:00Z', 'expired'],
  ['has expired at its end, as a Date', null, new Date('2026-06-01T00:00:00Z'), 'expired'],
  ['stays revoked after its end', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', 'revoked'],
] as const)('a key %s', (_, revokedAt, expiresAt, state) => {
  expect(judgeLifetime({ revokedAt, expiresAt }, now)).toBe(state);
});
