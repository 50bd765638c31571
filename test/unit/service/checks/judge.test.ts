// The states of a checked address, against a model that has the whole list of probes; and the brake.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFrozen, judgeMass, WINDOW_MS } from '#service/checks/brake.ts';
import { countProbe, isPaused, nextProbeMs, PAUSE_MS, type Track, wantedState } from '#service/checks/judge.ts';

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

const probed = (owner: string) => ({ owner, isSignalled: false });
const group = (owner: string, all: number, failing: number, downAt: number | null = null, isSignalled = false) =>
  Array.from({ length: all }, (_, at) => ({
    owner,
    isSignalled,
    isPending: downAt === null && at < failing,
    downAt: at < failing ? downAt : null,
  }));

test('more than half of at least ten addresses freeze their owner, whether they are down for less than a minute or not yet', () => {
  expect(isFrozen(judgeMass(group('a', 10, 6), 0), probed('a'))).toBe(true);
  expect(isFrozen(judgeMass(group('a', 10, 5), 0), probed('a'))).toBe(false);
  expect(isFrozen(judgeMass(group('a', 9, 9), 0), probed('a'))).toBe(false);
  expect(isFrozen(judgeMass(group('a', 10, 6, 1_000), 1_000 + WINDOW_MS - 1), probed('a'))).toBe(true);
  expect(isFrozen(judgeMass(group('a', 10, 6, 1_000), 1_000 + WINDOW_MS), probed('a'))).toBe(false);
});

test('an owner with a thousand dead addresses does not freeze the others', () => {
  const targets = [...group('attacker', 1_000, 1_000), ...group('one', 5, 0), ...group('two', 5, 1)];
  const frozen = judgeMass(targets, 0);
  expect(frozen.everyone).toBe(false);
  expect(isFrozen(frozen, probed('attacker'))).toBe(true);
  expect(isFrozen(frozen, probed('two'))).toBe(false);
});

test('many small owners that fail together freeze all owners', () => {
  const targets = ['a', 'b', 'c', 'd'].flatMap((owner) => group(owner, 3, owner === 'd' ? 0 : 3));
  expect(judgeMass(targets, 0).everyone).toBe(true);
  expect(judgeMass(targets.slice(0, 9), 0).everyone).toBe(false);
});

test('signals freeze apart from probes, and the brake of all owners does not count them', () => {
  const signalled = (owner: string, failing: number) => group(owner, 10, failing, null, true);
  const frozen = judgeMass(
    [...signalled('a', 10), ...group('a', 10, 0), ...signalled('b', 10), ...group('b', 10, 1)],
    0,
  );
  expect(isFrozen(frozen, { owner: 'a', isSignalled: true })).toBe(true);
  expect(isFrozen(frozen, probed('a'))).toBe(false);
  expect(frozen.everyone).toBe(false);
  const broken = judgeMass([...group('a', 9, 9), ...group('b', 9, 9), ...signalled('c', 1)], 0);
  expect(isFrozen(broken, probed('c'))).toBe(true);
  expect(isFrozen(broken, { owner: 'c', isSignalled: true })).toBe(false);
});
