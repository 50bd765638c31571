// Contract K1 and Q9: every operation requires a key. A missing or invalid key is answered 401 before any other check.
import { describe, expect, test } from 'vitest';
import { type Method, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, admin } = service;
const zone = await service.zone('requests.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const records = `/zones/${zone.id}/records`;
const body = { name: 'www', type: 'A', content: '192.0.2.2' };

const { id } = zone;
const OPERATIONS: [title: string, method: Method, path: string, body?: object][] = [
  ['GET /zones', 'GET', '/zones'],
  ['GET /zones?zoneName', 'GET', '/zones?zoneName=requests.example'],
  ['GET /zones?suffix_of', 'GET', '/zones?suffix_of=www.requests.example'],
  ['POST /zones', 'POST', '/zones', { zoneName: 'unauthorized.example', owner: `org:${admin.team}` }],
  ['GET /zones/{id}', 'GET', `/zones/${id}`],
  ['PATCH /zones/{id}', 'PATCH', `/zones/${id}`, { defaultTtl: 60 }],
  ['DELETE /zones/{id}', 'DELETE', `/zones/${id}`],
  ['POST /zones/{id}/park', 'POST', `/zones/${id}/park`],
  ['POST /zones/{id}/unpark', 'POST', `/zones/${id}/unpark`],
  ['GET /zones/{id}/ds', 'GET', `/zones/${id}/ds`],
  ['GET /zones/{id}/records', 'GET', records],
  ['POST /zones/{id}/records', 'POST', records, body],
  ['PUT /zones/{id}/records/{recordId}', 'PUT', `${records}/${record.id}`, body],
  ['DELETE /zones/{id}/records/{recordId}', 'DELETE', `${records}/${record.id}`],
];

const [secret] = admin.text.split('_').slice(-1);
const WRONG_KEYS: [string, string | null][] = [
  ['no key', null],
  ['an empty key', ''],
  ['a key that does not exist', `yk_000000000000_${'0'.repeat(64)}`],
  ['the right id with another secret', `yk_${admin.id}_${'0'.repeat(64)}`],
  ['the right secret with another id', `yk_000000000000_${secret}`],
  ['something that is not a key', "x' or 1=1 --"],
  ['a key too long', `${admin.text}0`],
];

describe.each(OPERATIONS)('%s', (title, method, path, sent) => {
  test.each(WRONG_KEYS)(`${title} is 401 unauthorized with %s`, async (_, key) => {
    const reply = await request(method, path, sent, key);
    expect(refusal(reply)).toBe('401 unauthorized');
    expect(reply.body.message).toMatch(/invalid or missing api key/i);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });
});

test('another scheme than Bearer is 401; the word itself is taken in any case (RFC 9110 section 11.1)', async () => {
  const status = async (authorization: string) =>
    (await request('GET', '/zones', undefined, null, { authorization })).status;
  expect(await status(`Basic ${Buffer.from(`x:${admin.text}`).toString('base64')}`)).toBe(401);
  expect(await status(admin.text)).toBe(401);
  expect(await status(`bearer ${admin.text}`)).toBe(200);
});
