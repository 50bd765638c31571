// The limit of a key, as answers state it that arrive in another order than their requests were sent.
import { expect, test } from 'vitest';
import { emptyBudget, end, hear, permits, take } from '#client/pace/budget.ts';

const rate = (remaining: number) => ({ remaining, quota: 60, windowMs: 60_000 });
const one = new Map([['team', 1]]);

test('an answer to an older request does not replace the limit that a newer one stated', () => {
  const budget = emptyBudget();
  const older = take(budget, one, 1_000);
  const newer = take(budget, one, 2_000);
  hear(budget, rate(0), newer, 2_100);
  end(budget, newer, true, 2_100);
  hear(budget, rate(50), older, 2_200);
  end(budget, older, true, 2_200);
  expect(budget.rate).toEqual(rate(0));
  expect(permits(budget, { group: 'team', groups: 1 }, 2_300)).toBe(false);
});

test('an answer to a newer request replaces it', () => {
  const budget = emptyBudget();
  const older = take(budget, one, 1_000);
  hear(budget, rate(0), older, 1_100);
  end(budget, older, true, 1_100);
  const newer = take(budget, one, 2_000);
  hear(budget, rate(50), newer, 2_100);
  end(budget, newer, true, 2_100);
  expect(permits(budget, { group: 'team', groups: 1 }, 2_300)).toBe(true);
});
