// Unusual clients. Correct variants of HTTP must work, and wrong ones are refused with the usual error body (contract
// E1), in every layer that detects them.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { errorBody } from '#contract/error.ts';
import { sendBare } from '../../support/http/bare.ts';
import { type Method, refusal } from '../../support/http/requests.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { request, admin, url } = service;
const zone = await service.zone('http.example');
const records = `/zones/${zone.id}/records`;
let names = 0;
const fresh = () => ({ name: `h${++names}`, type: 'TXT', content: 'x' });
const auth = `Authorization: Bearer ${admin.text}\r\n`;
const json = 'Content-Type: application/json\r\n';

/** @param head lines of headers, each with its line end. Host is included */
const bare = (line: string, head: string, body: string | Uint8Array = '') =>
  sendBare(
    url,
    Buffer.concat([
      Buffer.from(`${line} HTTP/1.1\r\nHost: api\r\n${head}Connection: close\r\n\r\n`),
      Buffer.from(body),
    ]),
  );
/** Like `refusal`, for an answer from a raw socket. */
function bareRefusal({ status, head, body }: Awaited<ReturnType<typeof sendBare>>): string {
  expect(errorBody.strict().safeParse(body).error).toBeUndefined();
  expect(head).toMatch(/\r\ncontent-type: application\/json/);
  expect(head).toMatch(/\r\nx-request-id: [\w-]{36}(\r\n|$)/);
  return `${status} ${body.error}`;
}

test.each<[Method, string, string]>([
  ['PUT', '/zones', 'GET, HEAD, POST'],
  ['DELETE', '/zones', 'GET, HEAD, POST'],
  ['OPTIONS', '/zones', 'GET, HEAD, POST'],
  ['POST', `/zones/${zone.id}`, 'GET, HEAD, PATCH, DELETE'],
  ['GET', `/zones/${zone.id}/park`, 'POST'],
  ['POST', `${records}/rec_0`, 'GET, HEAD, PUT, DELETE'],
  ['PATCH', `${records}/rec_0`, 'GET, HEAD, PUT, DELETE'],
  ['GET', `${records}:batch`, 'POST'],
  ['POST', `/zones/${zone.id}/zonefile`, 'GET, HEAD, PUT'],
  ['DELETE', '/../account', 'GET, HEAD'],
])(
  'a method that an address does not have is 405 with Allow (RFC 9110 section 15.5.6): %s %s',
  async (method, path, allow) => {
    const reply = await request(method, path, method === 'GET' ? undefined : { a: 1 });
    expect([refusal(reply), reply.headers.allow]).toEqual(['405 bad_request', allow]);
    expect(refusal(await request(method, path, undefined, null))).toBe('401 unauthorized');
  },
);

test('HEAD answers like GET, without the body', async () => {
  for (const path of ['/zones', `/zones/${zone.id}`, records, '/zones/zone_0']) {
    const [head, get] = [await request('HEAD', path), await request('GET', path)];
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      get.status,
      '',
      get.headers['content-length'],
    ]);
  }
});

const types = ['application/json', 'application/x-www-form-urlencoded', 'application/octet-stream', 'nonsense'];
test.each(types)('an operation without a body does not mind an empty one that is called %s', async (type) => {
  const { id } = await service.record(zone, `e${types.indexOf(type)}`, 'A', '192.0.2.1');
  const head = `${auth}Content-Type: ${type}\r\nContent-Length: 0\r\n`;
  expect((await bare(`DELETE /v1/dns${records}/${id}`, head)).status).toBe(204);
  expect((await bare(`POST /v1/dns/zones/${zone.id}/unpark`, head)).status).toBe(200);
  expect((await bare(`DELETE /v1/dns${records}/${id}`, `${auth}Content-Type: ${type}\r\n`)).status).toBe(404);
});

test.each([
  ['fields', { name: 'www' }],
  ['a list', [1]],
  ['a text', '"www"'],
  ['a body that is not JSON', 'www'],
])('an operation without a body refuses %s, which would not mean what it says, and does nothing', async (_, body) => {
  expect(refusal(await request('DELETE', `/zones/${zone.id}`, body))).toBe('400 bad_request');
  expect(refusal(await request('POST', `/zones/${zone.id}/park`, body))).toBe('400 bad_request');
  expect((await request('GET', `/zones/${zone.id}`)).body).toMatchObject({ id: zone.id, state: 'active' });
});

test('the bytes of a body that are not UTF-8 are refused, and not converted to other characters (RFC 8259 section 8.1)', async () => {
  const body = Buffer.from('{"name":"latin","type":"TXT","content":"caf\xe9"}', 'latin1');
  const head = `${auth}${json}Content-Length: ${body.length}\r\n`;
  expect(bareRefusal(await bare(`POST /v1/dns${records}`, head, body))).toBe('400 bad_request');
});

test('the bytes of a body may begin with a byte order mark, and come in chunks', async () => {
  const body = Buffer.from(`\ufeff${JSON.stringify({ ...fresh(), content: 'ümlaut' })}`);
  const half = Math.floor(body.length / 2) + 3;
  const chunks = [body.subarray(0, half), body.subarray(half)].flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  const bytes = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
  const reply = await bare(`POST /v1/dns${records}`, `${auth}${json}Transfer-Encoding: chunked\r\n`, bytes);
  expect([reply.status, reply.body.content]).toEqual([201, 'ümlaut']);
});

