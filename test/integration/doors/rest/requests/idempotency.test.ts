// Idempotency-Key: a repeated POST is carried out once and gets the same answer again.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ busyAfterMs: 15_000 });
const { request, sql, admin } = service;
const replica = await service.anotherApi();
const zone = await service.zone('once.example');
const records = `/zones/${zone.id}/records`;
let tokens = 0;
const fresh = () => ({ 'idempotency-key': `token-${++tokens}` });
const body = (name: string, content = '192.0.2.1') => ({ name, type: 'A', content });
/** As clients do, this sends a request again that a stalled machine refuses as busy. */
async function unlessBusy(send: () => ReturnType<typeof request>) {
  for (let again = 0; ; again += 1) {
    const reply = await send();
    if (reply.status !== 503 || again === 5) return reply;
  }
}
const count = async (name: string) =>
  (await sql`select count(*)::int as n from records where name = ${name}`)[0]?.n as number;

test('the same request again gets the same answer, and makes no second record, serial or row of history', async () => {
  const headers = fresh();
  const first = await request('POST', records, body('again'), undefined, headers);
  const history = await sql`select count(*)::int as n from changes`;
  for (const api of [request, replica.request]) {
    const second = await api('POST', records, body('again'), undefined, headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
  }
  expect(await count('again')).toBe(1);
  expect(await sql`select count(*)::int as n from changes`).toEqual(history);
});

test('the answer stays the same after the record was changed or deleted', async () => {
  const headers = fresh();
  const first = await request('POST', records, body('gone'), undefined, headers);
  await request('DELETE', `${records}/${first.body.id}`);
  const second = await request('POST', records, body('gone'), undefined, headers);
  expect([second.status, second.body]).toEqual([201, first.body]);
  expect(await count('gone')).toBe(0);
});

test('the order of the fields does not matter, their values do: 409', async () => {
  const headers = fresh();
  await request('POST', records, { name: 'order', type: 'A', content: '192.0.2.1', ttl: 60 }, undefined, headers);
  const turned = '{"ttl":60,"content":"192.0.2.1","type":"A","name":"order"}';
  expect((await request('POST', records, turned, undefined, headers)).status).toBe(201);
  expect(refusal(await request('POST', records, body('order', '192.0.2.2'), undefined, headers))).toBe('409 conflict');
  const other = await service.zone();
  const elsewhere = await request('POST', `/zones/${other.id}/records`, body('order'), undefined, headers);
  expect(refusal(elsewhere)).toBe('409 conflict');
});

test('a token belongs to its key', async () => {
  const headers = fresh();
  const other = await service.key();
  expect((await request('POST', records, body('mine'), undefined, headers)).status).toBe(201);
  expect((await request('POST', records, body('theirs'), other.text, headers)).status).toBe(201);
});

test('a zone is created once', async () => {
  const headers = fresh();
  const create = () => request('POST', '/zones', { zoneName: 'one.once.test', owner: zone.owner }, undefined, headers);
  const first = await create();
  const second = await create();
  expect([second.status, second.body]).toEqual([200, first.body]);
});

test('park requires an Idempotency-Key too', async () => {
  const headers = fresh();
  const other = await service.zone();
  const park = () => request('POST', `/zones/${other.id}/park`, undefined, undefined, headers);
  expect([(await park()).status, (await park()).status]).toEqual([200, 200]);
  expect((await park()).body.state).toBe('parked');
});

describe('20 of one request at the same moment, at two replicas', () => {
  const both = (n: number, send: (api: typeof request) => ReturnType<typeof request>) =>
    Promise.all(Array.from({ length: n }, (_, i) => unlessBusy(() => send(i % 2 === 0 ? request : replica.request))));

  test('20 of one request at the same moment, at two replicas create one record and get 20 equal answers', async () => {
    for (let round = 0; round < 5; round++) {
      const headers = fresh();
      const replies = await both(20, (api) => api('POST', records, body(`many${round}`), undefined, headers));
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(replies[0]?.status).toBe(201);
      expect(await count(`many${round}`)).toBe(1);
    }
  });

  test('20 of one request at the same moment, at two replicas create one zone and get 20 equal answers', async () => {
    const headers = fresh();
    const sent = { zoneName: 'many.once.test', owner: zone.owner };
    const replies = await both(20, (api) => api('POST', '/zones', sent, undefined, headers));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(200);
  });
});

test('repetitions do not wait for each other while the database writes its log', async () => {
  const headers = fresh();
  const sent = { zoneName: 'log.once.test', owner: zone.owner };
  const first = await request('POST', '/zones', sent, undefined, headers);
  // In place of a slow disk: statements that wait for the log wait for a lock of this test.
  await sql.unsafe(`
    create schema slow;
    create function slow.pg_logical_emit_message(boolean, text, text) returns pg_lsn language sql
      as 'select pg_advisory_xact_lock(7); select null::pg_lsn';
    alter database ${service.database.name} set search_path = slow, pg_catalog, public`);
  const slow = await service.anotherApi();
  const waiting = async () =>
    (await sql`select from pg_locks where locktype = 'advisory' and objid = 7 and objsubid = 1 and not granted`).count;
  const { replies } = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(7)`;
    const repeated = [1, 2, 3].map(() => slow.request('POST', '/zones', sent, undefined, headers));
    await expect.poll(waiting, { timeout: 12_000 }).toBe(repeated.length);
    return { replies: repeated };
  });
  for (const { status, body } of await Promise.all(replies)) expect([status, body]).toEqual([200, first.body]);
});

test('the answer is stored in the transaction of the change: never one without the other', async () => {
  const headers = fresh();
  const { body: made } = await request('POST', records, body('atomic'), undefined, headers);
  const [row] = await sql`
    select i.xmin::text = r.xmin::text as with_record, i.xmin::text = c.xmin::text as with_history, answer
    from idempotency i, records r, changes c
    where i.token = ${headers['idempotency-key']} and r.id = ${made.id as string} and c.after->>'id' = r.id`;
  expect(row).toEqual({ with_record: true, with_history: true, answer: made });
  // If the database refuses to store the answer, the change is rolled back.
  await sql`alter table idempotency add constraint no_more check (token <> 'never-kept')`;
  const reply = await request('POST', records, body('lost'), undefined, { 'idempotency-key': 'never-kept' });
  expect([reply.status, await count('lost')]).toEqual([500, 0]);
  service.log.length = 0; // The test causes this error on purpose.
  await sql`alter table idempotency drop constraint no_more`;
  expect(admin.id).toBeTruthy();
});

test('PUT and DELETE ignore an Idempotency-Key', async () => {
  const { body: record } = await request('POST', records, body('put'));
  const headers = fresh();
  const at = `${records}/${record.id}`;
  const contents = [];
  for (const content of ['192.0.2.2', '192.0.2.3']) {
    const reply = await request('PUT', at, body('put', content), undefined, headers);
    contents.push([reply.status, reply.body.content]);
  }
  // The second request differs but has the same key. A POST would be refused.
  expect(contents).toEqual([
    [200, '192.0.2.2'],
    [200, '192.0.2.3'],
  ]);
  expect((await request('DELETE', at, undefined, undefined, headers)).status).toBe(204);
  // A stored answer would be 204 again.
  expect((await request('DELETE', at, undefined, undefined, headers)).status).toBe(404);
  expect(await sql`select token from idempotency where token = ${headers['idempotency-key']}`).toEqual([]);
});
