// The deletion of checks that no object needs.
import { expect, test } from 'vitest';
import { Leftovers } from '#operator/checks/sweep.ts';
import { refused } from '../../../support/operator/memory-service.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

function sweeper() {
  const clock = new FakeClock();
  const leftovers = new Leftovers(clock);
  const tried: string[] = [];
  const used = new Set<string>();
  const needed = new Set<string>();
  const sweep = (...names: string[]) =>
    leftovers.remove(
      names,
      (name) => needed.has(name),
      async (name) => {
        tried.push(name);
        if (used.has(name)) throw refused(409, 'conflict', 'Records name the check.');
      },
    );
  return { clock, leftovers, tried, used, needed, sweep };
}

test('a check that records name is tried again after waits that grow to ten minutes', async () => {
  const { clock, leftovers, tried, used, sweep } = sweeper();
  used.add('a');
  await sweep('a');
  await sweep('a');
  expect(tried).toEqual(['a']);
  expect(leftovers.isAnyDue()).toBe(false);
  const waits: number[] = [];
  for (let before = clock.now(), at = before; waits.length < 9; ) {
    await clock.advance(1_000);
    await sweep('a');
    at = clock.now();
    if (tried.length > waits.length + 1) {
      waits.push((at - before) / 1_000);
      before = at;
    }
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
});

test('a check is tried immediately after a release, and its waits begin again', async () => {
  const { leftovers, tried, used, sweep } = sweeper();
  used.add('a');
  await sweep('a');
  leftovers.releasedAny();
  used.clear();
  await sweep('a');
  expect(tried).toEqual(['a', 'a']);
});

test('a check whose object came back meanwhile stays', async () => {
  const { tried, needed, sweep } = sweeper();
  needed.add('a');
  await sweep('a', 'b');
  expect(tried).toEqual(['b']);
});
