// Where random tests begin: at the same place each time, so that a failure comes again, and elsewhere when
// TEST_SEED says so: a number, or `random`.
import { randomInt } from 'node:crypto';

const { TEST_SEED = '20261121' } = process.env;
export const firstSeed = TEST_SEED === 'random' ? randomInt(2 ** 31) : Number(TEST_SEED);
let next = firstSeed;

/** Another seed for fast-check with each call. */
export function nextSeed(): number {
  next = (next + 1) % 2 ** 31;
  return next;
}
