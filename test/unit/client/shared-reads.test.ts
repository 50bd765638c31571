// Reads of many names of one zone: how many requests they become, and that no answer is older than it may be.
import { expect, it } from 'vitest';
import type { Client, DnsRecord, RecordFilter } from '../../../src/client/client.ts';
import { ApiUnavailable } from '../../../src/client/errors.ts';
import { withSharedReads } from '../../../src/client/shared-reads.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const nameOf = (n: number) => `r${n}`;
const recordOf = (n: number): DnsRecord => ({
  id: `rec_${n}`,
  name: nameOf(n),
  type: 'A',
  content: '192.0.2.1',
  ttl: 60,
  priority: null,
});

/** A zone with so many records; every request takes 10 ms. */
function setUp(size: number) {
  const clock = new FakeClock();
  const stored = Array.from({ length: size }, (_, n) => recordOf(n));
  const requests: string[] = [];
  let away = false;
  const list = async (_zone: string, { name }: RecordFilter = {}): Promise<DnsRecord[]> => {
    requests.push(name ?? 'all');
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 10));
    if (away) throw new ApiUnavailable('away');
    return stored.filter((record) => name === undefined || record.name === name);
  };
  const create = async () => {
    stored.push(recordOf(stored.length));
    return stored.at(-1) as DnsRecord;
  };
  const client = withSharedReads({ records: { list, create } } as unknown as Client, clock);
  const ask = (n: number) => client.records.list('zone', { name: nameOf(n), type: 'A' });
  const leave = () => {
    away = true;
  };
  return { clock, client, requests, ask, leave };
}

/** Time goes on until the work is done. */
async function done<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await clock.advance(5);
  return work;
}

/** As so many workers do it: each asks for the next name when it has its answer. */
async function askAll({ ask }: ReturnType<typeof setUp>, size: number, workers: number): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < size) {
      const n = next++;
      expect(await ask(n)).toEqual([recordOf(n)]);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

it('one ask is one request, for that name', async () => {
  const on = setUp(500);
  expect(await done(on.clock, on.ask(7))).toEqual([recordOf(7)]);
  expect(await done(on.clock, on.ask(1_000))).toEqual([]);
  expect(on.requests).toEqual(['r7', 'r1000']);
});

it.each([
  [1_000, 13],
  [10_000, 128],
])('a start with %i records and %i workers is a few lists', async (size, workers) => {
  const on = setUp(size);
  await done(on.clock, askAll(on, size, workers));
  // Before the size is known, or a list is under way, some go one by one.
  expect(on.requests.length).toBeLessThan(20 + size / 50);
  expect(on.requests.filter((what) => what === 'all').length).toBeLessThan(6);
});

it('a few asks a second among many records stay requests for their names', async () => {
  const on = setUp(10_000);
  await done(on.clock, askAll(on, 128, 128));
  await on.clock.advance(2_000);
  on.requests.length = 0;
  for (let n = 0; n < 40; n += 1) {
    await done(on.clock, Promise.all([on.ask(n), on.ask(n + 1), on.ask(n + 2)]));
    await on.clock.advance(100);
  }
  expect(on.requests).not.toContain('all');
});

it('a list answers for a second, and not after a write', async () => {
  const on = setUp(100);
  await done(on.clock, askAll(on, 100, 50));
  on.requests.length = 0;
  await done(on.clock, on.ask(3));
  expect(on.requests).toEqual([]);
  await on.client.records.create('zone', { name: 'r100', type: 'A', content: '192.0.2.1' });
  expect(await done(on.clock, on.ask(100))).toEqual([recordOf(100)]);
  await on.clock.advance(1_500);
  await done(on.clock, on.ask(3));
  expect(on.requests).toEqual(['r100', 'r3']);
});

it('a list that fails fails everybody who waits for it', async () => {
  const on = setUp(100);
  on.leave();
  const asks = Array.from({ length: 50 }, (_, n) => on.ask(n));
  const ends = await done(on.clock, Promise.allSettled(asks));
  expect(ends.every((end) => end.status === 'rejected' && end.reason instanceof ApiUnavailable)).toBe(true);
});
