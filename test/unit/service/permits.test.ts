// Limits on expensive work: teams share the permits fairly, and the queue is limited.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitWork, type WorkLimitOptions } from '#service/permits.ts';

const limitOf = (set: Partial<WorkLimitOptions> = {}) =>
  limitWork({ total: 2, share: 1, waiting: 4, waitMs: 1_000, work: 'imports', ...set });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Takes permits, and records the order in which they were granted or refused. */
function taker(limit: ReturnType<typeof limitOf>) {
  const started: string[] = [];
  const refused: string[] = [];
  const take = (holder: string, name = holder, signal?: AbortSignal) => {
    const permit = limit.take(holder, signal);
    permit.then(
      () => started.push(name),
      (error: Error) => refused.push(`${name} ${error.message}`),
    );
    return permit;
  };
  return { take, started, refused, settle: () => vi.advanceTimersByTimeAsync(0) };
}

test('permits for expensive work are granted at once while some are free, up to the share of each holder', async () => {
  const { take, started, settle } = taker(limitOf());
  await Promise.all([take('a', 'a1'), take('b', 'b1')]);
  void take('a', 'a2');
  void take('c', 'c1');
  await settle();
  expect(started).toEqual(['a1', 'b1']);
});

test('permits for expensive work go to the waiting holder with the fewest permits first, then in order of arrival', async () => {
  const { take, started, settle } = taker(limitOf({ total: 3, share: 2 }));
  const [first] = await Promise.all([take('a', 'a1'), take('a', 'a2'), take('b', 'b1')]);
  void take('b', 'b2');
  void take('c', 'c1');
  void take('a', 'a3');
  first?.();
  await settle();
  expect(started.slice(3)).toEqual(['c1']);
});

test('permits for expensive work are released only once, even if the release is called twice', async () => {
  const { take, started, settle } = taker(limitOf({ total: 1 }));
  const release = await take('a');
  void take('b', 'b1');
  void take('c', 'c1');
  release();
  release();
  await settle();
  expect(started).toEqual(['a', 'b1']);
});

test('permits for expensive work are refused as busy if too many requests wait; one holder may have at most half of the waiting requests', async () => {
  const { take, refused, settle } = taker(limitOf({ total: 1, waiting: 4 }));
  await take('a');
  for (const name of ['a1', 'a2', 'a3']) void take('a', name).catch(() => undefined);
  for (const name of ['b1', 'b2']) void take(name, name).catch(() => undefined);
  await settle();
  expect(refused.map((each) => each.slice(0, 2))).toEqual(['a3']);
  await expect(take('b1')).rejects.toMatchObject({ code: 'busy', retryAfterMs: expect.any(Number) });
});

test('permits for expensive work are waited for in a full queue in place of the newest request of the holder with the most, and only of one with more', async () => {
  const { take, started, refused, settle } = taker(limitOf({ total: 1, waiting: 4 }));
  const release = await take('x');
  for (const name of ['a1', 'a2', 'b1', 'b2']) void take(name.charAt(0), name).catch(() => undefined);
  void take('c', 'c1').catch(() => undefined);
  await settle();
  expect(refused.map((each) => each.slice(0, 2))).toEqual(['a2']);
  void take('c', 'c2').catch(() => undefined);
  await settle();
  expect(refused.map((each) => each.slice(0, 2))).toEqual(['a2', 'c2']);
  void take('d', 'd1').catch(() => undefined);
  void take('e', 'e1').catch(() => undefined);
  await settle();
  expect(refused.map((each) => each.slice(0, 2))).toEqual(['a2', 'c2', 'b2', 'e1']);
  release();
  await settle();
  expect(started).toEqual(['x', 'a1']);
});

test('permits for expensive work are refused as busy after the time limit, and the place in the queue becomes free', async () => {
  const { take, started, refused, settle } = taker(limitOf({ total: 1 }));
  const release = await take('a');
  void take('b').catch(() => undefined);
  await vi.advanceTimersByTimeAsync(999);
  expect(refused).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(refused).toEqual([expect.stringMatching(/^b The service is busy with other imports/)]);
  void take('c');
  release();
  await settle();
  expect(started).toEqual(['a', 'c']);
});

test('permits for expensive work are not granted to a client that closed its connection', async () => {
  const { take, started, settle } = taker(limitOf({ total: 1 }));
  const release = await take('a');
  const left = new AbortController();
  const waiting = take('b', 'b', left.signal);
  left.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(take('b', 'b', left.signal)).rejects.toThrow('gone');
  void take('c');
  release();
  await settle();
  expect(started).toEqual(['a', 'c']);
});
