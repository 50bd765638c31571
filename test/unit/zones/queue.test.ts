// The queue of one zone's writers: order, patience, and that zones do not wait for each other.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createZoneQueue } from '../../../src/zones/queue.ts';
import { Refusal } from '../../../src/zones/refusal.ts';

const PATIENCE_MS = 2_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A piece of work that ends when told. */
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
const queue = () => createZoneQueue(PATIENCE_MS, () => Date.now());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the writers of one zone', () => {
  it('take turns in order of arrival', async () => {
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

  it('learn how long they waited', async () => {
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

  it('get their turn also after work that failed', async () => {
    const { run } = queue();
    const [first, second] = [work(), work()];
    const failing = run('z', first.run);
    const answer = run('z', second.run);
    first.fail(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    second.end();
    expect(await answer).toBe('done');
  });

  it('are told busy when their turn does not come in time, and their work is never started', async () => {
    const { run } = queue();
    const [first, second, third] = [work(), work(), work()];
    const holding = run('z', first.run);
    const impatient = run('z', second.run).catch((error: unknown) => error);
    await pass(500);
    const later = run('z', third.run);
    await pass(PATIENCE_MS - 500);
    const error = (await impatient) as Refusal;
    expect(error).toBeInstanceOf(Refusal);
    expect([error.code, error.retryAfterMs]).toEqual(['busy', 1_000]);
    first.end();
    await pass(0);
    expect([second.started(), third.started()]).toEqual([false, true]);
    third.end();
    await Promise.all([holding, later]);
  });

  it('leave nothing behind: the next one starts at once', async () => {
    const { run } = queue();
    for (let n = 0; n < 3; n++) expect(await run('z', async (ms) => ms)).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('writers of other zones do not wait', async () => {
  const { run } = queue();
  const held = work();
  const holding = run('a', held.run);
  expect(await run('b', async () => 'free')).toBe('free');
  held.end();
  await holding;
});
