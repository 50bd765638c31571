// How long the dispatcher collects changes of many zones, with a service that takes 10 ms for each request.
import { expect, test } from 'vitest';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import type { Lane } from '#client/pace/waiting.ts';
import type { AppliedSet } from '#client/pace/writer.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const { signal } = new AbortController();
const APPLIED: AppliedSet = { status: 200, records: [], changed: true, drift: [] };

interface Request {
  readonly zone: string;
  readonly at: number;
  readonly changes: number;
}

async function setUp() {
  const clock = new FakeClock();
  const requests: Request[] = [];
  const dispatcher = createDispatcher({
    clock,
    random: () => 0,
    writer: {
      apply: async (zone, changes, { onRate }) => {
        requests.push({ zone, at: clock.now(), changes: changes.length });
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        onRate(null);
        return changes.map(() => APPLIED);
      },
    },
  });
  const change = async (zone: string, lane: Lane = 'create') => {
    const before = clock.now();
    await dispatcher.apply({ lane, zone, signal, set: { owner: 'test:a', release: true } });
    return clock.now() - before;
  };
  // A first answer, so that the limit of the key is known.
  const first = change('first');
  await clock.advance(5_000);
  await first;
  requests.length = 0;
  return { clock, change, requests };
}

/** One change each 10 ms, each in the next of ten zones. */
async function bulk({ clock, change }: Awaited<ReturnType<typeof setUp>>, lane: Lane, count: number) {
  const all: Promise<number>[] = [];
  for (let n = 0; n < count; n += 1) {
    all.push(change(`z${n % 10}`, lane));
    await clock.advance(10);
  }
  return all;
}

test.each(['create', 'change'] as const)(
  'changes that are scattered over ten zones collect until a request has about ten of them (lane %s)',
  async (lane) => {
    const on = await setUp();
    const all = await bulk(on, lane, 2_000);
    await on.clock.advance(1_000);
    const waits = await Promise.all(all);
    expect(on.requests.reduce((sum, { changes }) => sum + changes, 0)).toBe(2_000);
    const late = on.requests.slice(on.requests.length / 2);
    expect(late.reduce((sum, { changes }) => sum + changes, 0) / late.length).toBeGreaterThan(5);
    expect(on.requests.length).toBeLessThan(450);
    expect(Math.max(...waits)).toBeLessThan(850);
  },
);

test('changes, one in each of two hundred zones, do not wait for others', async () => {
  const on = await setUp();
  const all = Array.from({ length: 200 }, (_, n) => on.change(`z${n}`));
  await on.clock.advance(2_000);
  // Eight at a time, because they are of one group.
  expect(Math.max(...(await Promise.all(all)))).toBeLessThanOrEqual((200 / 8) * 10);
});

test('changes that follow each other, each after the answer to the one before, wait 25 ms at most', async () => {
  const on = await setUp();
  for (let n = 0; n < 20; n += 1) {
    const each = on.change('z1', 'change');
    await on.clock.advance(100);
    expect(await each).toBe(10);
    const next = on.change('z1', 'change');
    await on.clock.advance(10);
    const third = on.change('z1', 'change');
    await on.clock.advance(100);
    expect([await next, await third]).toEqual([10, 35]);
  }
});

test('changes for a challenge are sent at once while many others collect', async () => {
  const on = await setUp();
  void (await bulk(on, 'create', 500));
  // Not while a request of the zone is in flight: that would be told that the zone is busy.
  const free = ['z0', 'z1', 'z2'].find(
    (zone) => on.requests.findLast((each) => each.zone === zone)?.at !== on.clock.now(),
  );
  const challenge = on.change(free as string, 'acme');
  await on.clock.advance(30);
  expect(await challenge).toBeLessThanOrEqual(20);
});

test('changes after a while without any are sent at once again', async () => {
  const on = await setUp();
  void (await bulk(on, 'create', 500));
  await on.clock.advance(4_000);
  const single = on.change('z1');
  await on.clock.advance(10);
  expect(await single).toBe(10);
});
