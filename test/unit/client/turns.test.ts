// Reads of a client in turns: by group, page by page, and given up with their signal.
import { expect, test } from 'vitest';
import { Limit } from '#base/limit.ts';
import type { Client } from '#client/client.ts';
import { fetchRecords, readOwnerPages, readRecordPages } from '#client/lists.ts';
import { readsInTurns } from '#client/turns.ts';
import { getAccount } from '#contract/operations/account.ts';
import { listOwners } from '#contract/operations/owners.ts';
import { listRecords } from '#contract/operations/records.ts';
import { listZoneSecondaries } from '#contract/operations/secondaries.ts';
import { getZone, listZoneNodes } from '#contract/operations/zones.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

/** A service whose every answer takes 10 ms; the groups are the request ids. */
function setUp(permits: number) {
  const clock = new FakeClock();
  const order: string[] = [];
  const answer = async (what: string) => {
    order.push(what);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
    return what;
  };
  /** Three pages, whose cursors are their numbers. */
  const page = async <T>(id: string, cursor: string | undefined, list: T) => {
    const number = Number(cursor ?? 1);
    await answer(`${id} page ${number}`);
    return { ...list, ...(number < 3 ? { next: String(number + 1) } : {}) };
  };
  const plain = fakeClient(
    on(getAccount, () => answer('account') as Promise<never>),
    on(getZone, ({ params: { id } }) => answer(id) as Promise<never>),
    on(listZoneNodes, ({ params: { id } }) => answer(`nodes of ${id}`) as Promise<never>),
    on(listZoneSecondaries, ({ params: { id } }) => answer(`secondaries of ${id}`) as Promise<never>),
    on(listRecords, async ({ params: { id }, query }) => {
      if (query?.limit !== undefined) return page(id, query.cursor, { records: [] });
      await answer(`records of ${id}`);
      return { records: [] };
    }),
    on(listOwners, ({ params: { id }, query }) => page(id, query?.cursor, { owners: [] })),
  );
  const limit = new Limit({ permits, isFair: true });
  const client = readsInTurns(plain, ({ requestId = '', signal }, work) => limit.run(requestId, work, signal));
  return { clock, client, order };
}

test('a group with many reads delays another one only by the reads in flight', async () => {
  const { clock, client, order } = setUp(2);
  for (let n = 0; n < 100; n += 1) void client.call(getZone, { params: { id: `a${n}` } }, { requestId: 'a' });
  await clock.advance(5);
  void fetchRecords(client, 'b', {}, { requestId: 'b' });
  await clock.advance(1);
  expect(order).toEqual(['a0', 'records of b']);
});

test.each([
  ['records', (client: Client) => readRecordPages(client, 'long', {}, 1, { requestId: 'a' })],
  ['owners', (client: Client) => readOwnerPages(client, 'long', {}, { requestId: 'a' })],
])('each page of a list of %s is a turn', async (_what, pages) => {
  const { clock, client, order } = setUp(1);
  const readAll = async () => {
    for await (const _page of pages(client));
  };
  void client.call(getZone, { params: { id: 'first' } }, { requestId: 'b' });
  const all = readAll();
  await clock.advance(1);
  expect(order).toEqual(['first']);
  await clock.advance(10);
  void client.call(getZone, { params: { id: 'short' } }, { requestId: 'b' });
  await clock.advance(100);
  await all;
  expect(order).toEqual(['first', 'long page 1', 'short', 'long page 2', 'long page 3']);
});

test('the questions for nodes and for the account do not wait', async () => {
  const { clock, client, order } = setUp(1);
  for (let n = 0; n < 5; n += 1) void client.call(getZone, { params: { id: `zone${n}` } });
  void client.call(listZoneNodes, { params: { id: 'zone' } });
  void client.call(getAccount, {});
  await clock.advance(1);
  expect(order.toSorted()).toEqual(['account', 'nodes of zone', 'zone0']);
});

test('a read that is given up while it waits is not sent', async () => {
  const { clock, client, order } = setUp(1);
  const abort = new AbortController();
  const first = client.call(getZone, { params: { id: 'first' } });
  const second = expect(
    client.call(listZoneSecondaries, { params: { id: 'second' } }, { signal: abort.signal }),
  ).rejects.toThrow('enough');
  await clock.advance(1);
  abort.abort(new Error('enough'));
  await second;
  await clock.advance(50);
  expect(await first).toBe('first');
  expect(order).toEqual(['first']);
});
