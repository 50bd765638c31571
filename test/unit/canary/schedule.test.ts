// The pauses of the canary.
import { expect, test } from 'vitest';
import { choosePause, DONE, repeat } from '#canary/schedule.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

test('the pause includes the time that the work took, and differs from canary to canary', () => {
  const pause = (tookMs: number, random: number) => choosePause(10_000, tookMs, 0, random, 0);
  expect([pause(0, 0), pause(0, 0.5), pause(0, 1)]).toEqual([9_000, 10_000, 11_000]);
  expect(pause(4_000, 0.5)).toBe(6_000);
  expect(pause(30_000, 0.5)).toBe(0);
});

test('the pause doubles with each failure up to a minute, and respects the service', () => {
  const pause = (failures: number, retryAfterMs = 0) => choosePause(10_000, 0, failures, 0.5, retryAfterMs);
  expect([0, 1, 2, 3, 50].map((failures) => pause(failures))).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(pause(0, 90_000)).toBe(90_000);
  // An interval above a minute stays as it is.
  expect(choosePause(600_000, 0, 5, 0.5, 0)).toBe(600_000);
});

test('work repeats until the signal, and a failure makes the next pause longer', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let runs = 0;
  const outcomes = [DONE, { isFailure: true, retryAfterMs: 0 }, DONE];
  const ended = repeat(
    { clock, random: () => 0.5 },
    { everyMs: 10_000, firstMs: 0 },
    async () => outcomes[runs++] ?? DONE,
    stop.signal,
  );
  const seen: number[] = [];
  for (let second = 0; second < 45; second += 5) {
    await clock.advance(second === 0 ? 0 : 5_000);
    seen.push(runs);
  }
  //                     0  5  10 15 20 25 30 35 40
  expect(seen).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 4]);
  stop.abort();
  await ended;
  expect(clock.timers()).toEqual([]);
});
