// The rules for every request: error bodies (contract E1), request ids, and malformed requests.
import { connect } from 'node:net';
import { request as rawRequest } from 'undici';
import { expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, admin } = service;
const zone = await service.zone('requests.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const records = `/zones/${zone.id}/records`;
const body = { name: 'www', type: 'A', content: '192.0.2.2' };

const { id } = zone;

test.each([
  ['an unknown path', 'GET', '/unknown'],
  ['a path too deep', 'GET', '/zones/a/b/c'],
  ['a record of its own', 'GET', `/zones/${id}/record/${record.id}`],
  ['OPTIONS of an unknown path', 'OPTIONS', '/unknown'],
] as const)('%s does not exist: 404 not_found with the usual body', async (_, method, path) => {
  expect(refusal(await request(method, path))).toBe('404 not_found');
});

test('outside of /v1/dns the error body is the same, and a long address is not repeated', async () => {
  for (const path of ['/', '/v2/dns/zones', `/${'x'.repeat(5_000)}`]) {
    const answer = await rawRequest(`${service.url}${path}`);
    const reply = (await answer.body.json()) as { error: string; message: string };
    expect([answer.statusCode, reply.error]).toEqual([404, 'not_found']);
    expect(reply.message.length).toBeLessThan(400);
  }
});

const send = (content: string, type?: string) =>
  request('POST', records, content, undefined, type === undefined ? {} : { 'content-type': type });
test.each([
  ['broken JSON', '{"name": "www"'],
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"www"'],
  ['a prototype in disguise', '{"__proto__": {"name": "www"}}'],
  ['a number too large for its field', '{"name":"www","type":"A","content":"192.0.2.9","ttl":1e999}'],
])('a body that cannot be read is 400 bad_request: %s', async (_, content) => {
  expect(refusal(await send(content))).toBe('400 bad_request');
});

test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
  'a body that cannot be read is 415 as %s',
  async (type) => {
    const reply = await send(JSON.stringify(body), type);
    expect(refusal(reply)).toBe('415 bad_request');
    expect(reply.body.message).toMatch(/content-type: application\/json/i);
  },
);

test('a body that cannot be read is 413 when it is larger than 1 MiB', async () => {
  expect(refusal(await send(JSON.stringify({ ...body, content: 'x'.repeat(1_100_000) })))).toBe('413 bad_request');
});

test('a body that cannot be read is refused, and the error names the wrong field', async () => {
  const reply = await request('POST', records, { ...body, ttl: 1, colour: 'red' });
  expect(refusal(reply)).toBe('400 bad_request');
  expect(reply.body.message).toMatch(/ttl/);
  expect(reply.body.message).toMatch(/colour/);
});

test('JSON with a charset is JSON, and requests without a body may have its content type', async () => {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  expect((await request('POST', records, { ...body, name: 'charset' }, undefined, type)).status).toBe(201);
  expect((await request('POST', `/zones/${zone.id}/unpark`, undefined, undefined, type)).status).toBe(200);
  expect((await request('POST', `/zones/${zone.id}/unpark`, {})).status).toBe(200);
});

test('every answer has x-request-id: the sent one if it is valid, otherwise a new one', async () => {
  const idOf = async (given?: string, path = '/zones') =>
    (await request('GET', path, undefined, undefined, given === undefined ? {} : { 'x-request-id': given })).headers[
      'x-request-id'
    ];
  expect(await idOf('trace-1.a:b/c')).toBe('trace-1.a:b/c');
  expect(await idOf('trace-2', '/unknown')).toBe('trace-2');
  const [first, second] = [await idOf(), await idOf()];
  expect(first).toMatch(/^[\w-]{36}$/);
  expect(second).not.toBe(first);
  for (const unfit of ['', 'a b', 'x'.repeat(129), '<script>', "';--"])
    expect(await idOf(unfit)).toMatch(/^[\w-]{36}$/);
  expect((await request('GET', '/zones', undefined, null)).headers['x-request-id']).toBeDefined();
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1.1 400 /],
  ['a broken percent escape', `GET /v1/dns/zones/%zz HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1.1 400 /],
  ['headers too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
  ['a body length that lies', 'POST /v1/dns/zones HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', /^HTTP\/1.1 400 /],
])('on a raw socket, %s is refused and the service keeps running', async (_, sent, expected) => {
  expect(await bare(sent)).toMatch(expected);
  expect((await request('GET', '/zones')).status).toBe(200);
});

test('GET /v1/account answers the holder of the key', async () => {
  const account = async (key: string) => {
    const answer = await rawRequest(`${service.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
  };
  const expiresAt = new Date(Date.now() + 3_600_000);
  const key = await service.key({ records: 'read', manageZones: 'none', onlyTypes: ['TXT'], expiresAt });
  expect(await account(key.text)).toEqual({
    status: 200,
    body: {
      key: {
        id: key.id,
        name: 'test',
        records: 'read',
        manageZones: 'none',
        clusters: 'write',
        signals: [],
        zoneWrites: null,
        recordWrites: null,
        onlyNames: null,
        onlyTypes: ['TXT'],
        expiresAt: expiresAt.toISOString(),
      },
      team: { id: admin.team, name: 'first', quota: expect.any(Object) },
    },
  });
  expect((await account('yk_x')).status).toBe(401);
});

function bare(text: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk;
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(answer));
  });
}
