// The limits of the fault matrix: they find a product that heals slowly, and not a machine that is slow.
import { expect, test } from 'vitest';
import { measureHealing } from '../../../support/matrix/healing.ts';

/** Twenty cells of one kind that heal after `ms`, with work that takes `calm` ms without a fault. */
function measured(ms: number, calm: number, count = 20) {
  const healing = measureHealing(Array.from({ length: 5 }, () => calm));
  for (let cell = 0; cell < count; cell += 1) healing.add('a lost answer', ms);
  return healing;
}

test('healing that takes 1 s is right, on a machine of any speed', () => {
  expect(measured(1_000, 500).problems()).toEqual([]);
  expect(measured(3_000, 1_500).problems()).toEqual([]);
  expect(measured(30_000, 15_000).problems()).toEqual([]);
});

test('one cell that takes 35 s on a fast machine is told with its limit', () => {
  const healing = measured(1_000, 500);
  healing.add('a lost answer', 35_000);
  expect(healing.problems()).toEqual(['a lost answer: 35.0 s, and the limit is 21.5 s']);
});

test('a file whose cells all take 15 s on a fast machine is told', () => {
  expect(measured(15_000, 500).problems()).toEqual(['half of the cells took 15.0 s, more than 9.5 s']);
});

test('a kind that waits by design has its own limit', () => {
  const healing = measureHealing([500], { kinds: { outage: 40_000 } });
  healing.add('outage', 35_000);
  healing.add('loss', 1_000);
  expect(healing.problems()).toEqual([]);
});

test('a file that measured nothing has shown nothing', () => {
  expect(measureHealing([]).problems()).toEqual(['no cell was measured']);
});

test('the table has a line a kind', () => {
  const healing = measureHealing([1_000]);
  healing.add('loss', 2_000);
  healing.add('loss', 3_000);
  healing.add('outage', 500);
  expect(healing.table()).toBe(
    [
      'healed in (median, longest, limit)',
      '  2.0 s 3.0 s 23.0 s  loss (2)',
      '  0.5 s 0.5 s 23.0 s  outage (1)',
      'longest without a fault: 1.0 s',
      '',
    ].join('\n'),
  );
});
