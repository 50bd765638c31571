// Limits on the work that runs at the same time: groups take turns, waits end with their signal.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Limit } from '#base/limit.ts';
import { createSerial } from '#base/serial.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

function setUp(permits: number) {
  const clock = new FakeClock();
  const limit = new Limit({ permits, share: permits, isFair: true });
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string, signal?: AbortSignal) =>
    limit.run(
      name.charAt(0),
      async () => {
        order.push(name);
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        running -= 1;
        if (name.endsWith('!')) throw new Error(name);
        return name;
      },
      signal,
    );
  return { clock, work, order, most: () => most };
}

test('a limit runs no more jobs than there are permits, in the order of arrival', async () => {
  const on = setUp(3);
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => on.work(name));
  await on.clock.advance(5);
  expect(on.order).toEqual(['a1', 'a2', 'a3']);
  await on.clock.advance(20);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  expect(on.most()).toBe(3);
});

test('a limit gives the next permit to a group with one job, however many jobs another group has waiting', async () => {
  const on = setUp(2);
  const flood = Array.from({ length: 100 }, (_, n) => on.work(`a${n}`));
  await on.clock.advance(5);
  const other = on.work('b');
  await on.clock.advance(10);
  expect(on.order.slice(0, 4)).toContain('b');
  await on.clock.advance(1_000);
  await Promise.all([...flood, other]);
});

test('a limit continues after a job that failed', async () => {
  const on = setUp(1);
  const failed = expect(on.work('a!')).rejects.toThrow('a!');
  const after = on.work('b');
  await on.clock.advance(30);
  await failed;
  expect(await after).toBe('b');
});

test('a limit drops a job that is given up while it waits, but none that has begun', async () => {
  const on = setUp(1);
  const abort = new AbortController();
  const first = on.work('a', abort.signal);
  const second = on.work('b', abort.signal);
  const third = on.work('b2');
  await on.clock.advance(5);
  const givenUp = expect(second).rejects.toThrow('enough');
  abort.abort(new Error('enough'));
  await givenUp;
  await expect(on.work('c', abort.signal)).rejects.toThrow('enough');
  await on.clock.advance(30);
  expect(await Promise.all([first, third])).toEqual(['a', 'b2']);
  expect(on.order).toEqual(['a', 'b2']);
});

test('a limit leaves permits for another group, even if the calls of one hang', async () => {
  const clock = new FakeClock();
  const limit = new Limit({ permits: 4, isFair: true });
  const began: string[] = [];
  const hang = (group: string) => {
    void limit.run(group, () => {
      began.push(group);
      return new Promise(() => undefined);
    });
  };
  for (let n = 0; n < 10; n += 1) hang('a');
  for (const group of ['b', 'c', 'c']) hang(group);
  await clock.advance(0);
  expect(began.sort()).toEqual(['a', 'a', 'b', 'c']);
});

test('a limit with calls that are given up at any time settles each once, runs all others, and exceeds no limit', async () => {
  const anyCall = fc.record({
    group: fc.constantFrom('a', 'b', 'c'),
    at: fc.nat({ max: 200 }),
    lasts: fc.nat({ max: 30 }),
    givenUpAt: fc.option(fc.nat({ max: 300 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), async (calls, most) => {
      const clock = new FakeClock();
      const limit = new Limit({ permits: most, isFair: true });
      let running = 0;
      const ends = calls.map(async ({ group, at, lasts, givenUpAt }) => {
        const abort = new AbortController();
        let begun = false;
        if (givenUpAt !== null) clock.setTimeout(() => abort.abort(new Error('given up')), givenUpAt);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, at));
        const work = async () => {
          begun = true;
          running += 1;
          expect(running).toBeLessThanOrEqual(most);
          await new Promise<void>((resolve) => clock.setTimeout(resolve, lasts));
          running -= 1;
        };
        const end = await limit.run(group, work, abort.signal).then(
          () => 'done',
          (error: Error) => error.message,
        );
        // Only a call that was given up before its turn does not run.
        expect(end).toBe(begun ? 'done' : 'given up');
        if (!begun) expect(givenUpAt).not.toBeNull();
      });
      await clock.advance(2_000);
      await Promise.all(ends);
      expect(limit.used).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('a limit tries a permit without a wait, and returns it once', () => {
  const limit = new Limit({ permits: 1 });
  const release = limit.tryTake('a');
  expect([limit.tryTake('b'), limit.isFree('b'), limit.used]).toEqual([null, false, 1]);
  release?.();
  release?.();
  expect([limit.isFree('b'), limit.used]).toEqual([true, 0]);
});

test('a limit gives each owner its own permits and no more, while other owners keep theirs', () => {
  const limit = new Limit({ permits: 5, share: 2 });
  const first = limit.tryTake('a');
  expect([first, limit.tryTake('a')].every((release) => release !== null)).toBe(true);
  expect(limit.tryTake('a')).toBeNull();
  expect(limit.tryTake('b')).not.toBeNull();
  expect(limit.usedByGroup()).toEqual({ a: 2, b: 1 });
  first?.();
  expect(limit.usedByGroup()).toEqual({ a: 1, b: 1 });
  expect(limit.tryTake('a')).not.toBeNull();
});

test('a limit serves the work that waits when the number of permits has risen, before new work', async () => {
  let permits = 0;
  const limit = new Limit({ permits: () => permits });
  const order: string[] = [];
  const take = (name: string) => limit.take(name).then(() => order.push(name));
  void take('a');
  permits = 2;
  await take('b');
  expect(order).toEqual(['a', 'b']);
});

test('work of one key runs one after another, and work of another key at the same time', async () => {
  const clock = new FakeClock();
  const serial = createSerial();
  const { signal } = new AbortController();
  const order: string[] = [];
  const work = (key: string, name: string, limit = signal) =>
    serial(
      key,
      async () => {
        order.push(name);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        if (name === 'fails') throw new Error(name);
      },
      limit,
    );
  const failed = expect(work('a', 'fails')).rejects.toThrow('fails');
  const left = new AbortController();
  const givenUp = expect(work('a', 'given up', left.signal)).rejects.toThrow('enough');
  void work('a', 'a2');
  void work('b', 'b1');
  await clock.advance(5);
  expect(order).toEqual(['fails', 'b1']);
  left.abort(new Error('enough'));
  await givenUp;
  await clock.advance(10);
  await failed;
  expect(order).toEqual(['fails', 'b1', 'a2']);
});
