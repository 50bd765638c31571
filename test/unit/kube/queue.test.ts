// The work queue against the semantics of client-go's workqueue and controller-runtime's priority queue.
import { describe, expect, it } from 'vitest';
import { createQueue, HIGH_PRIORITY, LOW_PRIORITY, type QueueItem, type WorkQueue } from '../../../src/kube/queue.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function setUp(options: { baseDelayMs?: number; maxDelayMs?: number } = {}) {
  const clock = new FakeClock();
  return { clock, queue: createQueue({ name: 'test', clock, ...options }) };
}

/** Takes every key that can be had now, without finishing any. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.stats().waiting > 0) keys.push(((await queue.get()) as QueueItem).key);
  return keys;
}

describe('adding', () => {
  it('hands keys out in the order they came, each once however often it was added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('gives a key to a worker that was already waiting', async () => {
    const { queue } = setUp();
    const got = queue.get();
    queue.add('a');
    expect(await got).toEqual({ key: 'a', priority: 0 });
  });

  it('never hands out a key that is being worked, and runs it once more afterwards', async () => {
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
});

describe('priorities', () => {
  it('lets real changes overtake what the first list brought', async () => {
    const { queue } = setUp();
    queue.add('listed-1', { priority: LOW_PRIORITY });
    queue.add('listed-2', { priority: LOW_PRIORITY });
    queue.add('edited');
    expect(await takeAll(queue)).toEqual(['edited', 'listed-1', 'listed-2']);
  });

  it('moves a waiting key up, and never down', async () => {
    const { queue } = setUp();
    queue.add('a', { priority: LOW_PRIORITY });
    queue.add('b', { priority: LOW_PRIORITY });
    queue.add('b');
    queue.add('b', { priority: LOW_PRIORITY });
    expect(await takeAll(queue)).toEqual(['b', 'a']);
  });

  it('asks for the priority of a key that comes without one, also when it comes back later', async () => {
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

  it('keeps the higher priority of the adds that came while the key was worked', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.get();
    queue.add('a', { priority: LOW_PRIORITY });
    queue.add('a');
    queue.add('other', { priority: LOW_PRIORITY });
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a', 'other']);
  });
});

describe('adding later', () => {
  it('waits for the time', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 1_000);
    await clock.advance(999);
    expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 1 });
    await clock.advance(1);
    expect(queue.stats()).toMatchObject({ waiting: 1, delayed: 0 });
  });

  it('keeps the earliest of several times, whichever was said first', async () => {
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

  it('drops the time when the key is handed out before, because that run decides anew', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 1_000);
    queue.add('a');
    await queue.get();
    queue.done('a');
    await clock.advance(5_000);
    expect(queue.stats()).toMatchObject({ waiting: 0, delayed: 0 });
  });

  it('marks the key dirty when its time comes during its run', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    await queue.get();
    queue.addAfter('a', 100);
    await clock.advance(100);
    expect(queue.stats()).toMatchObject({ waiting: 0, processing: 1 });
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('failing keys', () => {
  it('doubles the delay of each key for itself up to the most, without jitter', () => {
    const { queue } = setUp({ baseDelayMs: 1_000, maxDelayMs: 300_000 });
    const delays = Array.from({ length: 11 }, () => queue.addRateLimited('a'));
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((s) => s * 1_000));
    expect(queue.addRateLimited('b')).toBe(1_000);
    expect(queue.failures('a')).toBe(11);
  });

  it('begins again at the first delay when the key was forgotten', () => {
    const { queue } = setUp({ baseDelayMs: 1_000 });
    queue.addRateLimited('a');
    queue.addRateLimited('a');
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    expect(queue.addRateLimited('a')).toBe(1_000);
  });

  it('defaults to 5 ms doubled up to 1000 s, as client-go', () => {
    const { queue } = setUp();
    const delays = Array.from({ length: 19 }, () => queue.addRateLimited('a'));
    expect(delays.slice(0, 3)).toEqual([5, 10, 20]);
    expect(delays.at(-1)).toBe(1_000_000);
  });
});

describe('shutting down', () => {
  it('takes no new keys, hands out what waits, and then says so', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.addAfter('later', 10);
    queue.shutDown();
    queue.add('b');
    await clock.advance(100);
    expect(await queue.get()).toMatchObject({ key: 'a' });
    expect(await queue.get()).toBeUndefined();
  });

  it('releases workers that wait', async () => {
    const { queue } = setUp();
    const got = queue.get();
    queue.shutDown();
    expect(await got).toBeUndefined();
  });

  it('is drained when the last run is over, and not before', async () => {
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
});

it('tells how long keys waited and were worked', async () => {
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
