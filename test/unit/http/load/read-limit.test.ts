// The token bucket of reads: a burst, a rate, and large answers.
import { expect, test } from 'vitest';
import { createReadBuckets } from '#http/load/read-limit.ts';

const PER_MINUTE = 600;
const BURST = 100;

function start() {
  let time = 0;
  const buckets = createReadBuckets(PER_MINUTE, () => time);
  /** The number of reads that pass, of so many. */
  const read = (count: number, key = 'one') =>
    Array.from({ length: count }, () => buckets.take(key)).filter((waitMs) => waitMs === 0).length;
  return { ...buckets, read, waitOf: () => buckets.take('one'), pass: (ms: number) => (time += ms) };
}

test('a key makes a sixth of the reads of a minute at once, and then as many as the rate allows', () => {
  const { read, pass } = start();
  expect(read(500)).toBe(BURST);
  pass(1_000);
  expect(read(500)).toBe(PER_MINUTE / 60);
  pass(3_600_000);
  expect(read(500)).toBe(BURST);
});

test('a refused read says when the next one is possible, and counts nothing', () => {
  const { read, waitOf, pass } = start();
  read(BURST + 50);
  expect(waitOf()).toBeCloseTo(100);
  pass(99);
  expect(waitOf()).toBeCloseTo(1);
  pass(2);
  expect(waitOf()).toBe(0);
});

test('the loop of one key takes nothing from another key', () => {
  const { read } = start();
  read(10_000, 'loop');
  expect(read(BURST, 'other')).toBe(BURST);
});

test('an answer counts as one more read for each further 64 KiB', () => {
  const { read, charge } = start();
  charge('one', 65_535);
  expect(read(10)).toBe(10);
  charge('one', 40 * 65_536);
  expect(read(500)).toBe(BURST - 10 - 40);
});

test('a key waits at most a minute after the largest answer', () => {
  const { charge, waitOf } = start();
  charge('one', 2 ** 40);
  expect(waitOf()).toBeLessThanOrEqual(60_200);
});

test('a clock that goes back takes no reads away', () => {
  const { read, pass } = start();
  expect(read(10)).toBe(10);
  pass(-3_600_000);
  expect(read(500)).toBe(BURST - 10);
});
