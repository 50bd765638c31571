// Contract L1 to L6: 60 record writes and 10 zone writes in 60 seconds for each key. Tests move the counted writes in
// time; only the last test really waits.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../../support/http/requests.ts';
import type { TestKey } from '../../../../support/service/keys.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ limits: true, busyAfterMs: 60_000, nameserver: false });
const { request, sql } = service;
const zone = await service.zone('limits.example');
const records = `/zones/${zone.id}/records`;
let names = 0;

const write = (key: TestKey, content = '192.0.2.1') =>
  request('POST', records, { name: `w${++names}`, type: 'A', content }, key.text);
const many = (n: number, send: () => Promise<Reply>) => Promise.all(Array.from({ length: n }, send));
const statuses = (replies: Reply[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
/** Acts as if this many seconds had passed. */
const pass = (key: TestKey, seconds: number) => sql`
  update write_windows set times = array(select t - make_interval(secs => ${seconds}) from unnest(times) t)
  where key_id = ${key.id}`;
/** The seconds until the oldest write of the window leaves it. */
const untilNext = async (key: TestKey, bucket = 'records'): Promise<number> => {
  const [row] = await sql`select 60 - extract(epoch from clock_timestamp() - min(t))::float as seconds
    from write_windows, unnest(times) t
    where key_id = ${key.id} and bucket = ${bucket} and t > clock_timestamp() - interval '60 seconds'`;
  return row?.seconds;
};
/** Sends a request that the limit refuses. Its Retry-After says when the oldest write leaves the window. */
async function expectRefused(key: TestKey, send: () => Promise<Reply>, bucket = 'records'): Promise<Reply> {
  const most = Math.ceil(await untilNext(key, bucket));
  const reply = await send();
  const least = Math.floor(await untilNext(key, bucket));
  expect(refusal(reply)).toBe('429 rate_limited');
  const seconds = Number(reply.headers['retry-after']);
  expect([seconds, seconds >= least, seconds <= most]).toEqual([seconds, true, true]);
  return reply;
}
const taken = async (key: TestKey, bucket: string) =>
  (await sql`select cardinality(times) as n from write_windows where key_id = ${key.id} and bucket = ${bucket}`)[0]
    ?.n ?? 0;

test('challenges count in a window of their own, which a bulk of records of the same key does not empty', async () => {
  const key = await service.key();
  const challenge = (name: string, type = 'TXT', content = '"token"') =>
    request('POST', records, { name: `${name}${++names}`, type, content }, key.text);
  expect(statuses(await many(60, () => write(key)))).toEqual({ 201: 60 });
  expect((await write(key)).status).toBe(429);
  const created = await challenge('_acme-challenge.c');
  expect([created.status, created.headers['ratelimit-policy']]).toEqual([201, '"challenges";q=60;w=60']);
  expect(created.headers.ratelimit).toMatch(/^"challenges";r=59;t=\d+$/);
  const set = (name: string) => ({ owner: 'o', name, type: 'TXT', values: [{ content: '"token"' }] });
  const apply = (...sets: object[]) => request('POST', `/zones/${zone.id}/records:apply`, { sets }, key.text);
  const create = (name: string) => ({ action: 'create', record: { name, type: 'TXT', content: '"token"' } });
  const batch = (...changes: object[]) => request('POST', `${records}:batch`, { changes }, key.text);
  expect((await apply(set('_Acme-Challenge.s1'), set('_acme-challenge.s2'))).status).toBe(200);
  expect((await batch(create('_acme-challenge.b1'))).status).toBe(200);
  const patch = await fetch(`${service.url}/api/v1/servers/localhost/zones/limits.example.`, {
    method: 'PATCH',
    headers: { 'x-api-key': key.text, 'content-type': 'application/json' },
    body: JSON.stringify({
      rrsets: [
        {
          ...{ name: '_acme-challenge.p.limits.example.', type: 'TXT', ttl: 60, changetype: 'REPLACE' },
          records: [{ content: '"token"', disabled: false }],
        },
      ],
    }),
  });
  expect(patch.status).toBe(204);
  expect(await taken(key, 'challenges')).toBe(5);
  // A request of both needs a place in both windows, and takes none if one is full.
  expect((await batch(create('_acme-challenge.b2'), create('b3'))).status).toBe(429);
  expect((await apply(set('_acme-challenge.s3'), set('s4'))).status).toBe(429);
  expect(await taken(key, 'challenges')).toBe(5);
  // No other record passes for a challenge.
  const changed = {
    action: 'update',
    id: created.body.id,
    record: { name: '_acme-challenge', type: 'TXT', content: 'x' },
  };
  expect((await batch(changed)).status).toBe(429);
  expect((await challenge('_acme-challenge.a', 'A', '192.0.2.1')).status).toBe(429);
  expect((await challenge('x._acme-challenge.a')).status).toBe(429);
  expect((await challenge('_acme-challenges.a')).status).toBe(429);
  // Their window ends too, and then only they are refused.
  await pass(key, 61);
  expect(statuses(await many(60, () => challenge('_acme-challenge.m')))).toEqual({ 201: 60 });
  expect((await challenge('_acme-challenge.m')).status).toBe(429);
  const mixed = await batch(create('b4'), create('_acme-challenge.b5'));
  expect(mixed.status).toBe(429);
  expect([await taken(key, 'challenges'), (await write(key)).status]).toEqual([60, 201]);
});

test('a request of challenges and other records counts each in its window', async () => {
  const key = await service.key();
  const create = (name: string) => ({ action: 'create', record: { name, type: 'TXT', content: '"token"' } });
  const changes = [create('_acme-challenge.both'), create('both1'), create('both2')];
  const reply = await request('POST', `${records}:batch`, { changes }, key.text);
  expect([await taken(key, 'challenges'), await taken(key, 'records')]).toEqual([1, 2]);
  expect(reply.headers['ratelimit-policy']).toBe('"records";q=60;w=60, "challenges";q=60;w=60');
});

test('the 61st record write within a minute is 429 rate_limited with Retry-After in whole seconds', async () => {
  const key = await service.key();
  expect(statuses(await many(60, () => write(key)))).toEqual({ 201: 60 });
  const reply = await expectRefused(key, () => write(key));
  expect(reply.body.message).toMatch(/slow down/i);
  expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  const seconds = Number(reply.headers['retry-after']);
  // A request before it is refused, and one after it succeeds.
  await pass(key, Math.max(0, seconds - 15));
  expect((await write(key)).status).toBe(429);
  await pass(key, Math.min(15, seconds));
  expect((await write(key)).status).toBe(201);
});

test('61 writes at once are 60 and one: no request slips through', async () => {
  const key = await service.key();
  expect(statuses(await many(61, () => write(key)))).toEqual({ 201: 60, 429: 1 });
});

test('the window slides: writes become possible one by one, and Retry-After gives the time until the next one', async () => {
  const key = await service.key({ recordWrites: 3 });
  await write(key);
  await pass(key, 25);
  await write(key);
  await pass(key, 15);
  await write(key);
  await expectRefused(key, () => write(key));
  await pass(key, 21);
  expect((await write(key)).status).toBe(201);
  const again = await expectRefused(key, () => write(key));
  expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(24);
});

test('a write that is refused by the limit is not counted: a request after Retry-After succeeds', async () => {
  const key = await service.key({ recordWrites: 2 });
  await many(2, () => write(key));
  await pass(key, 30);
  await many(10, () => write(key));
  await pass(key, 31);
  expect((await write(key)).status).toBe(201);
});

test('create, update and delete of records count, failed ones too; reading does not', async () => {
  const key = await service.key();
  const { body } = await write(key);
  await request('PUT', `${records}/${body.id}`, { ...body, id: undefined, priority: undefined }, key.text);
  await request('DELETE', `${records}/${body.id}`, undefined, key.text);
  expect(await taken(key, 'records')).toBe(3);
  expect((await write(key, 'no address')).status).toBe(400);
  expect((await request('DELETE', `${records}/rec_0`, undefined, key.text)).status).toBe(404);
  expect((await request('POST', '/zones/zone_0/records', {}, key.text)).status).toBe(400);
  for (const path of [records, `${records}:batch`, `/zones/${zone.id}/records:apply`])
    expect((await request('POST', path, '{', key.text)).status).toBe(400);
  expect(await taken(key, 'records')).toBe(9);
  await request('GET', records, undefined, key.text);
  await request('GET', '/zones', undefined, key.text);
  expect([await taken(key, 'records'), await taken(key, 'zones')]).toEqual([9, 0]);
});

test('create, delete, park, unpark and change of zones have a limit of their own: 10 in a minute', async () => {
  const key = await service.key();
  const create = (zoneName: string) => request('POST', '/zones', { zoneName, owner: zone.owner }, key.text);
  const { body } = await create('bucket.example');
  for (const verb of ['park', 'unpark']) await request('POST', `/zones/${body.id}/${verb}`, undefined, key.text);
  await request('PATCH', `/zones/${body.id}`, { defaultTtl: 60 }, key.text);
  await request('DELETE', `/zones/${body.id}`, undefined, key.text);
  for (let n = 0; n < 4; n++) expect(refusal(await create('a..b'))).toBe('400 bad_request');
  expect((await create('tenth.example')).status).toBe(200);
  await expectRefused(key, () => create('eleventh.example'), 'zones');
  expect((await write(key)).status).toBe(201);
});

test('write limits belong to the key: another key of the team has limits of its own', async () => {
  const [one, two] = [await service.key({ recordWrites: 1 }), await service.key({ recordWrites: 1 })];
  expect((await write(one)).status).toBe(201);
  expect((await write(one)).status).toBe(429);
  expect((await write(two)).status).toBe(201);
});

test('write limits are shared by all replicas', async () => {
  const key = await service.key({ recordWrites: 10 });
  const replica = await service.anotherApi();
  let turn = 0;
  const replies = await many(20, () => {
    const api = ++turn % 2 === 0 ? request : replica.request;
    return api('POST', records, { name: `r${turn}`, type: 'A', content: '192.0.2.1' }, key.text);
  });
  expect(statuses(replies)).toEqual({ 201: 10, 429: 10 });
});

test('write limits do not count requests without a valid key', async () => {
  const key = await service.key();
  expect((await request('POST', records, {}, `${key.text.slice(0, -64)}${'0'.repeat(64)}`)).status).toBe(401);
  expect(await taken(key, 'records')).toBe(0);
});

test('write limits are in the answer to every write: the policy and the remaining writes', async () => {
  const key = await service.key();
  const headers = async () => {
    const { headers: all } = await write(key);
    return [all['ratelimit-policy'], all.ratelimit];
  };
  expect(await headers()).toEqual(['"records";q=60;w=60', '"records";r=59;t=60']);
  expect((await headers())[1]).toBe('"records";r=58;t=60');
});

test('a request after a real wait for Retry-After succeeds', async () => {
  const key = await service.key({ recordWrites: 1 });
  await write(key);
  await pass(key, 52);
  const reply = await write(key);
  expect(reply.status).toBe(429);
  await sleep(Number(reply.headers['retry-after']) * 1_000);
  expect((await write(key)).status).toBe(201);
});
