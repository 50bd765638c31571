// The transport against faults on real sockets: retries, time limits, connections, and changes of tokens and
// certificates.
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createApi } from '#kube/api/api.ts';
import { type KubeCredentials, loadCredentials } from '#kube/api/credentials.ts';
import { createTransport, type Transport, type TransportOptions } from '#kube/api/transport.ts';
import {
  type Answer,
  type FakeApiServer,
  json,
  page,
  reset,
  silence,
  startFakeApiServer,
  status,
  WIDGETS,
  watch,
  widget,
} from '../../support/kube/fake-apiserver.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function setUp(change: Partial<TransportOptions> = {}): Promise<{ server: FakeApiServer; transport: Transport }> {
  const server = await startFakeApiServer();
  const transport = createTransport({ credentials: server.credentials(), ...change });
  cleanups.push(server.close, () => transport.close());
  return { server, transport };
}

const GET = { method: 'GET', path: '/apis/x' } as const;

test('a call reuses an open connection', async () => {
  const { server, transport } = await setUp();
  for (let i = 0; i < 20; i++) server.script(json({ i }));
  for (let i = 0; i < 20; i++) expect(await transport.request(GET)).toEqual({ i });
  // More than one: undici returns an answer a moment before its connection is free again.
  expect(new Set(server.received.map((request) => request.port)).size).toBeLessThanOrEqual(5);
});

test('the difference of the clocks is that of the last answer, also of an error', async () => {
  const { server, transport } = await setUp({ systemTime: () => Date.parse('2026-11-21T10:00:00Z') });
  expect(transport.clockDifference()).toBeNull();
  const at =
    (date: string): Answer =>
    (response) =>
      void response.writeHead(404, { date }).end('{}');
  server.script(at('Sat, 21 Nov 2026 08:00:00 GMT'), at('Sat, 21 Nov 2026 10:00:03 GMT'), at('nonsense'));
  const differences: unknown[] = [];
  for (let call = 0; call < 3; call += 1) {
    await transport.request(GET).catch(() => undefined);
    differences.push(transport.clockDifference());
  }
  expect(differences).toEqual([7_200_000, -3_000, -3_000]);
});

test('a call never opens more connections than its limit', async () => {
  const { server, transport } = await setUp({ maxConnections: 4 });
  let open = 0;
  let most = 0;
  const slow = Array.from({ length: 20 }, () => (response: Parameters<ReturnType<typeof json>>[0]) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.end('{}');
    }, 300);
  });
  server.script(...slow);
  await Promise.all(slow.map(() => transport.request(GET)));
  expect(most).toBe(4);
});

test('a call is retried after 429 and 503 when the server has named a delay', async () => {
  const clock = new FakeClock();
  const { server, transport } = await setUp({ clock });
  server.script(status(429, 'TooManyRequests', 'slow down', 3), status(503, 'ServiceUnavailable', 'x', 2), json({}));
  const answer = transport.request({ method: 'PATCH', path: '/x', body: { a: 1 }, contentType: 'text/x' });
  await server.requests(1);
  await waitForTimer(clock, 3_000);
  await clock.advance(3_000);
  await server.requests(2);
  await waitForTimer(clock, 2_000);
  await clock.advance(2_000);
  expect(await answer).toEqual({});
  expect(server.received.map((request) => request.body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
});

test('a call fails when the delays together would exceed a minute, and reports the delay that the server wants', async () => {
  const { server, transport } = await setUp();
  server.script(status(429, 'TooManyRequests', 'come back tomorrow', 86_400));
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 429, retryAfterMs: 86_400_000 });
});

test('a call is not retried after any other error', async () => {
  const { server, transport } = await setUp();
  server.script(status(503, 'ServiceUnavailable'), status(409, 'Conflict', 'changed', 1));
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 503 });
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 409 });
  expect(server.received).toHaveLength(2);
});

test('a call that reads is retried once when the connection was lost; one that writes is not', async () => {
  const { server, transport } = await setUp();
  server.script(reset, json({ read: true }));
  expect(await transport.request(GET)).toEqual({ read: true });
  server.script(reset);
  await expect(transport.request({ method: 'POST', path: '/x', body: {} })).rejects.toMatchObject({
    status: 0,
    reason: 'Unreachable',
  });
  expect(server.received).toHaveLength(3);
});

