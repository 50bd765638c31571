// Keys that expire, keys that are restricted to networks, and keys that are restricted to names and types.
import { describe, expect, test } from 'vitest';
import { type Method, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const zone = await service.zone('keys.example');
const records = `/zones/${zone.id}/records`;
const as = async (key: string, method: Method, path: string, sent?: object) => {
  const reply = await request(method, path, sent, key);
  return reply.status < 300 ? reply.status : refusal(reply);
};
const HOUR = 3_600_000;

test('a key works until it expires, and not a moment longer', async () => {
  const soon = await service.key({ expiresAt: new Date(Date.now() + HOUR) });
  expect(await as(soon.text, 'GET', '/zones')).toBe(200);
  await sql`update api_keys set expires_at = now() where id = ${soon.id}`;
  expect(await as(soon.text, 'GET', '/zones')).toBe('401 unauthorized');
  const past = await service.key({ expiresAt: new Date(Date.now() - HOUR) });
  expect(await as(past.text, 'GET', '/zones')).toBe('401 unauthorized');
});

test('a key that is revoked stops with the next request', async () => {
  const key = await service.key();
  expect(await as(key.text, 'GET', '/zones')).toBe(200);
  await sql`update api_keys set revoked_at = now() where id = ${key.id}`;
  expect(await as(key.text, 'GET', '/zones')).toBe('401 unauthorized');
  expect(await as(key.text, 'POST', records, { name: 'x', type: 'A', content: '192.0.2.1' })).toBe('401 unauthorized');
});

test('a key works only from its networks', async () => {
  const from = async (...networks: string[]) => as((await service.key({ networks })).text, 'GET', '/zones');
  expect(await from('127.0.0.0/8')).toBe(200);
  expect(await from('127.0.0.1/32')).toBe(200);
  expect(await from('192.0.2.0/24', '127.0.0.1/32', '2001:db8::/32')).toBe(200);
  expect(await from('192.0.2.0/24')).toBe('401 unauthorized');
  expect(await from('127.0.0.2/32')).toBe('401 unauthorized');
  expect(await from('2001:db8::/32')).toBe('401 unauthorized');
  expect(await from()).toBe('401 unauthorized');
});

test('a key cannot claim another network in a header', async () => {
  const key = await service.key({ networks: ['192.0.2.0/24'] });
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
    const reply = await request('GET', '/zones', undefined, key.text, { [header]: '192.0.2.1' });
    expect(refusal(reply)).toBe('401 unauthorized');
  }
});

test('a key records its last use, to the minute', async () => {
  const key = await service.key();
  const lastUse = async () => (await sql`select last_used_at from api_keys where id = ${key.id}`)[0]?.last_used_at;
  expect(await lastUse()).toBe(null);
  const before = Date.now();
  await as(key.text, 'GET', '/zones');
  const first = await lastUse();
  expect([first.getTime() >= before, first.getTime() <= Date.now()]).toEqual([true, true]);
  await as(key.text, 'GET', '/zones');
  expect(await lastUse()).toEqual(first);
});

test('a key is stored as a hash that does not contain the secret', async () => {
  const key = await service.key();
  const secret = key.text.split('_')[2] ?? '';
  const rows = await sql`select to_jsonb(k)::text as row from api_keys k where id = ${key.id}`;
  expect(rows[0]?.row).not.toContain(secret);
  expect(rows[0]?.row).not.toContain(Buffer.from(secret).toString('hex'));
});

describe('a key for challenges only', async () => {
  const acme = await service.key({
    manageZones: 'none',
    onlyNames: ['_acme-challenge', '_acme-challenge.*'],
    onlyTypes: ['TXT'],
  });
  const post = (name: string, type: string, content: string) => as(acme.text, 'POST', records, { name, type, content });

  test('a key for challenges only writes TXT at those names', async () => {
    expect(await post('_acme-challenge', 'TXT', 'token')).toBe(201);
    expect(await post('_acme-challenge.www', 'TXT', 'token')).toBe(201);
    expect(await post('_ACME-Challenge.a.b.keys.example.', 'TXT', 'token')).toBe(201);
  });

  test('a key for challenges only writes no other type and no other name', async () => {
    expect(await post('_acme-challenge', 'CNAME', 'x.example.net')).toBe('403 forbidden');
    expect(await post('www', 'TXT', 'token')).toBe('403 forbidden');
    expect(await post('@', 'TXT', 'token')).toBe('403 forbidden');
    expect(await post('x_acme-challenge', 'TXT', 'token')).toBe('403 forbidden');
    expect(await post('_acme-challengex', 'TXT', 'token')).toBe('403 forbidden');
  });

  test('a key for challenges only changes and deletes its own kind only', async () => {
    const mine = await service.record(zone, '_acme-challenge.del', 'TXT', 'one');
    const foreign = await service.record(zone, 'www', 'A', '192.0.2.1');
    const put = (of: typeof mine) => as(acme.text, 'PUT', `${records}/${of.id}`, { ...of, id: undefined, ttl: 60 });
    expect(await put(mine)).toBe(200);
    expect(await put(foreign)).toBe('403 forbidden');
    expect(await as(acme.text, 'DELETE', `${records}/${foreign.id}`)).toBe('403 forbidden');
    expect(await as(acme.text, 'DELETE', `${records}/${mine.id}`)).toBe(204);
  });

  // A repeated clean-up must see that the record is deleted, as with any other key.
  test('a key for challenges only gets not_found when it deletes a deleted record', async () => {
    expect(await as(acme.text, 'DELETE', `${records}/rec_00000000000000000000`)).toBe('404 not_found');
  });

  test('a key for challenges only finds its zone and reads its records', async () => {
    expect(await as(acme.text, 'GET', '/zones?suffix_of=_acme-challenge.keys.example')).toBe(200);
    expect(await as(acme.text, 'GET', records)).toBe(200);
  });
});
