import pino from 'pino';
import { expect, test } from 'vitest';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { FeedFault } from '#nameserver/node/faults.ts';
import { createFollower, type Ending } from '#nameserver/node/follow.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

/** The waits in ms between the tries of a follower whose every try ends with this error. */
async function waits(error: Error, tries: number, onEnd: (ending: Ending) => void = () => {}): Promise<number[]> {
  const clock = new FakeClock();
  const at: number[] = [];
  const over = new AbortController();
  const follower = createFollower({
    api: {
      // biome-ignore lint/correctness/useYield: every try fails before its first line
      follow: async function* () {
        at.push(clock.now());
        throw error;
      },
    },
    clock,
    random: () => 1,
    log: pino({ level: 'silent' }),
    after: () => null,
    onLine: () => {},
    onEnd,
  });
  const running = follower.run(over.signal);
  while (at.length < tries) await clock.advance(50);
  over.abort();
  await running;
  return at.slice(1).map((time, n) => time - at[n]!);
}

const refused = (status: number) =>
  new ApiError({ status, code: 'internal', message: 'no', retryAfterMs: null, requestId: null });

test('an api that is down is tried every 5 s at most, so changes arrive soon after an outage', async () => {
  expect(await waits(new ApiUnavailable('The api is unreachable'), 8)).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('an api that answers with an error is tried every 30 s at most', async () => {
  expect((await waits(refused(503), 11)).at(-1)).toBe(30_000);
});

test('a key that is refused is tried every 30 to 60 s', async () => {
  expect(await waits(refused(401), 3)).toEqual([60_000, 60_000]);
});

const tlsError = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });

test.each<[Ending, string, Error]>([
  ['refused', 'a refused key', refused(401)],
  ['certificate', 'a certificate of an unknown authority', new ApiUnavailable('The api is unreachable', tlsError)],
  ['unreachable', 'a network that is down', new ApiUnavailable('The api is unreachable')],
  ['unreachable', 'an api that answers with an error', refused(503)],
  ['fault', 'a broken line', new FeedFault('a line breaks the contract')],
])('the end of a feed is counted as %s after %s', async (ending, _, error) => {
  const ends: Ending[] = [];
  await waits(error, 2, (end) => ends.push(end));
  expect(new Set(ends)).toEqual(new Set([ending]));
});
