// Reads of a client in turns: by group, page by page, and given up with their signal.
import { expect, it } from 'vitest';
import { Limit } from '#base/limit.ts';
import type { Client } from '#client/client.ts';
import { readsInTurns } from '#client/turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A service whose every answer takes 10 ms; the groups are the request ids. */
function setUp(permits: number) {
  const clock = new FakeClock();
  const order: string[] = [];
  const answer = async (what: string) => {
    order.push(what);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
    return what;
  };
  const plain = {
    account: () => answer('account'),
    zones: {
      get: (id: string) => answer(id),
      nodes: (id: string) => answer(`nodes of ${id}`),
      secondaries: (id: string) => answer(`secondaries of ${id}`),
    },
    records: {
      list: (id: string) => answer(`records of ${id}`),
      pages: async function* (id: string) {
        for (const page of [1, 2, 3]) yield [await answer(`${id} page ${page}`)];
      },
    },
    owners: {
      pages: async function* (id: string) {
        for (const page of [1, 2, 3]) yield [await answer(`${id} page ${page}`)];
      },
    },
  };
  const limit = new Limit({ permits, isFair: true });
  const client = readsInTurns(plain as unknown as Client, ({ requestId = '', signal }, work) =>
    limit.run(requestId, work, signal),
  );
  return { clock, client, order };
}

it('a group with many reads delays another one only by the reads in flight', async () => {
  const { clock, client, order } = setUp(2);
  for (let n = 0; n < 100; n += 1) void client.zones.get(`a${n}`, { requestId: 'a' });
  await clock.advance(5);
  void client.records.list('b', {}, { requestId: 'b' });
  await clock.advance(1);
  expect(order).toEqual(['a0', 'records of b']);
});

it.each([
  ['records', (client: Client) => client.records.pages('long', {}, 1, { requestId: 'a' })],
  ['owners', (client: Client) => client.owners.pages('long', {}, { requestId: 'a' })],
])('each page of a list of %s is a turn', async (_what, pages) => {
  const { clock, client, order } = setUp(1);
  const readAll = async () => {
    for await (const _page of pages(client));
  };
  void client.zones.get('first', { requestId: 'b' });
  const all = readAll();
  await clock.advance(1);
  expect(order).toEqual(['first']);
  await clock.advance(10);
  void client.zones.get('short', { requestId: 'b' });
  await clock.advance(100);
  await all;
  expect(order).toEqual(['first', 'long page 1', 'short', 'long page 2', 'long page 3']);
});

it('the questions for nodes and for the account do not wait', async () => {
  const { clock, client, order } = setUp(1);
  for (let n = 0; n < 5; n += 1) void client.zones.get(`zone${n}`);
  void client.zones.nodes('zone', 0);
  void client.account();
  await clock.advance(1);
  expect(order.toSorted()).toEqual(['account', 'nodes of zone', 'zone0']);
});

it('a read that is given up while it waits is not sent', async () => {
  const { clock, client, order } = setUp(1);
  const abort = new AbortController();
  const first = client.zones.get('first');
  const second = expect(client.zones.secondaries('second', { signal: abort.signal })).rejects.toThrow('enough');
  await clock.advance(1);
  abort.abort(new Error('enough'));
  await second;
  await clock.advance(50);
  expect(await first).toBe('first');
  expect(order).toEqual(['first']);
});
