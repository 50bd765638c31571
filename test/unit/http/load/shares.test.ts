// The heaviest keys give way under overload, and get their requests back afterwards.
import { expect, test } from 'vitest';
import { createShares, MIN_RATE, type Shares } from '#http/load/shares.ts';

/** One second in which a key sends so many requests. @returns how many it may make */
function send(shares: Shares, requests: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(requests).map(([key, count]) => [
      key,
      Array.from({ length: count }, () => shares.admit(key)).filter(Boolean).length,
    ]),
  );
}

/** Seconds with the same requests. @returns the requests of the last second that were admitted */
function repeat<const R extends Readonly<Record<string, number>>>(
  shares: Shares,
  seconds: number,
  isOverloaded: boolean,
  requests: R,
): Record<keyof R, number> {
  let admitted: Record<string, number> = {};
  for (let second = 0; second < seconds; second += 1) {
    admitted = send(shares, requests);
    shares.adjust(isOverloaded);
  }
  return admitted as Record<keyof R, number>;
}

test('without overload, every key makes as many requests as it likes', () => {
  expect(repeat(createShares(), 10, false, { loop: 5_000, calm: 3 })).toEqual({ loop: 5_000, calm: 3 });
});

test('under overload, the heaviest key gives way down to the minimum, and the others keep all their requests', () => {
  const shares = createShares();
  repeat(shares, 5, false, { loop: 2_000, busy: 300, calm: 15 });
  expect(repeat(shares, 2, true, { loop: 2_000, busy: 300, calm: 15 })).toMatchObject({ busy: 300, calm: 15 });
  const admitted = repeat(shares, 3, true, { loop: 2_000, busy: 300, calm: 15 });
  expect(admitted.loop).toBeLessThan(600);
  expect(admitted.calm).toBe(15);
  expect(repeat(shares, 20, true, { loop: 2_000, busy: 300, calm: 15 })).toEqual({
    loop: MIN_RATE,
    busy: MIN_RATE,
    calm: 15,
  });
});

test('under overload, many keys of one loop give way together', () => {
  const shares = createShares();
  const loop = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`loop${at}`, 40]));
  repeat(shares, 5, false, loop);
  repeat(shares, 2, true, loop);
  const total = Object.values(send(shares, loop)).reduce((sum, count) => sum + count, 0);
  expect(total).toBe(200 * MIN_RATE);
});

test('after the overload, a key gets its requests back step by step', () => {
  const shares = createShares();
  repeat(shares, 5, false, { loop: 1_000 });
  repeat(shares, 10, true, { loop: 1_000 });
  const first = repeat(shares, 2, false, { loop: 1_000 });
  expect(first.loop).toBeLessThan(50);
  expect(repeat(shares, 25, false, { loop: 1_000 })).toEqual({ loop: 1_000 });
});

test('a key that became calm is not limited any more', () => {
  const shares = createShares();
  repeat(shares, 5, false, { loop: 1_000 });
  repeat(shares, 10, true, { loop: 1_000 });
  repeat(shares, 8, false, { loop: 1 });
  expect(send(shares, { loop: 400 })).toEqual({ loop: 400 });
});
