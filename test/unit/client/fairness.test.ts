// Groups that share one key: a service with the sliding window of the API's write limit on a fake clock, and groups
// that want more than the window holds.
import { expect, test } from 'vitest';
import { ApiError } from '#client/errors.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import type { Rate } from '#client/pace/rate.ts';
import type { Lane } from '#client/pace/waiting.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const never = new AbortController().signal;
const WINDOW_MS = 60_000;
const ANSWER_MS = 10;

interface Window {
  readonly quota: number;
  /** When places were taken. */
  times: number[];
}

/**
 * A service that counts as the real one does: it grants all places of a request or none, and answers 429 with a correct
 * delay.
 */
function setUp(quotas: { records: number; zones?: number } | null, neighbours = 0) {
  const clock = new FakeClock();
  const windows = { records: windowOf(quotas?.records), zones: windowOf(quotas?.zones ?? 10) };
  const served: { group: string; at: number }[] = [];
  const sizes: number[] = [];
  let refused = 0;

  const count = async (window: Window, places: number, onRate: (rate: Rate | null) => void): Promise<void> => {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ANSWER_MS / 2));
    const now = clock.now();
    window.times = window.times.filter((at) => at > now - WINDOW_MS);
    const remaining = window.quota - window.times.length - places;
    const leaves = window.times[window.times.length - 1 - (window.quota - places)];
    if (quotas !== null && remaining >= 0) for (let n = 0; n < places; n += 1) window.times.push(now);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ANSWER_MS / 2));
    if (quotas === null) return onRate(null);
    if (remaining >= 0) return onRate({ remaining, quota: window.quota, windowMs: WINDOW_MS });
    refused += 1;
    const retryAfterMs = (leaves ?? now) + WINDOW_MS - clock.now();
    throw new ApiError({ status: 429, code: 'rate_limited', message: 'Slow down.', retryAfterMs, requestId: null });
  };
  const groupOf = ({ set }: { set: { owner: string } }) => set.owner.slice('test:'.length).split('/')[0] as string;
  const note = (groups: string[]) => {
    for (const group of groups) served.push({ group, at: clock.now() - start });
  };
  const start = clock.now();
  const dispatcher = createDispatcher({
    clock,
    random: () => 0,
    gatherMs: 0,
    neighbours: () => neighbours,
    writer: {
      apply: async (_zone, changes, { onRate }) => {
        await count(windows.records, changes.length, onRate);
        sizes.push(changes.length);
        note(changes.map(groupOf));
        return changes.map(() => ({ status: 200, records: [], changed: true, drift: [] }));
      },
    },
  });
  const change = (group: string, zone = group, lane: Lane = 'create') =>
    dispatcher.apply({ lane, zone, group, signal: never, set: { owner: `test:${group}/x`, release: true } });
  const createZone = (group: string) =>
    dispatcher.submit({
      lane: 'create',
      bucket: 'zones',
      zone: null,
      group,
      signal: never,
      run: async (_signal, onRate) => {
        await count(windows.zones, 1, onRate);
        note([`zone of ${group}`]);
      },
    });
  const flood = (group: string, jobs: number, zone = group, lane: Lane = 'create') => {
    for (let n = 0; n < jobs; n += 1) void change(group, zone, lane);
  };
  const of = (group: string) => served.filter((each) => each.group === group).map(({ at }) => at);
  return { clock, dispatcher, change, createZone, flood, served, sizes, of, start, windows, refused: () => refused };
}

function windowOf(quota = Number.POSITIVE_INFINITY): Window {
  return { quota, times: [] };
}

test.each<Lane>(['acme', 'change', 'create'])(
  'a group next to one that floods the key is served at once, for a flood in any lane: %s',
  async (lane) => {
    const on = setUp({ records: 60 });
    on.flood('flood', 300, 'flood', lane);
    await on.clock.advance(5_000);
    const asked = on.clock.now() - on.start;
    void on.change('other');
    await on.clock.advance(100);
    expect(on.of('other')).toHaveLength(1);
    expect((on.of('other')[0] as number) - asked).toBeLessThan(50);
  },
);

test('a group next to one that floods the key is served at once in a zone that both share, and next to many zones of the flood', async () => {
  const on = setUp({ records: 60 });
  void on.change('flood');
  await on.clock.advance(100);
  for (let n = 0; n < 100; n += 1) on.flood('flood', 3, `zone${n}`);
  on.flood('flood', 100, 'shared');
  await on.clock.advance(5_000);
  void on.change('other', 'shared');
  await on.clock.advance(100);
  expect(on.of('other')).toHaveLength(1);
  // Requests in flight are counted: otherwise the batches of several zones together would exceed the limit.
  expect(on.refused()).toBe(0);
});

test('a group next to one that floods the key gets its share minute after minute, although the flood never ends', async () => {
  const on = setUp({ records: 60 });
  for (let second = 0; second < 300; second += 1) {
    on.flood('flood', 5);
    if (second % 15 === 0) void on.change('other');
    await on.clock.advance(1_000);
  }
  const waits = on.of('other').map((at, index) => at - index * 15_000);
  expect(waits).toHaveLength(20);
  expect(Math.max(...waits)).toBeLessThan(3_000);
  // The flood has the rest: 60 places less the reserve of 12 a minute, in which the other group finds its four.
  expect(on.of('flood').length).toBeGreaterThanOrEqual(5 * 45);
  expect(on.refused()).toBe(0);
});