test('a call ends at its time limit when no answer comes', async () => {
  const { server, transport } = await setUp({ timeoutMs: 150 });
  server.script(silence);
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 0, reason: 'Timeout' });
});

test('a call ends at its time limit when the answer begins and then stops', async () => {
  const { server, transport } = await setUp({ timeoutMs: 150 });
  server.script((response) => response.writeHead(200).write('{"half":'));
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 0, reason: 'Timeout' });
});

test('a call ends with the signal of the caller and its reason, also during a wait', async () => {
  const { server, transport } = await setUp();
  const reason = new Error('enough');
  for (const answer of [silence, status(429, 'TooManyRequests', 'x', 50)]) {
    const controller = new AbortController();
    server.script(answer);
    const call = transport.request(GET, controller.signal);
    await server.requests(server.received.length + 1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  }
});

test('a call to a closed port fails as unreachable', async () => {
  const { server, transport } = await setUp();
  await server.close();
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
});

test('a call fails when the answer is not JSON', async () => {
  const { server, transport } = await setUp();
  server.script((response) => response.end('<html>'));
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 0, reason: 'Unreadable' });
});

test('a call is counted with its answer', async () => {
  const seen: [string, number][] = [];
  const { server, transport } = await setUp({ observe: (method, code) => seen.push([method, code]) });
  server.script(json({}), status(404, 'NotFound'), reset, json({}));
  await transport.request(GET);
  await transport.request({ method: 'DELETE', path: '/x', absentIsDone: true });
  await transport.request(GET);
  expect(seen).toEqual([
    ['GET', 200],
    ['DELETE', 404],
    ['GET', 0],
    ['GET', 200],
  ]);
});

test('a stream delivers bytes as they arrive and fails when the connection is lost', async () => {
  const { server, transport } = await setUp();
  const open = watch();
  server.script(open.answer);
  const stream = await transport.stream({ path: '/x' }, new AbortController().signal);
  open.raw('hello');
  open.reset();
  let text = '';
  await expect(
    (async () => {
      for await (const chunk of stream) text += Buffer.from(chunk).toString();
    })(),
  ).rejects.toThrow();
  expect(text).toBe('hello');
});

test('a stream refused at its opening throws the Status', async () => {
  const { server, transport } = await setUp();
  server.script(status(410, 'Expired', 'too old resource version'));
  await expect(transport.stream({ path: '/x' }, new AbortController().signal)).rejects.toMatchObject({ status: 410 });
});

test('a stream does not use a connection of the calls', async () => {
  const { server, transport } = await setUp({ maxConnections: 1 });
  server.script(watch().answer, json({ called: true }));
  await transport.stream({ path: '/x' }, new AbortController().signal);
  expect(await transport.request(GET)).toEqual({ called: true });
});

