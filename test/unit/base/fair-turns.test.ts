// Places that groups of calls take in turns.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairPlaces } from '#base/fair/places.ts';
import { createTurns } from '#base/fair/turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function setUp(places: number) {
  const clock = new FakeClock();
  const take = createTurns(new FairPlaces(places, places));
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string, signal?: AbortSignal) =>
    take(
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

it('runs no more jobs than there are places, in the order of arrival', async () => {
  const on = setUp(3);
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => on.work(name));
  await on.clock.advance(5);
  expect(on.order).toEqual(['a1', 'a2', 'a3']);
  await on.clock.advance(20);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  expect(on.most()).toBe(3);
});

it('gives the next place to a group with one job, however many jobs another group has waiting', async () => {
  const on = setUp(2);
  const flood = Array.from({ length: 100 }, (_, n) => on.work(`a${n}`));
  await on.clock.advance(5);
  const other = on.work('b');
  await on.clock.advance(10);
  expect(on.order.slice(0, 4)).toContain('b');
  await on.clock.advance(1_000);
  await Promise.all([...flood, other]);
});

it('continues after a job that failed', async () => {
  const on = setUp(1);
  const failed = expect(on.work('a!')).rejects.toThrow('a!');
  const after = on.work('b');
  await on.clock.advance(30);
  await failed;
  expect(await after).toBe('b');
});

it('drops a job that is given up while it waits, but none that has begun', async () => {
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

it('leaves places for another group, even if the calls of one hang', async () => {
  const clock = new FakeClock();
  const take = createTurns(new FairPlaces(4));
  const began: string[] = [];
  const hang = (group: string) => {
    void take(group, () => {
      began.push(group);
      return new Promise(() => undefined);
    });
  };
  for (let n = 0; n < 10; n += 1) hang('a');
  for (const group of ['b', 'c', 'c']) hang(group);
  await clock.advance(0);
  expect(began.sort()).toEqual(['a', 'a', 'b', 'c']);
});

it('with calls that are given up at any time, settles each once, runs all others, and exceeds no limit', async () => {
  const anyCall = fc.record({
    group: fc.constantFrom('a', 'b', 'c'),
    at: fc.nat({ max: 200 }),
    lasts: fc.nat({ max: 30 }),
    givenUpAt: fc.option(fc.nat({ max: 300 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), async (calls, most) => {
      const clock = new FakeClock();
      const places = new FairPlaces(most);
      const take = createTurns(places);
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
        const end = await take(group, work, abort.signal).then(
          () => 'done',
          (error: Error) => error.message,
        );
        // Only a call that was given up before its turn does not run.
        expect(end).toBe(begun ? 'done' : 'given up');
        if (!begun) expect(givenUpAt).not.toBeNull();
      });
      await clock.advance(2_000);
      await Promise.all(ends);
      expect(places.total).toBe(0);
    }),
    { numRuns: 60 },
  );
});
