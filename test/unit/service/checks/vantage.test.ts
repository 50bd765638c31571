// The majority of name servers, against a model that has all their words.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, describeFailure, freshMs, shareFailures, type VantageVote } from '#service/checks/vantage.ts';

const INTERVAL = 10;
const NOW = 1_000_000;

const vote = (state: VantageVote['state'], ageMs = 0): VantageVote => ({
  state,
  reason: state === 'Unhealthy' ? 'The connection is refused.' : null,
  reportedAt: NOW - ageMs,
});
const judge = (votes: readonly (VantageVote | null)[]) => decide(votes, INTERVAL, NOW);
const [UP, DOWN, NONE] = [vote('Healthy'), vote('Unhealthy'), vote('Unknown')];

test('more than half of at least three name servers decide, and with fewer the api does', () => {
  expect(judge([UP, DOWN, DOWN])).toMatchObject({ state: 'Unhealthy', total: 3, unhealthy: 2 });
  expect(judge([UP, UP, DOWN])).toMatchObject({ state: 'Healthy', total: 3, unhealthy: 1 });
  expect(judge([UP, UP, DOWN, DOWN])).toMatchObject({ state: null });
  for (const votes of [[], [DOWN, DOWN], [DOWN, DOWN, NONE], [DOWN, DOWN, null]]) expect(judge(votes)).toBeNull();
});

test('a vote counts for three intervals after the last report, but no longer than a name server is living', () => {
  expect([freshMs(1), freshMs(10), freshMs(300)]).toEqual([3_000, 30_000, 30_000]);
  expect(judge([DOWN, DOWN, vote('Unhealthy', 29_999)])).toMatchObject({ total: 3 });
  expect(judge([DOWN, DOWN, vote('Unhealthy', 30_000)])).toBeNull();
});

test('half counts the name servers that are silent', () => {
  const old = vote('Healthy', 60_000);
  expect(judge([DOWN, DOWN, UP, old])).toMatchObject({ state: null, total: 3, unhealthy: 2 });
  expect(judge([DOWN, DOWN, UP, null, old])).toMatchObject({ state: null });
  expect(judge([DOWN, DOWN, DOWN, old, old])).toMatchObject({ state: 'Unhealthy' });
});

test('name servers that fall silent change no state, with any votes', () => {
  const states = fc.array(fc.constantFrom('Healthy' as const, 'Unhealthy' as const, 'Unknown' as const), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(states, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (said, silent) => {
      const before = judge(said.map((state) => vote(state)));
      const after = judge(said.map((state, at) => vote(state, silent[at] ? 60_000 : 0)));
      const downs = said.filter((state) => state === 'Unhealthy').length;
      const ups = said.filter((state) => state === 'Healthy').length;
      // The model.
      const half = said.length / 2;
      const expected = downs > half ? 'Unhealthy' : ups > half ? 'Healthy' : null;
      expect(before).toEqual(downs + ups < 3 ? null : expect.objectContaining({ state: expected, unhealthy: downs }));
      // The state after the first decision, and after the second one.
      const present = expected ?? 'Unknown';
      expect(after?.state ?? present).toBe(present);
    }),
  );
});

test('a failure needs as many probes as the check says from all name servers together, and two from each', () => {
  expect([1, 2, 3, 5, 10].map((failures) => shareFailures(failures, 3))).toEqual([1, 2, 2, 3, 5]);
  expect([1, 2, 3, 10].map((failures) => shareFailures(failures, 5))).toEqual([1, 2, 2, 4]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 3, max: 5 }), (failures, vantages) => {
      const share = shareFailures(failures, vantages);
      expect(share * (Math.floor(vantages / 2) + 1)).toBeGreaterThanOrEqual(failures);
      expect(share).toBeLessThanOrEqual(Math.max(failures, 1));
    }),
  );
});

test('the reason says how many name servers fail, and why one of them does', () => {
  const decision = judge([UP, DOWN, DOWN]);
  expect(decision && describeFailure(decision)).toBe(
    '2 of 3 name servers say that it fails: The connection is refused.',
  );
});
