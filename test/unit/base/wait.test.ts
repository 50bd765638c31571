// Waiting and time limits, on a clock that the test moves.
import { expect, test } from 'vitest';
import { deadline } from '#base/deadline.ts';
import { endsWithin, sleep, untilAborted } from '#base/wait.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

/** Whether the promise has settled by now, and how. */
async function stateOf(work: Promise<unknown>): Promise<'open' | 'done' | 'failed'> {
  let state: 'open' | 'done' | 'failed' = 'open';
  work.then(
    () => (state = 'done'),
    () => (state = 'failed'),
  );
  await settle();
  return state;
}

test('sleep ends after its time and not before', async () => {
  const clock = new FakeClock();
  const work = sleep(clock, 100);
  await clock.advance(99);
  expect(await stateOf(work)).toBe('open');
  await clock.advance(1);
  expect(await stateOf(work)).toBe('done');
});

test('sleep rejects with the reason of the signal and leaves no timer', async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const reason = new Error('shutting down');
  const work = sleep(clock, 100, abort.signal);
  abort.abort(reason);
  await expect(work).rejects.toBe(reason);
  await expect(sleep(clock, 100, abort.signal)).rejects.toBe(reason);
  expect(clock.timers()).toEqual([]);
});

test('untilAborted resolves when the signal aborts, and at once if it already has', async () => {
  const abort = new AbortController();
  const work = untilAborted(abort.signal);
  expect(await stateOf(work)).toBe('open');
  abort.abort();
  expect(await stateOf(work)).toBe('done');
  expect(await stateOf(untilAborted(abort.signal))).toBe('done');
});

test('endsWithin is true for work that ends in time, whether it succeeds or fails, and frees its timer', async () => {
  const clock = new FakeClock();
  expect(await endsWithin(clock, 100, Promise.resolve())).toBe(true);
  expect(await endsWithin(clock, 100, Promise.reject(new Error('no')))).toBe(true);
  expect(clock.timers()).toEqual([]);
});

test('endsWithin is false for work that takes longer', async () => {
  const clock = new FakeClock();
  const ended = endsWithin(clock, 100, new Promise(() => undefined));
  await clock.advance(100);
  expect(await ended).toBe(false);
});

test('deadline aborts after its time and says that it expired', async () => {
  const clock = new FakeClock();
  const limit = deadline(clock, 3_000);
  await clock.advance(2_999);
  expect([limit.signal.aborted, limit.expired()]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.signal.aborted, limit.expired()]).toEqual([true, true]);
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'The time limit of 3 s was exceeded' });
});

test('deadline aborts together with its parent, with the reason of the parent, without having expired', () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const reason = new Error('shutting down');
  const limit = deadline(clock, 3_000, parent.signal);
  parent.abort(reason);
  expect([limit.signal.aborted, limit.signal.reason, limit.expired()]).toEqual([true, reason, false]);
  expect(deadline(clock, 3_000, parent.signal).signal.reason).toBe(reason);
});

test('deadline frees its timer when it is cleared, and then no longer aborts', async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const limit = deadline(clock, 3_000, parent.signal);
  limit.clear();
  expect(clock.timers()).toEqual([]);
  parent.abort();
  expect(limit.signal.aborted).toBe(false);
});
