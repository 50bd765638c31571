// The states of a checked address, against a model that has the whole list of probes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countProbe, isPaused, nextProbeMs, PAUSE_MS, type Track, wantedState } from '#base/probes/judge.ts';

const RULE = { failures: 3, successes: 2, interval: 10, retryInterval: 0.5 };
const START: Track = { state: 'Unknown', failures: 0, successes: 0, upAt: null };

/** The state after these probes, if each change is made at once. */
function after(probes: readonly boolean[], start: Track = START): Track {
  return probes.reduce((track, isOk) => {
    const next = countProbe(track, isOk);
    return { ...next, state: wantedState(next, RULE) };
  }, start);
}

test('an address is healthy after one success, unhealthy after three failures, and healthy after two successes', () => {
  expect(after([false, false]).state).toBe('Unknown');
  expect(after([true]).state).toBe('Healthy');
  expect(after([true, false, false]).state).toBe('Healthy');
  expect(after([true, false, false, false]).state).toBe('Unhealthy');
  expect(after([true, false, false, true, false, false]).state).toBe('Healthy');
  expect(after([false, false, false, true]).state).toBe('Unhealthy');
  expect(after([false, false, false, true, true]).state).toBe('Healthy');
});

test('the state is that of the last run of equal probes that was long enough', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (probes) => {
      let [state, run, last] = ['Unknown', 0, null as boolean | null];
      for (const isOk of probes) {
        run = isOk === last ? run + 1 : 1;
        last = isOk;
        if (!isOk && run >= 3) state = 'Unhealthy';
        if (isOk && (state !== 'Unhealthy' || run >= 2)) state = 'Healthy';
      }
      expect(after(probes).state).toBe(state);
    }),
  );
});

test('a failure is confirmed quickly, and everything else waits for the interval', () => {
  expect(nextProbeMs(after([true]), RULE)).toBe(10_000);
  expect(nextProbeMs(after([true, false]), RULE)).toBe(500);
  expect(nextProbeMs(after([true, false, false]), RULE)).toBe(500);
  expect(nextProbeMs(after([true, false, false, false]), RULE)).toBe(10_000);
  expect(nextProbeMs(after([false, false, false, true]), RULE)).toBe(10_000);
  expect(nextProbeMs(after([true, false]), { ...RULE, interval: 1, retryInterval: 5 })).toBe(1_000);
});

test('after a change for the better, a pause holds back the next change for the worse', () => {
  const up = { ...START, state: 'Healthy' as const, upAt: 1_000 };
  expect(isPaused(up, 1_000 + PAUSE_MS - 1)).toBe(true);
  expect(isPaused(up, 1_000 + PAUSE_MS)).toBe(false);
  expect(isPaused(START, 0)).toBe(false);
});
