import { expect, test } from 'vitest';
import { createBoundedWait } from '#base/bounded-wait.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const HOUR_MS = 3_600_000;

test('a key waits for ten seconds at most, and again after its cause has gone', async () => {
  const clock = new FakeClock();
  const mustWait = createBoundedWait(clock);
  expect(mustWait('a', true)).toBe(true);
  await clock.advance(9_999);
  expect(mustWait('a', true)).toBe(true);
  await clock.advance(1);
  expect(mustWait('a', true)).toBe(false);
  expect(mustWait('b', true)).toBe(true);
  expect(mustWait('a', false)).toBe(false);
  expect(mustWait('a', true)).toBe(true);
});

test('a key that was not asked about for an hour is forgotten, and others are not', async () => {
  const clock = new FakeClock();
  const mustWait = createBoundedWait(clock);
  mustWait('gone', true);
  mustWait('there', true);
  await clock.advance(HOUR_MS / 2);
  expect(mustWait('there', true)).toBe(false);
  await clock.advance(HOUR_MS / 2);
  expect(mustWait('there', true)).toBe(false);
  expect(mustWait('gone', true)).toBe(true);
});
