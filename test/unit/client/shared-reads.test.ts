// Reads of many names of one zone: the number of requests, that they ask for these names only, and that no answer is
// older than its call.
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { fetchRecords } from '#client/lists.ts';
import { withSharedReads } from '#client/shared-reads.ts';
import { listRecords } from '#contract/operations/records.ts';
import type { DnsRecord } from '#contract/record.ts';
import { on as answerTo, fakeClient } from '../../support/service/fake-client.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

/** A zone with so many records; every request takes 10 ms, and its answer shows the state in the middle of it. */
function setUp(size: number, nameOf = (n: number) => `r${n}`) {
  const recordOf = (n: number): DnsRecord => ({
    id: `rec_${n}`,
    name: nameOf(n),
    type: 'A',
    content: '192.0.2.1',
    ttl: 60,
    priority: null,
  });
  const clock = new FakeClock();
  const stored = Array.from({ length: size }, (_, n) => recordOf(n));
  const requests: string[] = [];
  let away = false;
  const asked: (readonly string[])[] = [];
  /** The records of the request for several names. */
  let page: DnsRecord[] = [];
  const read = async (names: readonly string[], type: string | undefined): Promise<DnsRecord[]> => {
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 5));
    if (away) throw new ApiUnavailable('away');
    const wanted = new Set(names);
    const found = stored.filter((record) => wanted.has(record.name) && record.type === type);
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 5));
    return found;
  };
  /** Answers are pages of the size that the request wants; a cursor is the place of the first record. */
  const plain = fakeClient(
    answerTo(listRecords, async ({ query: { name, names = '', type, limit, cursor = '0' } = {} }) => {
      if (name !== undefined) {
        requests.push(name);
        return { records: await read([name], type) };
      }
      const wanted = names.split(',');
      if (cursor === '0') {
        requests.push(`${wanted.length} names`);
        asked.push(wanted);
      }
      const records = cursor === '0' ? await read(wanted, type) : page;
      page = records;
      const end = Number(cursor) + Number(limit);
      return { records: records.slice(Number(cursor), end), ...(end < records.length ? { next: String(end) } : {}) };
    }),
  );
  const client = withSharedReads(plain, clock);
  const ask = (n: number) => fetchRecords(client, 'zone', { name: nameOf(n), type: 'A' });
  const leave = () => {
    away = true;
  };
  return { clock, client, requests, asked, stored, recordOf, ask, leave };
}

/** Advances the time until the work is done. */
async function done<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await clock.advance(5);
  return work;
}

/** Like that many workers: each asks for the next name when it has its answer. */
async function askAll({ ask, recordOf }: ReturnType<typeof setUp>, size: number, workers: number): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < size) {
      const n = next++;
      expect(await ask(n)).toEqual([recordOf(n)]);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

test('one call is one request, for that name', async () => {
  const on = setUp(500);
  expect(await done(on.clock, on.ask(7))).toEqual([on.recordOf(7)]);
  expect(await done(on.clock, on.ask(1_000))).toEqual([]);
  expect(on.requests).toEqual(['r7', 'r1000']);
});

test.each([
  [1_000, 13],
  [10_000, 128],
])('a start with %i records and %i workers takes few requests', async (size, workers) => {
  const on = setUp(size);
  await done(on.clock, askAll(on, size, workers));
  // At first, while there are few calls, some are sent one by one.
  expect(on.requests.length).toBeLessThan(40 + (2 * size) / Math.min(100, workers));
});

test('a request asks only for the names of calls, within the limits of the service', async () => {
  const on = setUp(300, (n) => `${'long.'.repeat(30)}r${n}`);
  await done(on.clock, askAll(on, 200, 200));
  expect(on.asked.length).toBeGreaterThan(0);
  for (const names of on.asked) {
    expect(names.length).toBeLessThanOrEqual(100);
    expect(names.join(',').length).toBeLessThanOrEqual(8_000);
    for (const name of names) expect(Number(name.split('.r')[1])).toBeLessThan(200);
  }
});

test('many calls for several types get the records of their type', async () => {
  const on = setUp(100);
  on.stored.push({ ...on.recordOf(3), id: 'txt', type: 'TXT', content: 'x' });
  const asks = Array.from({ length: 40 }, (_, n) => on.ask(n));
  const txt = fetchRecords(on.client, 'zone', { name: 'r3', type: 'TXT' });
  expect((await done(on.clock, txt)).map(({ id }) => id)).toEqual(['txt']);
  expect((await done(on.clock, Promise.all(asks))).flat()).toHaveLength(40);
});

test('a few calls a second among many records stay requests for their names', async () => {
  const on = setUp(10_000);
  await done(on.clock, askAll(on, 128, 128));
  await on.clock.advance(2_000);
  on.requests.length = 0;
  for (let n = 0; n < 40; n += 1) {
    await done(on.clock, Promise.all([on.ask(n), on.ask(n + 1), on.ask(n + 2)]));
    await on.clock.advance(100);
  }
  expect(on.requests.filter((request) => request.endsWith(' names'))).toEqual([]);
});

test('no answer is older than its call, also during a write', async () => {
  const on = setUp(100);
  await done(on.clock, askAll(on, 100, 50));
  const crowd = Array.from({ length: 50 }, (_, n) => on.ask(n));
  await on.clock.advance(7);
  // The requests in flight have read by now; this change comes after them.
  const changed = { ...on.recordOf(3), content: '192.0.2.2' };
  on.stored[3] = changed;
  const late = on.ask(3);
  expect(await done(on.clock, late)).toEqual([changed]);
  await done(on.clock, Promise.all(crowd));
});

test('a request that fails fails every caller that waits for it', async () => {
  const on = setUp(100);
  on.leave();
  const asks = Array.from({ length: 50 }, (_, n) => on.ask(n));
  const ends = await done(on.clock, Promise.allSettled(asks));
  expect(ends.every((end) => end.status === 'rejected' && end.reason instanceof ApiUnavailable)).toBe(true);
});

test('a group with many calls that wait delays another one by one request', async () => {
  const on = setUp(400);
  const client = withSharedReads(on.client, on.clock, ({ requestId = '' }) => requestId);
  const ask = (n: number, group: string) =>
    fetchRecords(client, 'zone', { name: `r${n}`, type: 'A' }, { requestId: group });
  const flood = Array.from({ length: 350 }, (_, n) => ask(n, 'flood'));
  await on.clock.advance(2);
  const start = on.clock.now();
  expect(await done(on.clock, ask(399, 'other'))).toEqual([on.recordOf(399)]);
  // One request is in flight, and the next one holds at most 100 of the 350 names.
  expect(on.clock.now() - start).toBeLessThanOrEqual(30);
  await done(on.clock, Promise.all(flood));
});
