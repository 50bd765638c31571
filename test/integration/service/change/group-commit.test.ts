// Requests that wait for the same zone in one process are committed together: one transaction, and each request
// succeeds or fails alone, with its own serial, history and answer.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const BUSY_AFTER_MS = 60_000;
const service = await startTestService({
  limits: true,
  busyAfterMs: BUSY_AFTER_MS,
  nameserver: false,
  settings: { ZONESTEAD_QUOTA_RECORDS: '5' },
});
const { request, sql, database } = service;
const manyWrites = { recordWrites: 100_000, zoneWrites: 100_000 };
const key = await service.key(manyWrites);
const body = (name: string, content = '192.0.2.1', type = 'A') => ({ name, type, content });

type Send = () => Promise<Reply>;
interface Context {
  path: string;
  post: (name: string, content?: string, headers?: Record<string, string>) => Send;
}

/** A zone of a team of its own, because the quota is counted by team. */
async function newZone(): Promise<Context & { id: string; text: string }> {
  const own = await service.key({ ...manyWrites, team: `team${Math.random()}` });
  const zone = await service.zone(undefined, own);
  const path = `/zones/${zone.id}/records`;
  const post: Context['post'] = (name, content, headers) => () =>
    request('POST', path, body(name, content), own.text, headers);
  return { id: zone.id, path, text: own.text, post };
}

/** Places taken in write windows: a request takes its place right before it joins the queue of its zone. */
const placesTaken = async () =>
  Number(
    (await sql`select coalesce(sum(cardinality(times)), 0) as n from write_windows where bucket = 'records'`)[0]?.n,
  );
const lockWaiters = (on: Sql) => on`select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query not like 'insert into write_windows%'`;

/** Sends, and waits until the request is in the queue. */
async function queued(send: Send, places = 1): Promise<Promise<Reply>[]> {
  const before = await placesTaken();
  const reply = send();
  reply.catch(() => undefined);
  await expect.poll(placesTaken).toBe(before + places);
  await sleep(100);
  return [reply];
}

/**
 * The first request waits for the row of the zone, which another transaction holds. The others wait behind it in the
 * process, and have their turn together.
 */
async function together(
  zoneId: string,
  first: Send | [Send, number],
  others: readonly (Send | [Send, number])[],
): Promise<Reply[]> {
  const replies: Promise<Reply>[] = [];
  const holder = database.connect();
  try {
    await holder.begin(async (tx) => {
      await tx`select from zones where id = ${zoneId} for update`;
      replies.push(...(await (Array.isArray(first) ? queued(...first) : queued(first))));
      await expect.poll(async () => (await lockWaiters(sql)).length).toBe(1);
      for (const other of others) replies.push(...(await (Array.isArray(other) ? queued(...other) : queued(other))));
    });
  } finally {
    await holder.end();
  }
  return Promise.all(replies);
}

const historyOf = (zoneId: string) => sql<{ name: string; xid: string; serial: number; request: string }[]>`
  select coalesce(after, before)->>'name' as name, xmin::text as xid, serial::int, request_id as request
  from changes where zone_id = ${zoneId} and action like 'record.%' order by id`;
const outcomes = (replies: readonly Reply[]) =>
  replies.map((reply) => (reply.status < 300 ? String(reply.status) : refusal(reply)));
const namesOf = async (zoneId: string) =>
  (await sql`select r.name from records r join zones z on z.no = r.zone_no where z.id = ${zoneId} order by r.name`).map(
    ({ name }) => name,
  );

test('one of several requests with the same condition is made, because each is judged after the requests before it', async () => {
  const { id, path, text, post } = await newZone();
  const stored = await request('POST', path, body('stored'), text);
  const etag = async (of: string) => ({ 'if-match': String((await request('GET', of, undefined, text)).headers.etag) });
  // It waits for the row and changes nothing, so that the requests behind it find the state with their tag.
  const nothing = () => request('PATCH', `/zones/${id}`, { defaultTtl: 3600 }, text);
  const state = await etag(path);
  const refused = '412 precondition_failed';
  const creations = await together(
    id,
    [nothing, 0],
    ['a', 'b', 'c'].map((name) => post(name, undefined, state)),
  );
  expect(outcomes(creations)).toEqual(['200', '201', refused, refused]);
  const own = `${path}/${stored.body.id}`;
  const now = await etag(own);
  // A comment alone leaves the serial as it is.
  const comment = (at: string, headers: Record<string, string>) => (word: string) => () =>
    at === own
      ? request('PUT', own, { ...body('stored'), comment: word }, text, headers)
      : request(
          'POST',
          at,
          { changes: [{ action: 'update', id: stored.body.id, record: { ...body('stored'), comment: word } }] },
          text,
          headers,
        );
  const updates = await together(id, [nothing, 0], ['x', 'y', 'z'].map(comment(own, now)));
  expect(outcomes(updates)).toEqual(['200', '200', refused, refused]);
  const batches = await together(id, [nothing, 0], ['u', 'v', 'w'].map(comment(`${path}:batch`, await etag(path))));
  expect(outcomes(batches)).toEqual(['200', '200', refused, refused]);
});

