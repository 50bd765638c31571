// The permissions of a key in its own team: levels and grants for single zones (contract K3 to K5).
import { expect, test } from 'vitest';
import { type Method, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('rights.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const records = `/zones/${zone.id}/records`;
const body = { name: 'new', type: 'A', content: '192.0.2.2' };
const as = async (key: string, method: Method, path: string, sent?: object) => {
  const reply = await request(method, path, sent, key);
  return reply.status < 300 ? reply.status : refusal(reply);
};

const use = async (key: { text: string }) => ({
  zone: await as(key.text, 'GET', `/zones/${zone.id}`),
  ds: await as(key.text, 'GET', `/zones/${zone.id}/ds`),
  list: await as(key.text, 'GET', records),
  create: await as(key.text, 'POST', records, body),
  update: await as(key.text, 'PUT', `${records}/${record.id}`, { name: 'www', type: 'A', content: '192.0.2.1' }),
  delete: await as(key.text, 'DELETE', `${records}/rec_00000000000000000000`),
  park: await as(key.text, 'POST', `/zones/${zone.id}/unpark`),
  create_zone: await as(key.text, 'POST', '/zones', {
    zoneName: 'rights.example',
    owner: zone.owner,
  }),
});
const no = '403 forbidden';

test('a key with read may read and nothing else', async () => {
  expect(await use(await service.key({ records: 'read', manageZones: 'none' }))).toEqual({
    zone: 200,
    ds: 200,
    list: 200,
    create: no,
    update: no,
    delete: no,
    park: no,
    create_zone: no,
  });
});

test('a key with records write needs no zone-management permission for records (contract K4)', async () => {
  const key = await service.key({ records: 'write', manageZones: 'none' });
  expect(await use(key)).toEqual({
    zone: 200,
    ds: 200,
    list: 200,
    create: 201,
    update: 200,
    delete: '404 not_found',
    park: no,
    create_zone: no,
  });
});

test('a key that manages zones sees zones but no records', async () => {
  expect(await use(await service.key({ records: 'none', manageZones: 'write' }))).toEqual({
    zone: 200,
    ds: 200,
    list: no,
    create: no,
    update: no,
    delete: no,
    park: 200,
    create_zone: '409 conflict',
  });
});

test('a key without any permission sees nothing of its own team', async () => {
  const gone = '404 no_zone';
  expect(await use(await service.key({ records: 'none', manageZones: 'none' }))).toEqual({
    zone: '404 not_found',
    ds: gone,
    list: gone,
    create: gone,
    update: gone,
    delete: gone,
    park: gone,
    create_zone: no,
  });
});

test('a key with a grant for one zone has that zone only', async () => {
  const other = await service.zone();
  const key = await service.key({ records: 'none', manageZones: 'none', grants: { [other.id]: 'write' } });
  const { body: list } = await request('GET', '/zones', undefined, key.text);
  expect((list.zones as { id: string }[]).map(({ id }) => id)).toEqual([other.id]);
  expect(await as(key.text, 'POST', `/zones/${other.id}/records`, body)).toBe(201);
  expect(await as(key.text, 'POST', records, body)).toBe('404 no_zone');
  expect(await as(key.text, 'DELETE', `/zones/${other.id}`)).toBe(no);
});

test('a key with a lower grant for one zone has less there than elsewhere', async () => {
  const [hidden, shown] = [await service.zone(), await service.zone()];
  const key = await service.key({ manageZones: 'none', grants: { [hidden.id]: 'none', [shown.id]: 'read' } });
  expect(await as(key.text, 'GET', `/zones/${hidden.id}`)).toBe('404 not_found');
  expect(await as(key.text, 'GET', `/zones/${hidden.id}/records`)).toBe('404 no_zone');
  expect(await as(key.text, 'GET', `/zones/${shown.id}/records`)).toBe(200);
  expect(await as(key.text, 'POST', `/zones/${shown.id}/records`, body)).toBe(no);
  expect(await as(key.text, 'POST', records, { ...body, name: 'elsewhere' })).toBe(201);
  const { body: list } = await request('GET', '/zones', undefined, key.text);
  const ids = (list.zones as { id: string }[]).map(({ id }) => id);
  expect(ids).toContain(shown.id);
  expect(ids).not.toContain(hidden.id);
});

test('pages of a list stay full when zones between are hidden from the key', async () => {
  const zones = [];
  for (const name of ['p1.pages', 'p2.pages', 'p3.pages', 'p4.pages']) zones.push(await service.zone(name));
  const [, p2, p3] = zones;
  const key = await service.key({ manageZones: 'none', grants: { [p2?.id ?? '']: 'none', [p3?.id ?? '']: 'none' } });
  const seen: string[] = [];
  let query = '?limit=2';
  for (let pages = 0; pages < 20; pages++) {
    const { body: page } = await request('GET', `/zones${query}`, undefined, key.text);
    seen.push(...(page.zones as { zoneName: string }[]).map(({ zoneName }) => zoneName));
    if (page.next === undefined) break;
    query = `?limit=2&cursor=${page.next}`;
  }
  expect(seen.filter((name) => name.endsWith('.pages'))).toEqual(['p1.pages', 'p4.pages']);
});
