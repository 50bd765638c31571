// The work queue against the semantics of client-go's workqueue and controller-runtime's priority queue.
import { expect, test } from 'vitest';
import {
  createQueue,
  HIGH_PRIORITY,
  LOW_PRIORITY,
  type Priority,
  type QueueItem,
  type WorkQueue,
} from '#kube/controller/queue.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

function setUp(options: { baseDelayMs?: number; maxDelayMs?: number } = {}) {
  const clock = new FakeClock();
  return { clock, queue: createQueue({ name: 'test', clock, ...options }) };
}

/** Takes every key that is available now, without finishing any. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.stats().waiting > 0) keys.push(((await queue.get()) as QueueItem).key);
  return keys;
}

test('the queue hands keys out in the order of arrival, each once even if it was added several times', async () => {
  const { queue } = setUp();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
});

test('the queue gives a key to a worker that was already waiting', async () => {
  const { queue } = setUp();
  const got = queue.get();
  queue.add('a');
  expect(await got).toEqual({ key: 'a', priority: 0 });
});

test('the queue never hands out a key that is being worked on, and runs it once more afterwards', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.get();
  queue.add('a');
  queue.add('a');
  expect(queue.stats()).toMatchObject({ waiting: 0, processing: 1 });
  queue.done('a');
  expect(await takeAll(queue)).toEqual(['a']);
  queue.done('a');
  expect(queue.stats()).toMatchObject({ waiting: 0, processing: 0 });
});

test('the queue with priorities hands out real changes before the objects of the first list', async () => {
  const { queue } = setUp();
  queue.add('listed-1', { priority: LOW_PRIORITY });
  queue.add('listed-2', { priority: LOW_PRIORITY });
  queue.add('edited');
  expect(await takeAll(queue)).toEqual(['edited', 'listed-1', 'listed-2']);
});

test('the queue with priorities moves a waiting key up, and never down', async () => {
  const { queue } = setUp();
  queue.add('a', { priority: LOW_PRIORITY });
  queue.add('b', { priority: LOW_PRIORITY });
  queue.add('b');
  queue.add('b', { priority: LOW_PRIORITY });
  expect(await takeAll(queue)).toEqual(['b', 'a']);
});

test('the queue with priorities asks for the priority of a key that is added without one, also after a delay', async () => {
  const clock = new FakeClock();
  const queue = createQueue({ name: 'q', clock, priorityOf: (key) => (key === 'urgent' ? HIGH_PRIORITY : 0) });
  queue.addAfter('first', 1_000);
  queue.addAfter('urgent', 1_000);
  queue.add('second');
  queue.add('urgent');
  expect([(await queue.get())?.key, (await queue.get())?.key]).toEqual(['urgent', 'second']);
  queue.done('urgent');
  queue.addRateLimited('urgent');
  await clock.advance(1_000);
  expect([(await queue.get())?.key, (await queue.get())?.key]).toEqual(['urgent', 'first']);
});

test('the queue with priorities keeps the highest priority of the adds during a run of the key', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.get();
  queue.add('a', { priority: LOW_PRIORITY });
  queue.add('a');
  queue.add('other', { priority: LOW_PRIORITY });
  queue.done('a');
  expect(await takeAll(queue)).toEqual(['a', 'other']);
});

test('the queue with a time waits for the time', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('a', 1_000);
  await clock.advance(999);
  expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 1 });
  await clock.advance(1);
  expect(queue.stats()).toMatchObject({ waiting: 1, delayed: 0 });
});

test('the queue with a time keeps the earliest of several times, in any order', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('a', 1_000);
  queue.addAfter('a', 5_000);
  queue.addAfter('b', 5_000);
  queue.addAfter('b', 1_000);
  await clock.advance(1_000);
  expect(await takeAll(queue)).toEqual(['a', 'b']);
  await clock.advance(10_000);
  queue.done('a');
  queue.done('b');
  expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 0 });
});

test('the queue with a time drops the due time when the key is handed out sooner, because that run decides again', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('a', 1_000);
  queue.add('a');
  await queue.get();
  queue.done('a');
  await clock.advance(5_000);
  expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 0 });
});

test('the queue with a time marks the key dirty when it becomes due during its run', async () => {
  const { queue, clock } = setUp();
  queue.add('a');
  await queue.get();
  queue.addAfter('a', 100);
  await clock.advance(100);
  expect(queue.stats()).toMatchObject({ waiting: 0, processing: 1 });
  queue.done('a');
  expect(await takeAll(queue)).toEqual(['a']);
});

test('the queue of keys that fail doubles the delay of each key separately up to the maximum, without jitter', () => {
  const { queue } = setUp({ baseDelayMs: 1_000, maxDelayMs: 300_000 });
  const delays = Array.from({ length: 11 }, () => queue.addRateLimited('a'));
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((s) => s * 1_000));
  expect(queue.addRateLimited('b')).toBe(1_000);
  expect(queue.failures('a')).toBe(11);
});

test('the queue of keys that fail starts over at the first delay when the key was forgotten', () => {
  const { queue } = setUp({ baseDelayMs: 1_000 });
  queue.addRateLimited('a');
  queue.addRateLimited('a');
  queue.forget('a');
  expect(queue.failures('a')).toBe(0);
  expect(queue.addRateLimited('a')).toBe(1_000);
});

test('the queue of keys that fail defaults to 5 ms doubled up to 1000 s, as client-go', () => {
  const { queue } = setUp();
  const delays = Array.from({ length: 19 }, () => queue.addRateLimited('a'));
  expect(delays.slice(0, 3)).toEqual([5, 10, 20]);
  expect(delays.at(-1)).toBe(1_000_000);
});

test('the queue that shuts down takes no new keys, hands out the waiting ones, and then reports the end', async () => {
  const { queue, clock } = setUp();
  queue.add('a');
  queue.addAfter('later', 10);
  queue.shutDown();
  queue.add('b');
  await clock.advance(100);
  expect(await queue.get()).toMatchObject({ key: 'a' });
  expect(await queue.get()).toBeUndefined();
});

test('the queue that shuts down releases workers that wait', async () => {
  const { queue } = setUp();
  const got = queue.get();
  queue.shutDown();
  expect(await got).toBeUndefined();
});

test('the queue that shuts down is drained when the last run has ended, and not before', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.get();
  queue.shutDown();
  let drained = false;
  void queue.drained().then(() => {
    drained = true;
  });
  await settle();
  expect(drained).toBe(false);
  queue.done('a');
  await settle();
  expect(drained).toBe(true);
});

test('the queue reports how long keys waited and how long their runs took', async () => {
  const clock = new FakeClock();
  const seen: [string, number][] = [];
  const observer = {
    added: () => void seen.push(['added', 1]),
    retried: () => void seen.push(['retried', 1]),
    waited: (seconds: number) => void seen.push(['waited', seconds]),
    worked: (seconds: number) => void seen.push(['worked', seconds]),
  };
  const queue = createQueue({ name: 'test', clock, observer });
  queue.add('a');
  queue.add('a');
  await clock.advance(2_000);
  await queue.get();
  await clock.advance(3_000);
  expect(queue.stats()).toMatchObject({ unfinishedSeconds: 3, longestRunningSeconds: 3 });
  queue.done('a');
  expect(seen).toEqual([
    ['added', 1],
    ['waited', 2],
    ['worked', 3],
  ]);
});

const groupOf = (key: string) => key.split('/')[0] as string;
const fair = (workers?: number, priorityOf?: (key: string) => Priority) => {
  const clock = new FakeClock();
  return { clock, queue: createQueue({ name: 'fair', clock, groupOf, workers, priorityOf }) };
};
const flood = (queue: WorkQueue, group: string, keys: number) => {
  for (let n = 0; n < keys; n += 1) queue.add(`${group}/${n}`);
};

test('groups of keys take turns, even if one of them has many keys', async () => {
  const { queue } = fair();
  flood(queue, 'a', 100);
  flood(queue, 'b', 2);
  queue.add('c/0');
  expect((await takeAll(queue)).slice(0, 7)).toEqual(['a/0', 'b/0', 'c/0', 'a/1', 'b/1', 'a/2', 'a/3']);
});

test('groups of keys keep their order of priorities, and no priority goes before the turn of another group', async () => {
  const { queue } = fair(undefined, (key) => (key.endsWith('!') ? HIGH_PRIORITY : 0));
  for (const key of ['a/1', 'a/2', 'b/1', 'a/3!', 'a/4!']) queue.add(key);
  expect(await takeAll(queue)).toEqual(['a/3!', 'b/1', 'a/4!', 'a/1', 'a/2']);
});

test('groups of keys leave workers for a new group, and use them again when it has ended', async () => {
  const { queue } = fair(8);
  flood(queue, 'a', 100);
  const taken: string[] = [];
  const workers = Array.from({ length: 8 }, () => queue.get().then((item) => void taken.push(item?.key ?? '')));
  await settle();
  expect(taken).toEqual(['a/0', 'a/1', 'a/2', 'a/3']);
  queue.add('b/0');
  await settle();
  expect(taken).toContain('b/0');
  // Two groups of three shares: the first has more than its share, and gets no key before it is below it.
  queue.done('a/0');
  queue.done('a/1');
  await settle();
  expect(taken).toHaveLength(5);
  queue.done('a/2');
  await settle();
  expect(taken).toHaveLength(6);
  queue.done('b/0');
  await settle();
  expect(taken.filter((key) => key.startsWith('a/'))).toHaveLength(7);
  queue.shutDown();
  for (const key of taken) queue.done(key);
  await settle();
  expect(taken).toHaveLength(8);
  await Promise.all(workers);
});

test('groups of keys with one worker all get their turn', async () => {
  const { queue } = fair(1);
  flood(queue, 'a', 3);
  queue.add('b/0');
  const order: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { key } = (await queue.get()) as QueueItem;
    order.push(key);
    queue.done(key);
  }
  expect(order).toEqual(['a/0', 'b/0', 'a/1', 'a/2']);
});

test('a group that returns again and again, by edits or failures, does not delay another one', async () => {
  const { queue, clock } = fair(4);
  flood(queue, 'a', 50);
  const waits: number[] = [];
  let runs = 0;
  const worker = async () => {
    for (;;) {
      const item = await queue.get();
      if (item === undefined) return;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
      if (item.key.startsWith('a/')) queue.add(item.key);
      else waits.push(clock.now());
      runs += 1;
      queue.done(item.key);
    }
  };
  const workers = [worker(), worker(), worker(), worker()];
  await clock.advance(5_000);
  const asked = clock.now();
  queue.add('b/0');
  await clock.advance(250);
  expect(waits[0]).toBeLessThanOrEqual(asked + 200);
  expect(runs).toBeGreaterThan(90);
  queue.shutDown();
  await clock.advance(60_000);
  await Promise.all(workers);
});