test('one transaction holds all requests, and each has its serial, history entry and answer, in the order of arrival', async () => {
  const { id, post, path, text } = await newZone();
  const replies = await together(id, post('n0'), [
    post('n1', undefined, { 'x-request-id': 'the-second' }),
    post('n2'),
    post('n3'),
  ]);
  expect(outcomes(replies)).toEqual(['201', '201', '201', '201']);
  expect(replies.map((reply) => reply.body.name)).toEqual(['n0', 'n1', 'n2', 'n3']);
  const history = await historyOf(id);
  expect(history.map(({ name }) => name)).toEqual(['n0', 'n1', 'n2', 'n3']);
  expect(history[1]?.request).toBe('the-second');
  expect(new Set(history.slice(1).map(({ xid }) => xid)).size).toBe(1);
  const serials = history.map(({ serial }) => serial);
  expect(serials).toEqual([...new Set(serials)].sort((a, b) => a - b));
  expect((await request('GET', `/zones/${id}`, undefined, text)).body.serial).toBe(serials.at(-1));
  const { records } = (await request('GET', path, undefined, text)).body as { records: { id: string }[] };
  expect(records.map((record) => record.id).sort()).toEqual(replies.map((reply) => reply.body.id).sort());
});

test('a refused request leaves the others as they are, and later ones see the records of earlier ones', async () => {
  const { id, post, path, text } = await newZone();
  const alias = () => request('POST', path, body('same', 'x.example', 'CNAME'), text);
  const replies = await together(id, post('n0'), [post('same'), alias, post('same'), post('last')]);
  expect(outcomes(replies)).toEqual(['201', '201', '409 conflict', '409 conflict', '201']);
  expect(await namesOf(id)).toEqual(['last', 'n0', 'same']);
  expect((await historyOf(id)).map(({ name }) => name)).toEqual(['n0', 'same', 'last']);
});

test('an atomic batch with a fault changes nothing, and another batch makes its other changes', async () => {
  const { id, post, path, text } = await newZone();
  const create = (name: string, content?: string) => ({ action: 'create', record: body(name, content) });
  const batch =
    (atomic: boolean, ...changes: object[]): Send =>
    () =>
      request('POST', `${path}:batch`, { atomic, changes }, text);
  const replies = await together(id, post('n0'), [
    [batch(true, create('gone'), create('wrong', 'no address')), 2],
    // The same name: free, because the batch before it was refused as a whole.
    post('gone'),
    [batch(false, create('kept'), create('gone')), 2],
  ]);
  expect(outcomes(replies)).toEqual(['201', '400 bad_request', '201', '200']);
  expect(replies[1]?.body.message).toMatch(/^changes\.1\.content: /);
  const results = replies[3]?.body.results as { status: number }[];
  expect(results.map(({ status }) => status)).toEqual([201, 409]);
  expect(await namesOf(id)).toEqual(['gone', 'kept', 'n0']);
  const history = await historyOf(id);
  expect(history.map(({ name }) => name)).toEqual(['n0', 'gone', 'kept']);
  expect(new Set(history.slice(1).map(({ xid }) => xid)).size).toBe(1);
});

test('one Idempotency-Key twice makes one record and two equal answers, and is refused for another request', async () => {
  const { id, post } = await newZone();
  const once = { 'idempotency-key': 'twice' };
  const replies = await together(id, post('n0'), [
    post('once', undefined, once),
    post('once', undefined, once),
    post('other', undefined, once),
  ]);
  expect(outcomes(replies)).toEqual(['201', '201', '201', '409 conflict']);
  expect(replies[2]?.text).toBe(replies[1]?.text);
  expect(await namesOf(id)).toEqual(['n0', 'once']);
});

