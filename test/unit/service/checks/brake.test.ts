// The brake on failures in masses.
import { expect, test } from 'vitest';
import { isFrozen, judgeMass, WINDOW_MS } from '#service/checks/brake.ts';

const probed = (owner: string) => ({ owner, isSignalled: false });
const group = (owner: string, all: number, failing: number, downAt: number | null = null, isSignalled = false) =>
  Array.from({ length: all }, (_, at) => ({
    owner,
    isSignalled,
    isPending: downAt === null && at < failing,
    downAt: at < failing ? downAt : null,
    intervalMs: 10_000,
  }));

test('more than half of at least ten addresses freeze their owner, whether they are down for less than a minute or not yet', () => {
  expect(isFrozen(judgeMass(group('a', 10, 6), 0), probed('a'))).toBe(true);
  expect(isFrozen(judgeMass(group('a', 10, 5), 0), probed('a'))).toBe(false);
  expect(isFrozen(judgeMass(group('a', 9, 9), 0), probed('a'))).toBe(false);
  expect(isFrozen(judgeMass(group('a', 10, 6, 1_000), 1_000 + WINDOW_MS - 1), probed('a'))).toBe(true);
  expect(isFrozen(judgeMass(group('a', 10, 6, 1_000), 1_000 + WINDOW_MS), probed('a'))).toBe(false);
});

test('addresses that are probed every five minutes count for this time, because a failure is seen at the last one only then', () => {
  const slow = group('a', 10, 6, 1_000).map((target) => ({ ...target, intervalMs: 300_000 }));
  expect(isFrozen(judgeMass(slow, 300_999), probed('a'))).toBe(true);
  expect(isFrozen(judgeMass(slow, 301_000), probed('a'))).toBe(false);
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