test('a 401 reads the token again and retries once if it is a new one', async () => {
  const server = await startFakeApiServer();
  let token = 'old';
  const reads: boolean[] = [];
  const credentials: KubeCredentials = {
    ...server.credentials(),
    read: async (fresh = false) => {
      reads.push(fresh);
      if (fresh) token = 'new';
      return { headers: { authorization: `Bearer ${token}` }, tls: {} };
    },
  };
  const transport = createTransport({ credentials });
  cleanups.push(server.close, () => transport.close());
  server.script(status(401, 'Unauthorized'), json({ ok: true }), status(401, 'Unauthorized'));
  expect(await transport.request(GET)).toEqual({ ok: true });
  expect(server.received.map((request) => request.headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  await expect(transport.request(GET)).rejects.toMatchObject({ status: 401 });
  expect(server.received).toHaveLength(3);
});

test('authentication comes from a kubeconfig, and its token file is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-test-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const server = await startFakeApiServer();
  // Token files often end in a newline, which no header may hold.
  writeFileSync(join(folder, 'token'), 'the-token\n');
  const authProvider = { name: 'tokenFile', config: { tokenFile: join(folder, 'token') } };
  writeFileSync(join(folder, 'config'), kubeconfig(`${server.url}/prefix/`, { 'auth-provider': authProvider }));
  const credentials = await loadCredentials({ kubeconfig: join(folder, 'config') });
  const transport = createTransport({ credentials });
  cleanups.push(server.close, () => transport.close());
  server.script(json({ ok: true }));
  expect(await transport.request(GET)).toEqual({ ok: true });
  expect(server.received[0]).toMatchObject({
    path: '/prefix/apis/x',
    headers: { authorization: 'Bearer the-token', 'user-agent': 'zonestead' },
  });
  expect(credentials.namespace).toBe('apps');
});

test('authentication keeps its connections while the certificates are the same, and opens new ones when a file changed', async () => {
  const server = await startFakeApiServer();
  let ca = 'first authority';
  const credentials = {
    ...server.credentials(),
    read: async () => ({ headers: {}, tls: { ca: Buffer.from(ca) } }),
  };
  const transport = createTransport({ credentials, maxConnections: 1 });
  cleanups.push(server.close, () => transport.close());
  server.script(json({}), json({}), json({}), json({}));
  for (const authority of ['first authority', 'first authority', 'second authority', 'second authority']) {
    ca = authority;
    await transport.request(GET);
  }
  const [a, b, c, d] = server.received.map((request) => request.port);
  expect([a === b, b === c, c === d]).toEqual([true, false, true]);
});

test('authentication is read again after a lost connection, because the certificates may have changed', async () => {
  const server = await startFakeApiServer();
  const reads: boolean[] = [];
  const credentials = {
    ...server.credentials(),
    read: async (fresh = false) => {
      reads.push(fresh);
      return { headers: {}, tls: {} };
    },
  };
  const transport = createTransport({ credentials });
  cleanups.push(server.close, () => transport.close());
  server.script(json({}), reset, json({}));
  await transport.request(GET);
  await transport.request(GET);
  expect(reads).toEqual([false, false, true]);
});

test('the typed calls page, apply, patch and delete with the requests that the API requires', async () => {
  const { server, transport } = await setUp();
  const api = createApi(transport);
  const { apiVersion: _a, kind: _k, ...bare } = widget('a', '1');
  server.script(
    page([bare as never], '7', 'more'),
    json({}),
    json({}),
    json({}),
    json({}),
    json({}),
    status(404, 'NotFound'),
  );
  expect(await api.list(WIDGETS, { limit: 500, labelSelector: 'a=b' })).toMatchObject({
    items: [{ apiVersion: 'test.zonestead.dev/v1', kind: 'Widget' }],
    resourceVersion: '7',
    continue: 'more',
  });
  const draft = { metadata: { namespace: 'n', name: 'a' }, status: { seen: 'yes' } };
  await api.apply(WIDGETS, draft, { fieldManager: 'me' });
  await api.apply(WIDGETS, draft, { fieldManager: 'me', force: false });
  await api.merge(WIDGETS, draft.metadata, { spec: {} }, { subresource: 'scale', fieldManager: 'me' });
  await api.replaceStatus(WIDGETS, draft, { fieldManager: 'me' });
  await api.create(WIDGETS, draft);
  await api.delete(WIDGETS, draft.metadata, { uid: 'u' });
  const requests = server.received.map(({ method, path, query, headers }) => {
    return `${method} ${path}?${query} ${headers['content-type'] ?? ''}`;
  });
  expect(requests).toEqual([
    'GET /apis/test.zonestead.dev/v1/widgets?labelSelector=a%3Db&limit=500 ',
    'PATCH /apis/test.zonestead.dev/v1/namespaces/n/widgets/a?fieldManager=me&force=true application/apply-patch+yaml',
    'PATCH /apis/test.zonestead.dev/v1/namespaces/n/widgets/a?fieldManager=me&force=false application/apply-patch+yaml',
    'PATCH /apis/test.zonestead.dev/v1/namespaces/n/widgets/a/scale?fieldManager=me application/merge-patch+json',
    'PUT /apis/test.zonestead.dev/v1/namespaces/n/widgets/a/status?fieldManager=me application/json',
    'POST /apis/test.zonestead.dev/v1/namespaces/n/widgets? application/json',
    'DELETE /apis/test.zonestead.dev/v1/namespaces/n/widgets/a? application/json',
  ]);
  expect(JSON.parse(server.received[1]?.body ?? '')).toMatchObject({
    apiVersion: 'test.zonestead.dev/v1',
    kind: 'Widget',
  });
  expect(JSON.parse(server.received[6]?.body ?? '')).toMatchObject({ preconditions: { uid: 'u' } });
});

async function waitForTimer(clock: FakeClock, ms: number): Promise<void> {
  await expect.poll(() => clock.timers(), { timeout: 60_000, interval: 5 }).toEqual([ms]);
}

function kubeconfig(server: string, user: object): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'apps' } }],
    'current-context': 'x',
  });
}
