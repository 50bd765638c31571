// The queue of a zone's writers: their order, their time limit, groups, and the independence of zones.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { busy, createZoneQueue, type Joining, type Outcome } from '#service/change/queue.ts';
import { Refusal } from '#service/refusal.ts';

const WAIT_MS = 2_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that the test ends. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let waited: number | undefined;
  return {
    run: (ms: number) => {
      waited = ms;
      return promise;
    },
    end: (answer = 'done') => resolve(answer),
    fail: (error: Error) => reject(error),
    started: () => waited !== undefined,
    waited: () => waited,
  };
}
const queue = () => createZoneQueue(WAIT_MS, () => Date.now());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('the writers of one zone take turns in order of arrival', async () => {
  const { run } = queue();
  const jobs = [work(), work(), work()];
  const answers = jobs.map((job) => run('z', job.run));
  await pass(0);
  expect(jobs.map((job) => job.started())).toEqual([true, false, false]);
  jobs[0]?.end('first');
  await pass(0);
  expect(jobs.map((job) => job.started())).toEqual([true, true, false]);
  jobs[1]?.end('second');
  jobs[2]?.end('third');
  expect(await Promise.all(answers)).toEqual(['first', 'second', 'third']);
});

test('the writers of one zone receive the time that they waited', async () => {
  const { run } = queue();
  const [first, second] = [work(), work()];
  const answers = [run('z', first.run), run('z', second.run)];
  await pass(700);
  first.end();
  await pass(0);
  expect([first.waited(), second.waited()]).toEqual([0, 700]);
  second.end();
  await Promise.all(answers);
});

test('the writers of one zone get their turn after work that failed', async () => {
  const { run } = queue();
  const [first, second] = [work(), work()];
  const failing = run('z', first.run);
  const answer = run('z', second.run);
  first.fail(new Error('broken'));
  await expect(failing).rejects.toThrow('broken');
  second.end();
  expect(await answer).toBe('done');
});

test('the writers of one zone are refused as busy if their turn does not come in time, and their work is never started', async () => {
  const { run } = queue();
  const [first, second, third] = [work(), work(), work()];
  const holding = run('z', first.run);
  const late = run('z', second.run).catch((error: unknown) => error);
  await pass(500);
  const later = run('z', third.run);
  await pass(WAIT_MS - 500);
  const error = (await late) as Refusal;
  expect(error).toBeInstanceOf(Refusal);
  expect([error.code, error.retryAfterMs]).toEqual(['busy', 1_000]);
  first.end();
  await pass(0);
  expect([second.started(), third.started()]).toEqual([false, true]);
  third.end();
  await Promise.all([holding, later]);
});

