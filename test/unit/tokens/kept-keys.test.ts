// When the keys of an issuer are fetched, and which keys a request uses meanwhile. The fetches are played by the test.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { FetchProblem } from '#tokens/fetch-json.ts';
import { createKeptKeys, type KeptKeys } from '#tokens/kept-keys.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';
import { type IssuerKey, issuerKey } from '../../support/tokens/keys.ts';

const MINUTE = 60_000;
/** The longest wait of a token that no key verifies. */
const SOON = 5_000;
const DAY = 24 * 60 * MINUTE;
let one: IssuerKey;
let two: IssuerKey;
let clock: FakeClock;
let answer: () => Promise<unknown>;
let fetches: number;
let kept: KeptKeys;
let transitions: string[];

beforeAll(async () => {
  [one, two] = await Promise.all([issuerKey('one'), issuerKey('two')]);
});
beforeEach(() => {
  clock = new FakeClock();
  fetches = 0;
  transitions = [];
  answer = async () => ({ keys: [one.jwk] });
  kept = createKeptKeys({
    fetch: () => {
      fetches += 1;
      return answer();
    },
    clock,
    fetched: (problem, changed) => {
      if (changed) transitions.push(problem?.code ?? 'ok');
    },
  });
});

const names = async () => (await kept.current()).jwks.map(({ kid }) => kid);
const fail = async (): Promise<never> => {
  throw new FetchProblem('it is down');
};
/** A fetch that does not end before the test says so. */
const hang = () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  answer = () => promise;
  return resolve;
};

test('the keys of an issuer are fetched once for all requests that wait', async () => {
  expect(await Promise.all([names(), names(), names()])).toEqual([['one'], ['one'], ['one']]);
  expect(fetches).toBe(1);
});

test('the keys of an issuer are used for 5 minutes without a fetch, and then renewed in the background', async () => {
  const first = await kept.current();
  await clock.advance(5 * MINUTE - 1);
  await names();
  expect(fetches).toBe(1);
  await clock.advance(1);
  const resolve = hang();
  expect(await kept.current()).toBe(first);
  expect(fetches).toBe(2);
  resolve({ keys: [two.jwk] });
  await settle();
  expect(await names()).toEqual(['two']);
});

test('the keys of an issuer are not used before a fetch if they are older than 10 minutes', async () => {
  await names();
  await clock.advance(10 * MINUTE);
  answer = async () => ({ keys: [two.jwk] });
  expect(await names()).toEqual(['two']);
});

test('the keys of an issuer stay the same object if the issuer answers with the same keys', async () => {
  const first = await kept.current();
  await clock.advance(10 * MINUTE);
  expect(await kept.current()).toBe(first);
  expect(fetches).toBe(2);
});

test('the keys of an issuer are used for a day while the issuer is down, and no request waits after the first failure', async () => {
  await names();
  await clock.advance(10 * MINUTE);
  answer = fail;
  expect(await names()).toEqual(['one']);
  await clock.advance(MINUTE);
  hang();
  expect(await names()).toEqual(['one']);
  expect(fetches).toBe(3);
  expect(transitions).toEqual(['issuer-down']);
});

test('the keys of an issuer are forgotten after a day', async () => {
  await names();
  answer = fail;
  await clock.advance(DAY - 1);
  expect(await names()).toEqual(['one']);
  await clock.advance(MINUTE);
  await expect(names()).rejects.toMatchObject({ code: 'issuer-down', message: 'it is down' });
});

test('the keys of an issuer that are broken do not replace good ones', async () => {
  await names();
  await clock.advance(10 * MINUTE);
  answer = async () => ({ keys: [{ ...two.jwk, y: two.jwk.x }] });
  expect(await names()).toEqual(['one']);
  expect(transitions).toEqual(['issuer-keys']);
});

test('an issuer that is down at first is asked at most once in a minute, and then its keys are used', async () => {
  answer = fail;
  await expect(names()).rejects.toMatchObject({ code: 'issuer-down' });
  await clock.advance(MINUTE - 1);
  answer = async () => ({ keys: [one.jwk] });
  await expect(names()).rejects.toMatchObject({ code: 'issuer-down' });
  expect(kept.waitS()).toBe(1);
  expect(kept.isFailing()).toBe(true);
  expect(fetches).toBe(1);
  await clock.advance(1);
  expect(await names()).toEqual(['one']);
  expect(kept.isFailing()).toBe(false);
  expect(transitions).toEqual(['issuer-down', 'ok']);
});

test('a token that no key verifies leads to a fetch at most once in a minute', async () => {
  const first = await kept.current();
  answer = async () => ({ keys: [one.jwk, two.jwk] });
  await clock.advance(MINUTE - SOON - 1);
  expect(await kept.newer(first)).toEqual({ keys: null, isLatest: false });
  expect(kept.waitS()).toBe(6);
  await clock.advance(SOON + 1);
  const results = await Promise.all([kept.newer(first), kept.newer(first)]);
  expect(results.map(({ keys }) => keys?.jwks.length)).toEqual([2, 2]);
  expect(fetches).toBe(2);
});

test('a token that no key verifies is refused permanently if the issuer answers with the same keys', async () => {
  const first = await kept.current();
  await clock.advance(MINUTE);
  expect(await kept.newer(first)).toEqual({ keys: null, isLatest: true });
});

test('a token that no key verifies waits for the next fetch if it is at most 5 s away, with at most 200 others', async () => {
  const first = await kept.current();
  answer = async () => ({ keys: [one.jwk, two.jwk] });
  await clock.advance(MINUTE - SOON);
  const waiting = Array.from({ length: 200 }, () => kept.newer(first));
  expect(await kept.newer(first)).toEqual({ keys: null, isLatest: false });
  expect(kept.waitS()).toBe(5);
  expect(fetches).toBe(1);
  await clock.advance(SOON);
  const results = await Promise.all(waiting);
  expect(new Set(results.map(({ keys }) => keys?.jwks.length))).toEqual(new Set([2]));
  expect(fetches).toBe(2);
  // The places are free again.
  await clock.advance(MINUTE - SOON);
  const again = kept.newer(first);
  await clock.advance(SOON);
  expect(await again).toMatchObject({ isLatest: true });
});

test('a token that no key verifies waits 5 s for an issuer that is down, with at most 200 others', async () => {
  const first = await kept.current();
  await clock.advance(MINUTE);
  answer = fail;
  expect(await kept.newer(first)).toEqual({ keys: null, isLatest: false });
  await clock.advance(MINUTE);
  const resolve = hang();
  const waiting = Array.from({ length: 200 }, () => kept.newer(first));
  expect(await kept.newer(first)).toEqual({ keys: null, isLatest: false });
  expect(kept.waitS()).toBe(5);
  await clock.advance(SOON);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ keys: null, isLatest: false })));
  const late = kept.newer(first);
  resolve({ keys: [one.jwk, two.jwk] });
  expect((await late).keys?.jwks).toHaveLength(2);
});
