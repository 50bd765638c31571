// The request id from a caller to the history: the id of the request, and in a batch the id of each change. The api
// logs both.
import { expect, test } from 'vitest';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, sql, log, zone } = service;

async function idsOf(zoneId: string): Promise<[string, string][]> {
  const rows = await sql`
    select request_id, coalesce(after->>'name', before->>'name') as name from changes
    where zone_id = ${zoneId} and action like 'record.%' order by id`;
  return rows.map((row) => [row.name as string, row.request_id as string]);
}

const logged = (id: string) =>
  log.map((line) => JSON.parse(line)).filter(({ requestId, msg }) => requestId === id && /^(write|change)$/.test(msg));

test('each change of a batch has its own id in the history, or that of the batch', async () => {
  const { id } = await zone('batched.example');
  const record = (name: string) => ({ name, type: 'A', content: '192.0.2.1' });
  const old = await service.record({ id }, 'old', 'A', '192.0.2.9');
  const changes = [
    { action: 'create', record: record('one'), requestId: 'run-1' },
    { action: 'create', record: record('two'), requestId: 'run-2', idempotencyKey: 'once' },
    { action: 'create', record: record('three') },
    { action: 'create', record: { ...record('four'), content: 'nowhere' }, requestId: 'run-4' },
    { action: 'update', id: old.id, record: { ...record('old'), ttl: 60 }, requestId: 'run-5' },
  ];
  const headers = { 'x-request-id': 'the-batch' };
  const path = `/zones/${id}/records:batch`;
  const reply = await request('POST', path, { atomic: false, changes }, undefined, headers);
  expect(reply.status).toBe(200);
  expect(reply.headers['x-request-id']).toBe('the-batch');
  expect((await idsOf(id)).slice(1)).toEqual([
    ['one', 'run-1'],
    ['two', 'run-2'],
    ['three', 'the-batch'],
    ['old', 'run-5'],
  ]);
  await expect
    .poll(() => logged('the-batch'))
    .toMatchObject([{ msg: 'write', method: 'POST', zoneId: id, status: 200 }]);
  expect(logged('run-1')).toMatchObject([
    { msg: 'change', batch: 'the-batch', zoneId: id, action: 'create', status: 201 },
  ]);
  expect(logged('run-4')).toMatchObject([{ msg: 'change', status: 400 }]);
  expect(logged('run-5')).toMatchObject([{ msg: 'change', action: 'update', status: 200 }]);
  expect(log.join('')).not.toContain('192.0.2.1');
});

test('an id that a header could not contain is refused, and the error names the field', async () => {
  const { id } = await zone('refused.example');
  for (const requestId of ['', 'two words', 'x'.repeat(129), 7]) {
    const change = { action: 'delete', id: 'rec_0', requestId };
    const { status, body } = await request('POST', `/zones/${id}/records:batch`, { changes: [change] });
    expect([requestId, status, body.error]).toEqual([requestId, 400, 'bad_request']);
    expect(body.message).toContain('requestId');
  }
});

test('a single write is logged with its request id, even if it is refused', async () => {
  const { id } = await zone('alone.example');
  const headers = { 'x-request-id': 'alone-1' };
  const { status } = await request('POST', `/zones/${id}/records`, { name: 'www', type: 'A' }, undefined, headers);
  expect(status).toBe(400);
  await expect.poll(() => logged('alone-1')).toMatchObject([{ msg: 'write', status: 400, keyId: service.admin.id }]);
});
