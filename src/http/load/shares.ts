// How many requests each key makes, and which keys may make fewer while the process is overloaded: the heaviest first.
// One hot loop must not take the process from all other keys. Pure: counts, level and time come in.
//
//   level 1 and 2   each second, the keys that make the most requests may make half as many as before, never fewer than
//                   MIN_RATE a second
//   level 0         each second, they may make a quarter more, until they make fewer than that

/** The requests a second that a key may always make, so that its owner still sees answers. */
export const MIN_RATE = 20;
/** Keys that make at least this share of the requests of the heaviest key are limited with it, as those of one loop. */
const NEXT_TO_HEAVIEST = 0.5;
const GROWTH = 1.25;
/** The share of older seconds in the rate of a key. */
const MEMORY = 0.5;
/** More keys than this in one second are not told apart. */
const MAX_KEYS = 10_000;

export interface Shares {
  /** Counts a request of a key. @returns whether the key may make it */
  admit(key: string): boolean;
  /** To be called once a second. @param isOverloaded whether the heaviest keys are to make fewer requests */
  adjust(isOverloaded: boolean): void;
}

export function createShares(): Shares {
  /** Requests of this second, refused ones too. */
  let counts = new Map<string, number>();
  /** Requests a second, smoothed. */
  let rates = new Map<string, number>();
  /** Requests a second that limited keys may make. */
  let allowances: ReadonlyMap<string, number> = new Map();
  return {
    admit(key) {
      const count = (counts.get(key) ?? 0) + 1;
      if (count > 1 || counts.size < MAX_KEYS) counts.set(key, count);
      return count <= (allowances.get(key) ?? Number.POSITIVE_INFINITY);
    },
    adjust(isOverloaded) {
      rates = smoothRates(rates, counts);
      counts = new Map();
      allowances = isOverloaded ? reduceHeaviest(rates, allowances) : raiseAll(rates, allowances);
    },
  };
}

function smoothRates(before: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): Map<string, number> {
  const rates = new Map<string, number>();
  for (const key of new Set([...before.keys(), ...counts.keys()])) {
    const rate = MEMORY * (before.get(key) ?? 0) + (1 - MEMORY) * (counts.get(key) ?? 0);
    if (rate >= 0.5) rates.set(key, rate);
  }
  return rates;
}

/** Limits the keys that are admitted most. A key that is limited already counts with its allowance. */
function reduceHeaviest(
  rates: ReadonlyMap<string, number>,
  allowances: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const admitted = new Map([...rates].map(([key, rate]) => [key, Math.min(rate, allowances.get(key) ?? rate)]));
  const heaviest = Math.max(0, ...admitted.values());
  if (heaviest <= MIN_RATE) return allowances;
  const reduced = new Map(allowances);
  for (const [key, rate] of admitted) {
    if (rate > MIN_RATE && rate >= heaviest * NEXT_TO_HEAVIEST) reduced.set(key, Math.max(MIN_RATE, rate / 2));
  }
  return reduced;
}

/** A key that stays below its allowance needs none any more. */
function raiseAll(
  rates: ReadonlyMap<string, number>,
  allowances: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const stillLimited = [...allowances].filter(([key, allowance]) => (rates.get(key) ?? 0) > allowance);
  return new Map(stillLimited.map(([key, allowance]) => [key, allowance * GROWTH]));
}