test('an update and a deletion of one record have their effects one after the other', async () => {
  const { id, post, path, text } = await newZone();
  const { id: record } = (await post('changing')()).body;
  const update = (content: string) => () => request('PUT', `${path}/${record}`, body('changing', content), text);
  const remove = () => request('DELETE', `${path}/${record}`, undefined, text);
  const replies = await together(id, post('n0'), [
    update('192.0.2.2'),
    update('192.0.2.3'),
    remove,
    update('192.0.2.4'),
  ]);
  expect(outcomes(replies)).toEqual(['201', '200', '200', '204', '404 not_found']);
  const entries = await sql`select action, before->>'content' as before, after->>'content' as after
    from changes where zone_id = ${id} and coalesce(after, before)->>'name' = 'changing' order by id`;
  expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['record.create', null, '192.0.2.1'],
    ['record.update', '192.0.2.1', '192.0.2.2'],
    ['record.update', '192.0.2.2', '192.0.2.3'],
    ['record.delete', '192.0.2.3', null],
  ]);
});

test('the quota is reached in the middle: those before it are written, those after it refused', async () => {
  const { id, post } = await newZone();
  const replies = await together(
    id,
    post('n0'),
    Array.from({ length: 6 }, (_, n) => post(`n${n + 1}`)),
  );
  expect(outcomes(replies)).toEqual([...Array(5).fill('201'), '403 forbidden', '403 forbidden']);
  expect(await namesOf(id)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
});

test('the failure of the transaction reaches all requests, and nothing is written', async () => {
  const { id, post } = await newZone();
  const [first, second] = [database.connect(), database.connect()];
  try {
    let held: Promise<unknown> = Promise.resolve();
    let replies: Promise<Reply>[] = [];
    const isHeldAgain = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    await first.begin(async (tx) => {
      await tx`select from zones where id = ${id} for update`;
      replies = await queued(post('n0'));
      await expect.poll(async () => (await lockWaiters(sql)).length).toBe(1);
      for (const name of ['n1', 'n2', 'n3']) replies.push(...(await queued(post(name))));
      // Behind the first request, and before the group.
      held = second.begin(async (again) => {
        await again`select from zones where id = ${id} for update`;
        isHeldAgain.resolve();
        await mayEnd.promise;
      });
      await expect.poll(async () => (await lockWaiters(sql)).length).toBe(2);
    });
    await isHeldAgain.promise;
    await expect.poll(async () => (await lockWaiters(sql)).length).toBe(1);
    const [waiter] = await lockWaiters(sql);
    await sql`select pg_terminate_backend(${waiter?.pid as number})`;
    const answers = await Promise.all(replies);
    mayEnd.resolve();
    await held;
    expect(outcomes(answers)).toEqual(['201', '503 internal', '503 internal', '503 internal']);
    for (const { body, headers } of answers.slice(1)) {
      expect([body.message, headers['retry-after']]).toEqual([expect.stringContaining('Nothing was written'), '1']);
    }
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
  expect(await namesOf(id)).toEqual(['n0']);
  expect((await historyOf(id)).map(({ name }) => name)).toEqual(['n0']);
  expect((await post('n4')()).status).toBe(201);
});

test('the change of a client that is gone before its turn is not written', async () => {
  const { id, path, text, post } = await newZone();
  const leave: Send = async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const content = JSON.stringify(body('gone'));
    const head = [
      `POST /v1/dns${path} HTTP/1.1`,
      'Host: api',
      `Authorization: Bearer ${text}`,
      'Content-Type: application/json',
      `Content-Length: ${content.length}`,
    ];
    const before = await placesTaken();
    socket.write(`${head.join('\r\n')}\r\n\r\n${content}`);
    await expect.poll(placesTaken).toBe(before + 1);
    await sleep(100);
    socket.destroy();
    return post('stays')();
  };
  const replies = await together(id, post('n0'), [[leave, 2], post('n1')]);
  expect(outcomes(replies)).toEqual(['201', '201', '201']);
  expect(await namesOf(id)).toEqual(['n0', 'n1', 'stays']);
});

test('each request of a group waits as long as the setting says: one that joined later is not busy with the first', async () => {
  const { request: impatient } = await service.anotherApi({ busyAfterMs: 6_000 });
  const own = await service.zone(undefined, key);
  const to = (name: string) => () => impatient('POST', `/zones/${own.id}/records`, body(name), key.text);
  const holder = database.connect();
  try {
    let replies: Promise<Reply>[] = [];
    await holder.begin(async (tx) => {
      await tx`select from zones where id = ${own.id} for update`;
      replies = await queued(to('first'));
      replies.push(...(await queued(to('second'))));
      await sleep(4_000);
      replies.push(...(await queued(to('third'))));
      expect(refusal(await (replies[0] as Promise<Reply>))).toBe('503 busy');
      expect(refusal(await (replies[1] as Promise<Reply>))).toBe('503 busy');
    });
    expect((await replies[2])?.status).toBe(201);
  } finally {
    await holder.end();
  }
  expect(await namesOf(own.id)).toEqual(['third']);
});
