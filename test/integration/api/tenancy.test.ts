// Teams beside each other: what is another team's does not exist, and its names cannot be taken (DESIGN 3).
import { describe, expect, test } from 'vitest';
import { type Method, refusal } from '../../support/api.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('tenants.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const second = await service.key({ team: 'second' });
const records = `/zones/${zone.id}/records`;
const body = { name: 'new', type: 'A', content: '192.0.2.2' };
const own = `org:${second.team}`;
const as = async (key: string, method: Method, path: string, sent?: object) => {
  const reply = await request(method, path, sent, key);
  return reply.status < 300 ? reply.status : refusal(reply);
};

describe("another team's zone", () => {
  test.each([
    ['get', 'GET', `/zones/${zone.id}`, undefined, '404 not_found'],
    ['change', 'PATCH', `/zones/${zone.id}`, { defaultTtl: 60 }, '404 no_zone'],
    ['delete', 'DELETE', `/zones/${zone.id}`, undefined, '404 no_zone'],
    ['park', 'POST', `/zones/${zone.id}/park`, undefined, '404 no_zone'],
    ['unpark', 'POST', `/zones/${zone.id}/unpark`, undefined, '404 no_zone'],
    ['ds', 'GET', `/zones/${zone.id}/ds`, undefined, '404 no_zone'],
    ['list records', 'GET', records, undefined, '404 no_zone'],
    ['create a record', 'POST', records, body, '404 no_zone'],
    ['update a record', 'PUT', `${records}/${record.id}`, { ...body, name: 'www' }, '404 no_zone'],
    ['delete a record', 'DELETE', `${records}/${record.id}`, undefined, '404 no_zone'],
  ] as const)('does not exist for: %s', async (_, method, path, sent, expected) => {
    expect(await as(second.text, method, path, sent)).toBe(expected);
  });

  test('answers a foreign id and an id that never was in the same words', async () => {
    const text = async (id: string) => (await request('GET', `/zones/${id}/ds`, undefined, second.text)).text;
    expect(await text(zone.id)).toBe(await text('zone_00000000000000000000'));
  });

  test('is in no list and no search', async () => {
    for (const query of ['', '?zoneName=tenants.example', '?limit=1000']) {
      expect((await request('GET', `/zones${query}`, undefined, second.text)).body).toEqual({ zones: [] });
    }
    expect(await as(second.text, 'GET', '/zones?suffix_of=www.tenants.example')).toBe('404 not_found');
  });

  test.each(['tenants.example', 'TENANTS.example.', 'sub.tenants.example', 'a.b.tenants.example', 'example'])(
    'cannot be overlapped: %s is 409, without naming the team',
    async (zoneName) => {
      const reply = await request('POST', '/zones', { zoneName, owner: own }, second.text);
      expect(refusal(reply)).toBe('409 conflict');
      expect(reply.text).not.toContain(service.admin.team);
      expect(reply.text).not.toContain(zone.id);
    },
  );

  test('does not keep others from names beside it', async () => {
    expect(await as(second.text, 'POST', '/zones', { zoneName: 'xtenants.example', owner: own })).toBe(200);
  });

  test('stays out of reach of a grant that names it', async () => {
    const key = await service.key({ team: 'second', grants: { [zone.id]: 'write' } });
    expect(await as(key.text, 'GET', records)).toBe('404 no_zone');
    expect(await as(key.text, 'POST', records, body)).toBe('404 no_zone');
  });
});
