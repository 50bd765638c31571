// Places that groups of calls take in turns.
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
