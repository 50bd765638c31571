// Where random tests begin: at the same place each time, so that a failure comes again, and elsewhere when
// TEST_SEED says so, a number (`npm test` makes one of `random`).
const { TEST_SEED = '20261121' } = process.env;
export const firstSeed = Number(TEST_SEED);
if (!Number.isSafeInteger(firstSeed))
  throw new Error(`TEST_SEED is "${TEST_SEED}"; it may be a number, or "random" in npm test`);
let next = firstSeed;

/** Another seed for fast-check with each call. */
export function nextSeed(): number {
  next = (next + 1) % 2 ** 31;
  return next;
}

const { TEST_EFFORT = 'gate' } = process.env;

/**
 * How many cases a random or large test tries: `full` in CI and in `npm run test:full`, `gate` elsewhere. With the same
 * seed, both begin with the same cases. @throws when TEST_EFFORT is neither
 */
export function effort(full: number, gate: number): number {
  if (TEST_EFFORT !== 'full' && TEST_EFFORT !== 'gate')
    throw new Error(`TEST_EFFORT is "${TEST_EFFORT}"; it may be "gate" (the default) or "full"`);
  return TEST_EFFORT === 'full' ? full : gate;
}
