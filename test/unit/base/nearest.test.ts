// The nearest word of a list.
import { expect, test } from 'vitest';
import { findNearest } from '#base/nearest.ts';

test.each([
  ['platfrom', 'platform'],
  ['Platform', 'platform'],
  ['plaform', 'platform'],
  ['shops', 'shop'],
  ['billing', null],
  ['', null],
  ['p'.repeat(10_000), null],
])('%s means %s', (word, nearest) => {
  expect(findNearest(word, ['shop', 'platform', 'data', 'x'.repeat(5_000)])).toBe(nearest);
});
