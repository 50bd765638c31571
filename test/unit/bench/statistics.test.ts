import { expect, test } from 'vitest';
import { countAbove, figure, quantile, summarize, summaryRow, tableLines } from '../../bench/statistics.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test('quantile takes the nearest rank: of 1 to 100, the p99 is 99', () => {
  expect(quantile(upTo(100), 0.99)).toBe(99);
  expect(quantile(upTo(100), 0.5)).toBe(50);
  expect(quantile(upTo(100), 1)).toBe(100);
});

test('quantile gives a measured value also between two ranks', () => {
  expect(quantile([10, 20, 30], 0.5)).toBe(20);
  expect(quantile([10, 20, 30, 40], 0.5)).toBe(20);
});

test('quantile shows the largest as p99 when there are fewer than 100 samples', () => {
  expect(quantile(upTo(50), 0.99)).toBe(50);
});

test('quantile sorts numbers as numbers and leaves the samples as they are', () => {
  const samples = [100, 9, 20];
  expect(quantile(samples, 1)).toBe(100);
  expect(samples).toEqual([100, 9, 20]);
});

test('quantile has no answer without samples', () => {
  expect(quantile([], 0.5)).toBeNaN();
});

test('summarize counts and sums up', () => {
  expect(summarize(upTo(1000))).toEqual({ n: 1000, median: 500, p95: 950, p99: 990, max: 1000 });
});

test('summarize shows one slow sample of two hundred in the maximum only', () => {
  const samples = [...Array.from({ length: 199 }, () => 2), 500];
  expect(summarize(samples)).toEqual({ n: 200, median: 2, p95: 2, p99: 2, max: 500 });
});

test('countAbove counts values over the limit, not values that equal it', () => {
  expect(countAbove([249, 250, 251], 250)).toBe(1);
});

test('a table keeps three significant figures of small numbers and all of large ones', () => {
  expect([0.1234, 1.5, 12.34, 123.4, 12_345].map(figure)).toEqual(['0.12', '1.50', '12.3', '123', '12345']);
  expect(figure(Number.NaN)).toBe('-');
});

test('a table puts words to the left and numbers to the right', () => {
  expect(
    tableLines([
      ['what', 'n'],
      ['a', '10'],
      ['longer', '9'],
    ]),
  ).toEqual(['what     n', 'a       10', 'longer   9']);
});

test('a table says what, how often, and the summary in one row', () => {
  expect(summaryRow('new name', [1, 2, 3])).toEqual(['new name', '3', '2.00', '3.00', '3.00', '3.00']);
});
