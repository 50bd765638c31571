// Existing records (contract R2 to R6): list, update, delete, and their history.
import { expect, test } from 'vitest';
import type { DnsRecord } from '#contract/record.ts';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('records.example');
const path = `/zones/${zone.id}/records`;
const list = async (query = '', of = path) =>
  (await request('GET', `${of}${query}`)).body as { records: DnsRecord[]; next?: string };

test('GET /zones/{id}/records is complete, in canonical order, with filters and pages', async () => {
  const other = await service.zone();
  const of = `/zones/${other.id}/records`;
  await Promise.all(
    ['b', 'a', '@', 'x.a', '*'].map((name) => service.record(other, name, 'A', '192.0.2.1', { ttl: 60 })),
  );
  await service.record(other, 'a', 'MX', 'mail.example.net', { priority: 0 });
  const all = (await list('', of)).records;
  expect(all.map(({ name, type }) => `${name} ${type}`)).toEqual(['@ A', '* A', 'a A', 'a MX', 'x.a A', 'b A']);
  const names = async (query: string) => (await list(query, of)).records.map(({ name, type }) => `${name} ${type}`);
  expect(await names('?name=A')).toEqual(['a A', 'a MX']);
  expect(await names('?type=MX')).toEqual(['a MX']);
  expect(await names('?content=192.0.2.1&name=b')).toEqual(['b A']);
  expect(await names('?name=nowhere')).toEqual([]);
  expect(await names('?names=b,X.A,nowhere,not%20a%20name')).toEqual(['x.a A', 'b A']);
  expect(await names('?names=a,b&type=A')).toEqual(['a A', 'b A']);
  expect(await names('?names=a&name=b')).toEqual([]);
  expect(await names('?names=not%20a%20name')).toEqual([]);
  for (const wrong of ['', 'a,,b', Array.from({ length: 101 }, (_, n) => `n${n}`).join(','), 'a'.repeat(256)])
    expect(refusal(await request('GET', `${of}?names=${wrong}`))).toBe('400 bad_request');
  expect(await names('?name=not%20a%20name')).toEqual([]);
  expect(refusal(await request('GET', `${of}?type=SPF`))).toBe('400 bad_request');
  const paged: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < 9; pages++) {
    const { records, next } = await list(`?limit=2${cursor}`, of);
    expect(records.length).toBe(2);
    paged.push(...records.map(({ id }) => id));
    if (next === undefined) break;
    cursor = `&cursor=${next}`;
  }
  expect(paged).toEqual(all.map(({ id }) => id));
  expect(refusal(await request('GET', `${of}?cursor=bm9uc2Vuc2U`))).toBe('400 bad_request');
});

test('a filter by content with its type finds the value in any spelling', async () => {
  const other = await service.zone();
  const { id } = await service.record(other, 'six', 'AAAA', '2001:db8::1');
  const query = `?type=AAAA&content=${encodeURIComponent('2001:0DB8:0::0001')}`;
  expect((await list(query, `/zones/${other.id}/records`)).records.map((record) => record.id)).toEqual([id]);
});

test('each record keeps its own ttl, and DNS answers the lowest of the set as it is now', async () => {
  const other = await service.zone('ttls.example');
  const at = `/zones/${other.id}/records`;
  const long = await service.record(other, 'www', 'A', '192.0.2.1', { ttl: 600 });
  const short = await service.record(other, 'www', 'A', '192.0.2.2', { ttl: 120 });
  const served = async () => (await service.dns.lookup('www.ttls.example', 'A')).answers;
  const ttls = async () => (await list('', at)).records.map(({ ttl }) => ttl).sort((a, b) => a - b);
  expect(await ttls()).toEqual([120, 600]);
  await expect.poll(served).toEqual(['www.ttls.example 120 A 192.0.2.1', 'www.ttls.example 120 A 192.0.2.2']);
  await request('PUT', `${at}/${long.id}`, { name: 'www', type: 'A', content: '192.0.2.1', ttl: 60 });
  expect(await ttls()).toEqual([60, 120]);
  await expect.poll(served).toEqual(['www.ttls.example 60 A 192.0.2.1', 'www.ttls.example 60 A 192.0.2.2']);
  await request('DELETE', `${at}/${long.id}`);
  await expect.poll(served).toEqual([`www.ttls.example ${short.ttl} A 192.0.2.2`]);
});

