// An Idempotency-Key for each creation of a batch: the record is created once, even if the creation is repeated in a
// batch or as a POST of its own.
import { expect, test } from 'vitest';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const zone = await service.zone('batch-once.example');
const records = `/zones/${zone.id}/records`;
const record = (name: string, content = '192.0.2.1') => ({ name, type: 'A', content });
const create = (name: string, idempotencyKey: string, content?: string) => ({
  action: 'create',
  record: record(name, content),
  idempotencyKey,
});
interface Result {
  readonly status: number;
  readonly message: string;
  readonly record: { readonly id: string };
}
const batch = async (...changes: object[]): Promise<{ body: { results: [Result, Result] } }> => {
  const { body } = await request('POST', `${records}:batch`, { atomic: false, changes });
  return { body: { results: body.results as [Result, Result] } };
};
const count = async (name: string) =>
  (await sql`select count(*)::int as n from records where name = ${name}`)[0]?.n as number;

test('a repeated batch gets the same answers and writes nothing', async () => {
  const first = await batch(create('a', 'a-1'), create('b', 'b-1'));
  const changes = await sql`select count(*)::int as n from changes`;
  const second = await batch(create('b', 'b-1'), create('a', 'a-1'));
  expect(second.body.results).toEqual([...first.body.results].reverse());
  expect(await sql`select count(*)::int as n from changes`).toEqual(changes);
});

test('a POST alone and a change in a batch are one request', async () => {
  const alone = await request('POST', records, record('c'), undefined, { 'idempotency-key': 'c-1' });
  const inBatch = await batch(create('c', 'c-1'), create('d', 'd-1'));
  expect(inBatch.body.results[0]).toEqual({ status: 201, record: alone.body, etag: alone.headers.etag });
  const again = await request('POST', records, record('d'), undefined, { 'idempotency-key': 'd-1' });
  expect([again.status, again.body]).toEqual([201, inBatch.body.results[1].record]);
  expect([await count('c'), await count('d')]).toEqual([1, 1]);
});

test('the answer stays the same after the record was deleted, and no record is created', async () => {
  const first = await batch(create('e', 'e-1'));
  await request('DELETE', `${records}/${first.body.results[0].record.id}`);
  expect((await batch(create('e', 'e-1'))).body).toEqual(first.body);
  expect(await count('e')).toBe(0);
});

test('a key of another request fails alone', async () => {
  await batch(create('f', 'f-1'));
  const { body } = await batch(create('f', 'f-1', '192.0.2.9'), create('g', 'g-1'));
  expect(body.results.map(({ status }) => status)).toEqual([409, 201]);
});

test('a refusal is not stored: the same key works after the obstacle was removed', async () => {
  const { body } = await batch(create('h', 'h-0'));
  expect((await batch(create('h', 'h-1'))).body.results[0].status).toBe(409);
  await request('DELETE', `${records}/${body.results[0].record.id}`);
  expect((await batch(create('h', 'h-1'))).body.results[0].status).toBe(201);
});

test('the same key twice in a batch creates one record', async () => {
  const { body } = await batch(create('i', 'i-1'), create('i', 'i-1'));
  expect(body.results[1]).toEqual(body.results[0]);
  expect(await count('i')).toBe(1);
});

test('a malformed key refuses its change alone', async () => {
  const { body } = await batch(create('j', 'with space'), create('k', 'k-1'));
  expect(body.results.map(({ status }) => status)).toEqual([400, 201]);
  expect(body.results[0].message).toContain('idempotencyKey');
});

test('a POST that waits behind a batch of another replica with its key gets the answer of the batch', async () => {
  const replica = await service.anotherApi({ busyAfterMs: 60_000 });
  const other = await service.anotherApi({ busyAfterMs: 60_000 });
  const waiting = async () =>
    (
      await sql`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    )[0]?.n;
  const holder = service.database.connect();
  try {
    const both = await holder.begin(async (tx) => {
      await tx`select from zones where id = ${zone.id} for update`;
      const changes = [create('l', 'l-1')];
      const first = replica.request('POST', `${records}:batch`, { atomic: false, changes });
      await expect.poll(waiting).toBe(1);
      const second = other.request('POST', records, record('l'), undefined, { 'idempotency-key': 'l-1' });
      await expect.poll(waiting).toBe(2);
      return { first, second };
    });
    const [made] = (await both.first).body.results as [Result];
    expect([(await both.second).status, (await both.second).body]).toEqual([201, made.record]);
  } finally {
    await holder.end();
  }
  expect(await count('l')).toBe(1);
});
