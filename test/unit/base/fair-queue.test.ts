// The fair queue against its promises, with random groups, lanes, lines and rules.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Rules } from '#base/fair/queue.ts';

const GROUPS = ['a', 'b', 'c', 'd'] as const;
const LANES = 3;

interface Item {
  readonly id: number;
  readonly group: string;
  readonly lane: number;
  readonly line: string;
}

let serial = 0;
const itemOf = (group: string, lane = 0, line = ''): Item => {
  serial += 1;
  return { id: serial, group, lane, line };
};
const fill = (queue: FairQueue<Item>, group: string, count: number, lane = 0): Item[] => {
  const items = Array.from({ length: count }, () => itemOf(group, lane));
  for (const item of items) queue.add(item, item);
  return items;
};
/** Takes the next item, as a caller does. */
const takeNext = (queue: FairQueue<Item>, rules: Rules<Item> = {}, cost?: number): Item | undefined => {
  const item = queue.next(rules);
  if (item !== undefined) queue.take(item, cost);
  return item;
};

const anyItem = fc.record({
  group: fc.constantFrom(...GROUPS),
  lane: fc.nat({ max: LANES - 1 }),
  line: fc.constantFrom('', 'x', 'y'),
});
type Step =
  | { readonly do: 'add'; readonly spot: Omit<Item, 'id'> }
  | { readonly do: 'take'; readonly held: readonly string[]; readonly blocked: string }
  | { readonly do: 'remove'; readonly at: number };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyItem.map((spot): Step => ({ do: 'add', spot })) },
  {
    weight: 3,
    arbitrary: fc
      .record({ held: fc.subarray([...GROUPS]), blocked: fc.constantFrom('', 'x', 'y', 'none') })
      .map((rules): Step => ({ do: 'take', ...rules })),
  },
  { weight: 1, arbitrary: fc.nat().map((at): Step => ({ do: 'remove', at })) },
);

test('a fair queue has a next item if and only if one may go, and each line keeps its order', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
      const queue = new FairQueue<Item>({ lanes: LANES });
      const model: Item[] = [];
      for (const step of steps) {
        if (step.do === 'add') {
          const item = itemOf(step.spot.group, step.spot.lane, step.spot.line);
          queue.add(item, item);
          model.push(item);
        } else if (step.do === 'remove') {
          const [item] = model.splice(step.at % Math.max(1, model.length), 1);
          if (item !== undefined) expect(queue.remove(item)).toBe(true);
        } else {
          const may = ({ group, line }: Item) => !step.held.includes(group) && line !== step.blocked;
          const taken = takeNext(queue, {
            groupMayGo: (group) => !step.held.includes(group),
            mayGo: ({ line }) => line !== step.blocked,
          });
          expect(taken !== undefined).toBe(model.some(may));
          if (taken === undefined) continue;
          expect(may(taken)).toBe(true);
          const sameLine = (each: Item) =>
            each.group === taken.group && each.lane === taken.lane && each.line === taken.line;
          expect(model.find(sameLine)).toBe(taken);
          model.splice(model.indexOf(taken), 1);
        }
        expect(queue.size).toBe(model.length);
        expect(queue.groups).toBe(new Set(model.map(({ group }) => group)).size);
        for (let lane = 0; lane < LANES; lane += 1)
          expect(queue.depth(lane)).toBe(model.filter((each) => each.lane === lane).length);
      }
    }),
    { numRuns: 300 },
  );
});

test('a fair queue serves every group that waits before another one has its second turn, however many items that one has', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.constantFrom(...GROUPS), { freq: 3 }), { maxLength: 200 }), (steps) => {
      const queue = new FairQueue<Item>();
      /** The turns of the others since a group waits. */
      const turns = new Map<string, Map<string, number>>();
      for (const group of steps) {
        if (group !== null) {
          if (!queue.hasGroup(group)) turns.set(group, new Map());
          queue.add(itemOf(group), { group });
          continue;
        }
        const taken = takeNext(queue);
        if (taken === undefined) continue;
        for (const [waiting, others] of turns) {
          if (waiting === taken.group || !queue.hasGroup(waiting)) continue;
          const count = (others.get(taken.group) ?? 0) + 1;
          others.set(taken.group, count);
          // Two, if the group itself had a turn shortly before it came back.
          expect(count).toBeLessThanOrEqual(2);
        }
        turns.set(taken.group, new Map());
      }
    }),
    { numRuns: 500 },
  );
});