test('the bytes of a body must not be compressed: the error is 415 and says so', async () => {
  const reply = await request('POST', records, fresh(), undefined, { 'content-encoding': 'gzip' });
  expect([refusal(reply), reply.headers['accept-encoding']]).toEqual(['415 bad_request', 'identity']);
  const plain = await request('POST', records, fresh(), undefined, { 'content-encoding': 'identity' });
  expect(plain.status).toBe(201);
});

test.each(['', 'null'])(
  'the body %j of an operation that needs one is refused: the message says that it is empty',
  async (body) => {
    const reply = await request('POST', records, body);
    expect([refusal(reply), reply.body.message]).toEqual(['400 bad_request', 'The body is empty: send a JSON object.']);
  },
);

test.each([
  ['two lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
  ['a chunk without a size', 'Transfer-Encoding: chunked\r\n'],
])('a body with %s is refused', async (_, head) => {
  const reply = await bare(`POST /v1/dns${records}`, `${auth}${json}${head}`, 'zz\r\nx\r\n0\r\n\r\n');
  expect(bareRefusal(reply)).toBe('400 bad_request');
});

const body = JSON.stringify({ name: 'expected', type: 'TXT', content: 'x' });
test.each(['100-continue', 'something-else'])(
  'Expect with %s is accepted (RFC 9110 section 10.1.1)',
  async (expectation) => {
    const head = `${auth}${json}Content-Length: ${body.length}\r\nExpect: ${expectation}\r\n`;
    const sent = body.replace('expected', `expected-${expectation}`);
    const length = head.replace(/Length: \d+/, `Length: ${sent.length}`);
    expect((await bare(`POST /v1/dns${records}`, length, sent)).status).toBe(201);
  },
);

describe('headers that may come once only', () => {
  const get = (head: string) => sendBare(url, `GET /v1/dns/zones HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
  test.each([
    ['no Host', auth],
    ['two Hosts', `Host: a\r\nHost: b\r\n${auth}`],
    ['two keys', `Host: a\r\n${auth}Authorization: Bearer yk_x\r\n`],
  ])('a header that may come once only is 400: %s', async (_, head) => {
    expect(bareRefusal(await get(head))).toBe('400 bad_request');
  });

  test('HTTP/1.0 does not require Host', async () => {
    const reply = await sendBare(url, `GET /v1/dns/zones HTTP/1.0\r\n${auth}\r\n`);
    expect([reply.status, reply.closed]).toEqual([200, true]);
  });
});

describe('addresses', () => {
  const get = async (path: string) => bare(`GET ${path}`, auth);
  test.each([
    ['bytes that are not UTF-8', '/v1/dns/zones/%ff', '400 bad_request'],
    ['an id of 3,000 characters', `/v1/dns/zones/${'a'.repeat(3_000)}`, '414 bad_request'],
    ['an id of 500 characters', `/v1/dns/zones/${'a'.repeat(500)}`, '404 not_found'],
    ['NUL', '/v1/dns/zones/%00', '404 not_found'],
    ['a slash inside an id', `/v1/dns/zones/${zone.id}%2Frecords`, '404 not_found'],
    ['two slashes', `/v1/dns//zones/${zone.id}`, '404 not_found'],
    ['a slash too many', `/v1/dns/zones/${zone.id}/`, '404 not_found'],
    ['capitals', '/v1/dns/ZONES', '404 not_found'],
    ['a way up', `/v1/dns/zones/../zones/${zone.id}`, '404 not_found'],
  ])('an address with %s is refused', async (_, path, expected) => {
    const reply = await get(path);
    expect(bareRefusal(reply)).toBe(expected);
    expect(String(reply.body.message).length).toBeLessThan(400);
  });

  test.each([
    ['an unreserved character percent-encoded', `/v1/dns/%7Aones/%7a${zone.id.slice(1)}`],
    ['in absolute form', `http://api/v1/dns/zones/${zone.id}`],
  ])('the addresses %s are equivalent', async (_, path) => {
    expect((await get(path)).body.id).toBe(zone.id);
  });

  test.each(['zoneName=a.example&zoneName=b.example', 'suffix_of=a.b&suffix_of=c.d', 'limit=1&limit=2'])(
    'a query parameter twice is 400: %s',
    async (query) => {
      expect(bareRefusal(await get(`/v1/dns/zones?${query}`))).toBe('400 bad_request');
    },
  );
});

test('one connection serves many requests, sent one behind the other without waiting', async () => {
  const once = (connection: string) =>
    `GET /v1/dns/zones?zoneName=none.example HTTP/1.1\r\nHost: a\r\n${auth}Connection: ${connection}\r\n\r\n`;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(once('keep-alive').repeat(9) + once('close'));
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text.match(/HTTP\/1.1 200 /g)).toHaveLength(10);
});

test('PUT accepts the answer of GET, with its id, but no other id', async () => {
  const record = await service.record(zone, 'back', 'A', '192.0.2.1', { ttl: 60 });
  const put = (body: object) => request('PUT', `${records}/${record.id}`, body);
  expect((await put({ ...record, content: '192.0.2.2' })).body).toEqual({ ...record, content: '192.0.2.2' });
  expect(refusal(await put({ ...record, id: 'rec_0' }))).toBe('400 bad_request');
  expect(refusal(await request('POST', records, { ...record, name: 'fresh' }))).toBe('400 bad_request');
});