test('PUT /zones/{id}/records/{recordId} replaces content, ttl and priority and answers the full record; an omitted field gets its default', async () => {
  const record = await service.record(zone, 'put', 'MX', 'one.example.net', { ttl: 300, priority: 5 });
  const put = (body: object) => request('PUT', `${path}/${record.id}`, body);
  const full = await put({ name: 'put', type: 'MX', content: 'two.example.net', ttl: 60, priority: 7 });
  expect([full.status, full.body]).toEqual([200, { ...record, content: 'two.example.net', ttl: 60, priority: 7 }]);
  const bare = await put({ name: 'PUT', type: 'MX', content: 'two.example.net' });
  expect(bare.body).toEqual({ ...record, content: 'two.example.net', ttl: 3600, priority: 10 });
  expect((await service.dns.lookup('put.records.example', 'MX')).answers).toEqual([
    'put.records.example 3600 MX 10 two.example.net',
  ]);
});

test('PUT /zones/{id}/records/{recordId} keeps name and type', async () => {
  const record = await service.record(zone, 'kept', 'A', '192.0.2.1');
  const put = async (body: object) => refusal(await request('PUT', `${path}/${record.id}`, body));
  expect(await put({ name: 'other', type: 'A', content: '192.0.2.1' })).toBe('400 bad_request');
  expect(await put({ name: 'kept', type: 'AAAA', content: '2001:db8::1' })).toBe('400 bad_request');
  expect(await put({ name: 'kept', type: 'A' })).toBe('400 bad_request');
  expect(await put({ name: 'kept', type: 'A', content: 'x' })).toBe('400 bad_request');
});

test('PUT /zones/{id}/records/{recordId} that changes nothing keeps serial and history unchanged', async () => {
  const record = await service.record(zone, 'same', 'A', '192.0.2.1', { ttl: 60 });
  const before = await request('GET', `/zones/${zone.id}`);
  const reply = await request('PUT', `${path}/${record.id}`, {
    name: 'same',
    type: 'A',
    content: '192.0.2.1',
    ttl: 60,
  });
  expect([reply.status, reply.body]).toEqual([200, record]);
  expect((await request('GET', `/zones/${zone.id}`)).body).toEqual(before.body);
});

test('PUT /zones/{id}/records/{recordId} for an unknown record is not_found, for an unknown zone no_zone', async () => {
  const body = { name: 'www', type: 'A', content: '192.0.2.1' };
  expect(refusal(await request('PUT', `${path}/rec_00000000000000000000`, body))).toBe('404 not_found');
  expect(refusal(await request('PUT', '/zones/zone_0/records/rec_0', body))).toBe('404 no_zone');
});

test('DELETE /zones/{id}/records/{recordId} is 204 without a body, and not_found the second time', async () => {
  const record = await service.record(zone, 'deleted', 'A', '192.0.2.1');
  const reply = await request('DELETE', `${path}/${record.id}`);
  expect([reply.status, reply.text]).toEqual([204, '']);
  expect(refusal(await request('DELETE', `${path}/${record.id}`))).toBe('404 not_found');
  expect(refusal(await request('DELETE', '/zones/zone_0/records/rec_0'))).toBe('404 no_zone');
});

test('a record id of another zone is not_found, and the record is unchanged', async () => {
  const other = await service.zone();
  const record = await service.record(other, 'mine', 'A', '192.0.2.1');
  const body = { name: 'mine', type: 'A', content: '192.0.2.2' };
  expect(refusal(await request('PUT', `${path}/${record.id}`, body))).toBe('404 not_found');
  expect(refusal(await request('DELETE', `${path}/${record.id}`))).toBe('404 not_found');
  expect((await list('', `/zones/${other.id}/records`)).records).toEqual([record]);
});

test('each change increases the serial and adds one history entry with the author and the change', async () => {
  const other = await service.zone();
  const of = `/zones/${other.id}/records`;
  const headers = { 'x-request-id': 'history-1' };
  const body = { name: 'h', type: 'A', content: '192.0.2.1' };
  const { id } = (await request('POST', of, body, undefined, headers)).body;
  await request('PUT', `${of}/${id}`, { ...body, content: '192.0.2.2' });
  await request('DELETE', `${of}/${id}`);
  const rows = await service.sql`
    select action, key_id, request_id, serial::int, before->>'content' as before, after->>'content' as after
    from changes where zone_id = ${other.id} order by id`;
  expect(rows.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['zone.create', null, null],
    ['record.create', null, '192.0.2.1'],
    ['record.update', '192.0.2.1', '192.0.2.2'],
    ['record.delete', '192.0.2.2', null],
  ]);
  const serials = rows.map(({ serial }) => serial as number);
  expect(serials).toEqual([...new Set(serials)].sort((a, b) => a - b));
  expect((await request('GET', `/zones/${other.id}`)).body.serial).toBe(serials.at(-1));
  expect([rows[1]?.request_id, rows[1]?.key_id]).toEqual(['history-1', service.admin.id]);
});