test('a fair queue gives groups turns in proportion to their weights, for items of any cost', () => {
  fc.assert(
    fc.property(
      fc.record({ a: fc.integer({ min: 1, max: 8 }), b: fc.integer({ min: 1, max: 8 }) }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 200, maxLength: 400 }),
      (weights, costs) => {
        const queue = new FairQueue<Item>({ weightOf: (group) => weights[group as 'a' | 'b'] });
        const spent = { a: 0, b: 0 };
        fill(queue, 'a', costs.length + 1);
        fill(queue, 'b', costs.length + 1);
        for (const cost of costs) {
          const group = takeNext(queue, {}, cost)?.group as 'a' | 'b';
          spent[group] += cost;
          // Goyal, Vin and Cheng (1996), theorem 1: the largest cost of each, in relation to the weight.
          const apart = Math.abs(spent.a / weights.a - spent.b / weights.b);
          expect(apart).toBeLessThanOrEqual(20 / weights.a + 20 / weights.b + 1e-6);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('a fair queue does not serve a group more often because it leaves and returns at once', () => {
  const queue = new FairQueue<Item>();
  for (const group of ['b', 'c', 'd']) fill(queue, group, 100);
  const taken: string[] = [];
  for (let turn = 0; turn < 80; turn += 1) {
    if (!queue.hasGroup('a')) fill(queue, 'a', 1);
    taken.push(takeNext(queue)?.group as string);
  }
  for (const group of GROUPS) expect(taken.filter((each) => each === group)).toHaveLength(20);
});

test('a fair queue lets a group that was held back save up no turns', () => {
  const queue = new FairQueue<Item>();
  fill(queue, 'a', 100);
  fill(queue, 'b', 100);
  for (let turn = 0; turn < 50; turn += 1) takeNext(queue, { groupMayGo: (group) => group !== 'a' });
  const taken = Array.from({ length: 10 }, () => takeNext(queue)?.group);
  expect(taken.filter((group) => group === 'a')).toHaveLength(5);
  expect(taken[0]).toBe('a');
});

test('a fair queue serves the groups of the lowest rank, in turns', () => {
  const queue = new FairQueue<Item>();
  for (const group of GROUPS) fill(queue, group, 10);
  const rank = (group: string) => (group === 'a' || group === 'c' ? 1 : 0);
  const taken = Array.from({ length: 20 }, () => takeNext(queue, { rank })?.group as string);
  expect(new Set(taken)).toEqual(new Set(['b', 'd']));
  expect(taken.filter((group) => group === 'b')).toHaveLength(10);
  expect(takeNext(queue, { rank })?.group).toBe('a');
});

test('a fair queue serves the lanes of a group in order, and leaves none of them out', () => {
  const queue = new FairQueue<Item>({ lanes: LANES });
  fill(queue, 'a', 200, 2);
  fill(queue, 'a', 3, 1);
  fill(queue, 'a', 200, 0);
  const taken = Array.from({ length: 60 }, () => takeNext(queue)?.lane);
  expect(taken.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 0));
  expect(taken.filter((lane) => lane === 1)).toHaveLength(3);
  expect(taken.filter((lane) => lane === 2).length).toBeGreaterThanOrEqual(3);
  expect(taken.filter((lane) => lane === 0).length).toBeGreaterThanOrEqual(50);
});

test('a fair queue serves the lines of a lane in turns', () => {
  const queue = new FairQueue<Item>();
  for (const line of ['x', 'x', 'x', 'y', 'z']) {
    const item = itemOf('a', 0, line);
    queue.add(item, item);
  }
  const taken = Array.from({ length: 5 }, () => takeNext(queue)?.line);
  expect(taken).toEqual(['x', 'y', 'z', 'x', 'x']);
});

test('a fair queue shows the items of a line, and forgets the lines that are empty', () => {
  const queue = new FairQueue<Item>();
  const [one, two, other] = [itemOf('a', 0, 'x'), itemOf('b', 0, 'x'), itemOf('a', 0, 'y')];
  for (const item of [one, two, other]) queue.add(item, item);
  const shown = () => queue.line(0, 'x').map(({ group, items }) => [group, ...items]);
  expect(shown()).toEqual([
    ['a', one],
    ['b', two],
  ]);
  queue.take(one);
  expect(shown()).toEqual([['b', two]]);
  queue.remove(two);
  expect(shown()).toEqual([]);
});

test('a fair queue moves an item that is added again, and knows when it is gone', () => {
  const queue = new FairQueue<string>({ lanes: 2 });
  queue.add('one', { group: 'a', lane: 1 });
  queue.add('two', { group: 'a', lane: 1 });
  queue.add('two', { group: 'a', lane: 0 });
  expect([queue.size, queue.depth(0), queue.depth(1)]).toEqual([2, 1, 1]);
  expect(queue.next()).toBe('two');
  expect(queue.take('two')).toBe(true);
  expect([queue.take('two'), queue.remove('two'), queue.has('two')]).toEqual([false, false, false]);
  expect(queue.next()).toBe('one');
  expect(() => queue.add('three', { group: 'a', lane: 2 })).toThrow(RangeError);
});

test('a fair queue drops the last item of the largest group when it is full, so that no group fills it', () => {
  const queue = new FairQueue<Item>({ lanes: LANES });
  const flood = fill(queue, 'a', 10);
  expect(queue.overflow('a')).toBeUndefined();
  expect(queue.overflow('b')).toBe(flood.at(-1));
  fill(queue, 'b', 9);
  expect(queue.overflow('b')).toBeUndefined();
  const [low] = fill(queue, 'a', 1, 2);
  expect(queue.overflow('b')).toBe(low);
  expect(new FairQueue<Item>().overflow('a')).toBeUndefined();
});

test('a fair queue remembers a limited number of groups, and none once nothing waits', () => {
  const queue = new FairQueue<Item>();
  // Held back all the time, so that the queue is never empty.
  fill(queue, 'held', 1);
  for (let n = 0; n < 5_000; n += 1) {
    fill(queue, `group${n}`, 1);
    takeNext(queue, { groupMayGo: (group) => group !== 'held' });
    expect(queue.remembered).toBeLessThanOrEqual(1_024);
  }
  expect([queue.size, queue.groups]).toEqual([1, 1]);
  takeNext(queue);
  expect([queue.size, queue.groups, queue.remembered]).toEqual([0, 0, 0]);
});
