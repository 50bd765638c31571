import { expect, test } from 'vitest';
import { barLine } from '../../bench/bars.ts';

const bar = { what: 'all Ready', most: 7, unit: 's' };

test('a figure with its bar meets the bar up to the bar itself', () => {
  expect(barLine({ ...bar, value: 7 })).toBe('  bar met: all Ready 7.00 s (at most 7)');
  expect(barLine({ ...bar, value: 7.01 })).toBe('  bar MISSED: all Ready 7.01 s (at most 7)');
});

test('a figure with its bar does not meet it when nothing was measured', () => {
  expect(barLine({ ...bar, value: Number.NaN })).toContain('MISSED');
});