test('a group next to one that floods the key shares the window evenly with it once both want more than the window holds', async () => {
  const on = setUp({ records: 60 });
  on.flood('flood', 1_000);
  await on.clock.advance(30_000);
  on.flood('other', 1_000);
  await on.clock.advance(10 * 60_000);
  for (let minute = 2; minute < 10; minute += 1) {
    const within = (at: number) => at >= minute * 60_000 && at < (minute + 1) * 60_000;
    const [flood, other] = [on.of('flood').filter(within).length, on.of('other').filter(within).length];
    expect(flood + other).toBeGreaterThanOrEqual(45);
    expect(Math.abs(flood - other)).toBeLessThan(15);
  }
  expect(on.refused()).toBe(0);
});

test('a group next to one that floods the key is served first when it has written less', async () => {
  const on = setUp({ records: 60 });
  on.flood('flood', 20);
  await on.clock.advance(1_000);
  on.flood('flood', 3, 'zone1');
  void on.change('other');
  await on.clock.advance(100);
  expect(on.served.slice(20).map(({ group }) => group)).toEqual(['other', 'flood', 'flood', 'flood']);
});

test('a group next to one that floods the key finds a place although five others came before it in the same minute', async () => {
  const on = setUp({ records: 60 });
  on.flood('flood', 300);
  await on.clock.advance(1_000);
  for (let n = 0; n < 5; n += 1) {
    void on.change(`group${n}`);
    await on.clock.advance(100);
    expect(on.of(`group${n}`)).toHaveLength(1);
  }
});

test('a group next to one that floods the key finds a place at the same time as 23 others, if the dispatcher knows how many may come', async () => {
  const on = setUp({ records: 60 }, 24);
  on.flood('flood', 300);
  await on.clock.advance(1_000);
  for (let n = 0; n < 24; n += 1) void on.change(`group${n}`, 'shared');
  await on.clock.advance(1_000);
  for (let n = 0; n < 24; n += 1) expect(on.of(`group${n}`)).toHaveLength(1);
  expect(on.refused()).toBe(0);
  // However many there are, a group that is alone has half of the window.
  expect(on.of('flood').length).toBeGreaterThanOrEqual(30);
});

test('a group next to one that floods the key takes turns with it if the key has no limit', async () => {
  const on = setUp(null);
  void on.change('flood');
  await on.clock.advance(100);
  on.flood('flood', 1_000, 'shared');
  void on.change('other', 'shared');
  // In the first batch of 200.
  await on.clock.advance(12);
  expect(on.of('other')).toHaveLength(1);
});

test('a group next to one that floods the key is served although the flood creates zones faster than the service allows', async () => {
  const on = setUp({ records: 60 });
  for (let n = 0; n < 40; n += 1) void on.createZone('flood');
  await on.clock.advance(1_000);
  on.flood('other', 30);
  void on.createZone('third');
  await on.clock.advance(100);
  expect(on.of('other')).toHaveLength(30);
  expect(on.of('zone of third')).toHaveLength(1);
  await on.clock.advance(5_000);
  expect(on.refused()).toBe(0);
});

test('a group that is alone uses four fifths of the window, minute after minute, and is never refused', async () => {
  const on = setUp({ records: 60 });
  on.flood('only', 1_000);
  await on.clock.advance(5 * 60_000 + 1_000);
  expect(on.served.length).toBeGreaterThanOrEqual(5 * 48);
  expect(on.served.length).toBeLessThanOrEqual(6 * 60);
  expect(on.refused()).toBe(0);
});

test('a group that is alone writes as many changes in a batch as the window has places', async () => {
  const on = setUp({ records: 60 });
  void on.change('only');
  await on.clock.advance(100);
  on.flood('only', 100);
  await on.clock.advance(1_000);
  expect(on.sizes[0]).toBe(1);
  expect(on.sizes.slice(1).reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(47);
  expect(on.sizes.length).toBeLessThan(5);
});

test.each([1, 2, 3, 5, 10])('a group that is alone continues with a window of %i', async (records) => {
  const on = setUp({ records });
  on.flood('only', 50);
  await on.clock.advance(5 * 60_000 + 1_000);
  expect(on.served.length).toBeGreaterThanOrEqual(4 * Math.ceil(records / 2));
});

test('many groups that write at once are all served, one turn each', async () => {
  const on = setUp({ records: 60 });
  for (let n = 0; n < 50; n += 1) on.flood(`group${n}`, 20);
  await on.clock.advance(1_000);
  const first = new Set(on.served.map(({ group }) => group));
  expect(first.size).toBe(50);
});

test('a group that is held back gets the time when it may write, and then it may', async () => {
  const on = setUp({ records: 60 });
  on.flood('only', 200);
  await on.clock.advance(5_000);
  const only = { bucket: 'records', zone: 'only', group: 'only' } as const;
  const held = on.dispatcher.hold(only);
  expect(held?.reason).toBe('RateLimited');
  const before = on.served.length;
  await on.clock.advance((held?.until as number) - on.clock.now() - 100);
  expect(on.served).toHaveLength(before);
  await on.clock.advance(200);
  expect(on.served.length).toBeGreaterThan(before);
  expect(on.dispatcher.hold({ ...only, group: 'other' })).toBeNull();
});

test('for a key whose limit another process uses as well, nothing is sent before Retry-After, then everything', async () => {
  const on = setUp({ records: 60 });
  void on.change('only');
  await on.clock.advance(100);
  on.windows.records.times.push(...Array.from({ length: 59 }, () => on.clock.now()));
  on.flood('only', 80);
  void on.change('other');
  await on.clock.advance(59_000);
  expect(on.served).toHaveLength(1);
  expect(on.refused()).toBeLessThanOrEqual(2);
  await on.clock.advance(3 * 60_000);
  expect(on.of('only')).toHaveLength(81);
  expect(on.of('other')).toHaveLength(1);
});
