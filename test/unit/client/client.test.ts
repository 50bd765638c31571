// The REST client against a scripted HTTP server on loopback: its requests, and its reaction to answers and to silence.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Client, createClient } from '#client/client.ts';
import { ApiError, ApiUnavailable, isBusy } from '#client/errors.ts';
import { fetchEnclosingZone, fetchRecords, fetchZones, readRecordPages } from '#client/lists.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import { applyBatch, createRecord, deleteRecord, replaceRecord } from '#contract/operations/records.ts';
import { restoreZone } from '#contract/operations/undo.ts';
import { exportZoneFile, importZoneFile } from '#contract/operations/zone-files.ts';
import { createZone, deleteZone, getZone, listZoneChanges, updateZone } from '#contract/operations/zones.ts';

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const open: { server: Server; client: Client }[] = [];

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/**
 * A service that sends these replies in turn; `silent` never answers, and `endless` writes until the client
 * disconnects.
 */
async function service(
  replies: (Reply | 'silent' | 'hang up' | 'endless')[],
  options: { path?: string; timeoutMs?: number; maxAnswerBytes?: number } = {},
) {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      const reply = replies.shift();
      if (reply === 'silent') return;
      if (reply === 'endless') {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
        };
        response.on('drain', more);
        return more();
      }
      if (reply === undefined || reply === 'hang up') return request.socket.destroy();
      const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body === undefined ? undefined : text);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}${options.path ?? ''}`,
    key: 'yk_1_secret',
    timeoutMs: options.timeoutMs ?? 5_000,
    ...(options.maxAnswerBytes === undefined ? {} : { maxAnswerBytes: options.maxAnswerBytes }),
  });
  open.push({ server, client });
  return { client, seen, port, connections: () => connections };
}

const aZone = {
  id: 'zone_1',
  zoneName: 'example.org',
  owner: 'org:t1',
  state: 'active',
  nameservers: ['ns1.example.net'],
  ds: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'ab', record: '1 13 2 ab' }],
  defaultTtl: 3600,
  denial: 'NSEC' as const,
  serial: 1,
  records: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const aRecord = { id: 'rec_1', name: 'www', type: 'A', content: '192.0.2.1', ttl: 60, priority: null };

test('the client sends zone files as text and takes them as text', async () => {
  const summary = { records: 1, created: 1, updated: 0, deleted: 0, unchanged: 0, ignored: 2 };
  const { client, seen } = await service([
    { status: 200, body: '$TTL 60\n', headers: { 'content-type': 'text/dns; charset=utf-8' } },
    { status: 200, body: summary },
    { status: 400, body: { error: 'bad_request', message: 'Line 1: content: is wrong.' } },
  ]);
  expect(await client.call(exportZoneFile, { params: { id: 'zone_1' } })).toBe('$TTL 60\n');
  expect(await client.call(importZoneFile, { params: { id: 'zone_1' }, body: 'www A 192.0.2.1\n' })).toEqual(summary);
  await expect(client.call(importZoneFile, { params: { id: 'zone_1' }, body: 'x' })).rejects.toThrow('Line 1');
  expect(seen.map(({ line, headers, body }) => [line, headers.accept, headers['content-type'], body])).toEqual([
    ['GET /v1/dns/zones/zone_1/zonefile', 'text/dns', undefined, ''],
    ['PUT /v1/dns/zones/zone_1/zonefile', 'application/json', 'text/dns', 'www A 192.0.2.1\n'],
    ['PUT /v1/dns/zones/zone_1/zonefile', 'application/json', 'text/dns', 'x'],
  ]);
});

test('the client sends many changes as one batch, and returns one result per change', async () => {
  const results = [
    { status: 201, record: aRecord },
    { status: 204, id: 'rec_2' },
    { status: 409, error: 'conflict', message: 'content: exists already.' },
  ];
  const { client, seen } = await service([{ status: 200, body: { results } }]);
  const body = {
    atomic: false,
    changes: [
      { action: 'create' as const, record: { name: 'www', type: 'A' as const, content: '192.0.2.1' } },
      { action: 'delete' as const, id: 'rec_2' },
      { action: 'update' as const, id: 'rec_3', record: { name: 'b', type: 'A' as const, content: '192.0.2.1' } },
    ],
  };
  expect(
    (await client.call(applyBatch, { params: { id: 'zone_1' }, body }, { idempotencyKey: 'once' })).results,
  ).toEqual(results);
  expect([seen[0]?.line, seen[0]?.headers['idempotency-key'], JSON.parse(seen[0]?.body ?? '')]).toEqual([
    'POST /v1/dns/zones/zone_1/records:batch',
    'once',
    body,
  ]);
});

test('the client asks for the history page by page', async () => {
  const change = {
    id: 7,
    action: 'record.delete',
    keyId: 'k1',
    before: aRecord,
    after: null,
    serial: 3,
    requestId: 'r1',
    at: '2026-01-01T00:00:00.000Z',
  };
  const { client, seen } = await service([{ status: 200, body: { changes: [change], next: 'abc' } }]);
  expect(await client.call(listZoneChanges, { params: { id: 'zone_1' }, query: { limit: 1, cursor: 'xyz' } })).toEqual({
    changes: [change],
    next: 'abc',
  });
  expect(seen[0]?.line).toBe('GET /v1/dns/zones/zone_1/changes?limit=1&cursor=xyz');
});

test('the client sends the method, the path, the query and the body of an operation', async () => {
  const { client, seen } = await service([
    { status: 200, body: { zones: [aZone] } },
    { status: 200, body: { zones: [] } },
    { status: 200, body: aZone },
    { status: 200, body: aZone },
    { status: 200, body: { ...aZone, status: 'done' } },
    { status: 204 },
    { status: 200, body: { ...aZone, defaultTtl: 60 } },
  ]);
  expect(await fetchZones(client, {})).toEqual([aZone]);
  expect(await fetchZones(client, { zoneName: 'example.com' })).toEqual([]);
  expect(await fetchEnclosingZone(client, 'a.example.org')).toEqual(aZone);
  expect(await client.call(getZone, { params: { id: 'zone_1' } })).toEqual(aZone);
  expect((await client.call(createZone, { body: { zoneName: 'example.org', owner: 'org:t1' } })).status).toBe('done');
  await client.call(deleteZone, { params: { id: 'zone_1' } });
  expect((await client.call(updateZone, { params: { id: 'zone_1' }, body: { defaultTtl: 60 } })).defaultTtl).toBe(60);
  expect(seen.map((request) => request.line)).toEqual([
    'GET /v1/dns/zones',
    'GET /v1/dns/zones?zoneName=example.com',
    'GET /v1/dns/zones?suffix_of=a.example.org',
    'GET /v1/dns/zones/zone_1',
    'POST /v1/dns/zones',
    'DELETE /v1/dns/zones/zone_1',
    'PATCH /v1/dns/zones/zone_1',
  ]);
  expect(JSON.parse(seen[4]?.body ?? '')).toEqual({ zoneName: 'example.org', owner: 'org:t1' });
});

test('the client escapes values in a path or a query', async () => {
  const { client, seen } = await service([{ status: 200, body: { records: [aRecord] } }, { status: 204 }]);
  await fetchRecords(client, 'zone_1', { name: '*', type: 'TXT', content: 'a&b=c d' });
  await client.call(deleteRecord, { params: { id: 'zone_1', recordId: '../zone_2' } });
  expect(seen[0]?.line).toBe('GET /v1/dns/zones/zone_1/records?name=*&type=TXT&content=a%26b%3Dc+d');
  expect(seen[1]?.line).toBe('DELETE /v1/dns/zones/zone_1/records/..%2Fzone_2');
});

test('the client carries the key, the request id and the idempotency key', async () => {
  const { client, seen } = await service([{ status: 201, body: aRecord }]);
  const body = { name: 'www', type: 'A' as const, content: '192.0.2.1' };
  expect(
    await client.call(createRecord, { params: { id: 'zone_1' }, body }, { requestId: 'r-1', idempotencyKey: 'k-1' }),
  ).toEqual(aRecord);
  expect(seen[0]?.headers).toMatchObject({
    authorization: 'Bearer yk_1_secret',
    'x-request-id': 'r-1',
    'idempotency-key': 'k-1',
    'content-type': 'application/json',
  });
});

test('the client keeps the path of a base address that has one', async () => {
  const { client, seen } = await service([{ status: 200, body: { zones: [] } }], { path: '/dns-api/' });
  await fetchZones(client, {});
  expect(seen[0]?.line).toBe('GET /dns-api/v1/dns/zones');
});

test('the client keeps its connections: consecutive calls open no new one', async () => {
  const { client, connections } = await service(Array.from({ length: 100 }, () => ({ status: 200, body: aZone })));
  for (let i = 0; i < 100; i++) await client.call(getZone, { params: { id: 'zone_1' } });
  // The end of an answer is read before its socket counts as free again, so a call may open another one now and then.
  expect(connections()).toBeLessThanOrEqual(10);
});

test('the client follows a list to its end', async () => {
  const { client, seen } = await service([
    { status: 200, body: { records: [aRecord], next: 'c1' } },
    { status: 200, body: { records: [{ ...aRecord, id: 'rec_2' }] } },
  ]);
  expect((await fetchRecords(client, 'zone_1', {})).map((record) => record.id)).toEqual(['rec_1', 'rec_2']);
  expect(seen[1]?.line).toBe('GET /v1/dns/zones/zone_1/records?cursor=c1');
});

test('the client gives up on a list whose pages form a loop', async () => {
  const page = { status: 200, body: { records: [], next: 'c1' } };
  const { client } = await service([page, page, page]);
  await expect(fetchRecords(client, 'zone_1', {})).rejects.toBeInstanceOf(ApiUnavailable);
});

test('the client returns a list page by page, and asks for shorter pages if one is longer than it reads', async () => {
  const long = { ...aRecord, type: 'TXT', content: 'x'.repeat(3_000) };
  const { client, seen } = await service(
    [
      { status: 200, body: { records: [aRecord], next: 'c1' } },
      { status: 200, body: { records: [long, long, long], next: 'c2' } },
      { status: 200, body: { records: [long], next: 'c3' } },
      { status: 200, body: { records: [aRecord] } },
    ],
    { maxAnswerBytes: 5_000 },
  );
  const pages: number[] = [];
  for await (const page of readRecordPages(client, 'zone_1', { names: ['www', 'a.b'], type: 'TXT' }, 200))
    pages.push(page.length);
  expect(pages).toEqual([1, 1, 1]);
  expect(seen.map(({ line }) => line.split('?')[1])).toEqual([
    'names=www%2Ca.b&type=TXT&limit=200',
    'names=www%2Ca.b&type=TXT&limit=200&cursor=c1',
    'names=www%2Ca.b&type=TXT&limit=25&cursor=c1',
    'names=www%2Ca.b&type=TXT&limit=25&cursor=c3',
  ]);
});

test('an answer that is longer than the client reads is not read to its end, and causes an error', async () => {
  const { client } = await service(['endless'], { maxAnswerBytes: 100_000 });
  await expect(fetchRecords(client, 'zone_1', {})).rejects.toThrow(
    "The API's answer is longer than 100000 bytes; the rest of it was not read",
  );
});

test('the client finds no zone where the service says not_found', async () => {
  const { client } = await service([{ status: 404, body: { error: 'not_found', message: 'No zone.' } }]);
  expect(await fetchEnclosingZone(client, 'a.example.org')).toBeNull();
});

test('the client ignores fields that a newer service adds', async () => {
  const { client } = await service([{ status: 200, body: { ...aRecord, colour: 'red' } }]);
  const body = { name: 'www', type: 'A' as const, content: '192.0.2.1', ttl: 60 };
  expect(await client.call(replaceRecord, { params: { id: 'zone_1', recordId: 'rec_1' }, body })).toEqual(aRecord);
});

test('a refusal becomes an ApiError with code, message, request id and the time to wait', async () => {
  const headers = { 'retry-after': '7', 'x-request-id': 'r-9' };
  const { client } = await service([{ status: 503, body: { error: 'busy', message: 'Again.' }, headers }]);
  const error = await client.call(deleteZone, { params: { id: 'zone_1' } }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 503, code: 'busy', message: 'Again.', retryAfterMs: 7000, requestId: 'r-9' });
  expect(isBusy(error)).toBe(true);
});

test('a refusal says who owns the value of a set that exists already', async () => {
  const held = { owner: 'k8s:prod/default/www', value: '192.0.2.1', records: ['rec_1'] };
  const refused = { error: 'conflict', message: 'It exists.' };
  const { client } = await service([
    { status: 409, body: { ...refused, ...held } },
    { status: 409, body: refused },
  ]);
  const set = { owner: 'test:x', release: true };
  const apply = () =>
    client
      .call(applyRecords, { params: { id: 'zone_1' }, body: { atomic: true, sets: [set] } })
      .then(({ results }) => results)
      .catch((thrown: unknown) => thrown);
  expect(await apply()).toMatchObject(held);
  expect(await apply()).toMatchObject({ owner: null, value: null, records: [] });
});

test('an answer that comes from something else is recognized, and its text is not passed on', async () => {
  const { client } = await service([{ status: 502, body: '<html>nginx yk_1_secret</html>' }]);
  const error = (await client
    .call(getZone, { params: { id: 'zone_1' } })
    .catch((thrown: unknown) => thrown)) as ApiError;
  expect(error).toMatchObject({ status: 502, code: 'unknown', retryAfterMs: null });
  expect(error.message).not.toContain('html');
});

test('an answer that breaks the contract is ApiUnavailable', async () => {
  const { client } = await service([
    { status: 200, body: { ...aZone, serial: 'one' } },
    { status: 200, body: { zones: [{ ...aZone, serial: 'one' }] } },
    { status: 200, body: 'hello' },
  ]);
  await expect(client.call(getZone, { params: { id: 'zone_1' } })).rejects.toThrow(/breaks the contract at serial/);
  await expect(fetchZones(client)).rejects.toThrow(/breaks the contract at zones.0.serial/);
  await expect(client.call(getZone, { params: { id: 'zone_1' } })).rejects.toBeInstanceOf(ApiUnavailable);
});

test('an answer is checked against the schema of its status', async () => {
  const at = aZone.createdAt;
  const preview = {
    dryRun: true,
    zoneName: 'a.org',
    zoneId: 'zone_1',
    deletedAt: at,
    until: at,
    records: 1,
    keyTag: 1,
  };
  const zone = { ...aZone, status: 'done' };
  const { client } = await service([
    { status: 200, body: preview },
    { status: 201, body: zone },
  ]);
  const restore = () => client.call(restoreZone, { body: { zoneName: 'a.org' } });
  expect([await restore(), await restore()]).toEqual([preview, zone]);
});

test('a redirect is never followed', async () => {
  const { client, seen } = await service([{ status: 302, headers: { location: '/elsewhere' } }]);
  await expect(client.call(getZone, { params: { id: 'zone_1' } })).rejects.toMatchObject({
    status: 302,
    code: 'unknown',
  });
  expect(seen).toHaveLength(1);
});

test('no answer within the time limit is ApiUnavailable', async () => {
  const { client } = await service(['silent']);
  const error = await client
    .call(getZone, { params: { id: 'zone_1' } }, { timeoutMs: 50 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiUnavailable);
});

test('no answer because the peer disconnected or does not listen is ApiUnavailable', async () => {
  const { client } = await service(['hang up']);
  await expect(client.call(getZone, { params: { id: 'zone_1' } })).rejects.toBeInstanceOf(ApiUnavailable);
  const absent = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'yk_1_secret' });
  await expect(absent.call(getZone, { params: { id: 'zone_1' } })).rejects.toThrow(/unreachable/);
  await absent.close();
});

test('no answer because the caller aborted is the reason of the caller', async () => {
  const { client } = await service(['silent']);
  const abort = new AbortController();
  const call = client.call(getZone, { params: { id: 'zone_1' } }, { signal: abort.signal });
  const reason = new Error('shutting down');
  setTimeout(() => abort.abort(reason), 20);
  await expect(call).rejects.toBe(reason);
  await expect(client.call(getZone, { params: { id: 'zone_1' } }, { signal: abort.signal })).rejects.toBe(reason);
});