test('the writers of one zone start at once if no other work is in progress, and leave no timers', async () => {
  const { run } = queue();
  for (let n = 0; n < 3; n++) expect(await run('z', async (ms) => ms)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('writers of other zones do not wait', async () => {
  const { run } = queue();
  const held = work();
  const holding = run('a', held.run);
  expect(await run('b', async () => 'free')).toBe('free');
  held.end();
  await holding;
});

/** Joins members, and records which values share a turn. */
function joining(many = queue()) {
  const turns: number[][] = [];
  const ends: PromiseWithResolvers<readonly Outcome<number>[] | null>[] = [];
  const join = (value: number, more: Partial<Joining<number>> = {}) =>
    many.join<number, number>('z', { value, size: 1, bytes: 1, ...more }, async (members) => {
      turns.push(members.map((member) => member.value));
      const end = Promise.withResolvers<readonly Outcome<number>[] | null>();
      ends.push(end);
      return (await end.promise) ?? members.map((member) => ({ kind: 'done', value: member.value * 10 }) as const);
    });
  const end = async (outcomes: readonly Outcome<number>[] | null = null) => {
    ends.shift()?.resolve(outcomes);
    await pass(0);
  };
  const fail = async (error: Error) => {
    ends.shift()?.reject(error);
    await pass(0);
  };
  return { ...many, join, turns, end, fail };
}

test('the members of a group share the next turn, in the order in which they joined, and each gets its own outcome', async () => {
  const { join, turns, end } = joining();
  const answers = Promise.allSettled([1, 2, 3, 4].map((value) => join(value)));
  await pass(0);
  expect(turns).toEqual([[1]]);
  await end();
  expect(turns).toEqual([[1], [2, 3, 4]]);
  const refusal = new Error('refused');
  await end([
    { kind: 'done', value: 20 },
    { kind: 'failed', error: refusal },
    { kind: 'done', value: 40 },
  ]);
  expect(await answers).toMatchObject([{ value: 10 }, { value: 20 }, { reason: refusal }, { value: 40 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the members of a group do not overtake work with a turn of its own', async () => {
  const { join, turns, end, run } = joining();
  const alone = work();
  const answers = [join(1), join(2), run('z', alone.run), join(3)];
  await end();
  await end();
  expect([turns, alone.started()]).toEqual([[[1], [2]], true]);
  alone.end();
  await pass(0);
  expect(turns).toEqual([[1], [2], [3]]);
  await end();
  await Promise.all(answers);
});

test('the members of a group are at most 64 with 256 changes and 1 MiB; a larger member gets a turn of its own', async () => {
  const first = joining();
  void Promise.all(Array.from({ length: 80 }, (_, n) => first.join(n)));
  await first.end();
  await first.end();
  await first.end();
  expect(first.turns.map(({ length }) => length)).toEqual([1, 64, 15]);
  const second = joining();
  const sizes = [{ size: 1 }, { size: 200 }, { size: 56 }, { size: 1 }, { size: 1000 }, { size: 1 }];
  void Promise.all(sizes.map((size, n) => second.join(n, size)));
  for (const _ of sizes) await second.end();
  expect(second.turns).toEqual([[0], [1, 2], [3], [4], [5]]);
  const third = joining();
  void Promise.all([1, 2 ** 19, 2 ** 19, 1].map((bytes, n) => third.join(n, { bytes })));
  for (let n = 0; n < 4; n++) await third.end();
  expect(third.turns).toEqual([[0], [1, 2], [3]]);
  for (const each of [first, second, third]) await each.end();
});

test('the members of a group all get the error if the work fails', async () => {
  const { join, end, fail } = joining();
  const answers = Promise.allSettled([1, 2, 3].map((value) => join(value)));
  await end();
  const failure = new Error('the connection was lost');
  await fail(failure);
  expect(await answers).toMatchObject([{ value: 10 }, { reason: failure }, { reason: failure }]);
});

test('the members of a group that the work returns to the queue come before the others, until their time limit', async () => {
  const { join, turns, end } = joining();
  const first = join(1);
  const late = join(2).catch((error: unknown) => error);
  await pass(1_500);
  const third = join(3);
  await end();
  const last = join(4);
  expect(turns).toEqual([[1], [2, 3]]);
  await pass(400);
  await end([{ kind: 'again' }, { kind: 'again' }]);
  expect(turns).toEqual([[1], [2, 3], [2, 3, 4]]);
  await pass(200);
  await end([{ kind: 'failed', error: busy() }, { kind: 'again' }, { kind: 'again' }]);
  expect(((await late) as Refusal).code).toBe('busy');
  await end();
  expect(await Promise.all([first, third, last])).toEqual([10, 30, 40]);
});

test('the members of a group are refused as busy if their turn does not come in time', async () => {
  const { join, turns, end } = joining();
  void join(1);
  const late = join(2).catch((error: unknown) => error);
  await pass(WAIT_MS);
  expect(((await late) as Refusal).code).toBe('busy');
  await end();
  expect(turns).toEqual([[1]]);
});

test('the members of a group are refused without a turn if their client closed the connection', async () => {
  const { join, turns, end, isBusy } = joining();
  void join(1);
  const gone = join(2, { isGone: () => true }).catch((error: unknown) => error);
  const stays = join(3, { isGone: () => false });
  await end();
  expect([turns, await gone]).toEqual([[[1], [3]], expect.any(Refusal)]);
  await end();
  expect(await stays).toBe(30);
  const onlyGone = join(4, { isGone: () => true }).catch((error: unknown) => error);
  expect(await onlyGone).toBeInstanceOf(Refusal);
  await pass(0);
  expect(isBusy('z')).toBe(false);
});
