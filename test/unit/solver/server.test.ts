// The aggregated API server on a real TLS socket, called as kube-apiserver does, and by clients that only claim to be
// it.
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { certificateFiles, followCertificate } from '#http/connections/serving-certificate.ts';
import { type FrontProxy, identify, readFrontProxy, type User } from '#solver/front-proxy.ts';
import type { ChallengeRequest, SolverOutcome } from '#solver/payload.ts';
import { createRouter } from '#solver/router.ts';
import { type SolverServer, startSolverServer } from '#solver/server.ts';
import { createLogger } from '#telemetry/log.ts';
import { type Credential, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { type Ask, askSolver, createPki, type Pki, published } from '../../support/kube/front-proxy.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const GROUP_PATH = '/apis/acme.zonestead.dev/v1alpha1';
const POST_PATH = `${GROUP_PATH}/zonestead`;
const CERT_MANAGER = 'system:serviceaccount:cert-manager:cert-manager';

let dir: string;
let server: SolverServer;
let proxy: FrontProxy;
let ready: boolean;
let pki: Pki;
let users: User[];
let asked: ChallengeRequest[];
let allowed: boolean | Error;
let outcome: SolverOutcome | Error;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'zonestead-solver-'));
  pki = await createPki(dir);
  const router = createRouter({
    ready: () => ready,
    mayCreate: async (user) => {
      users.push(user);
      if (allowed instanceof Error) throw allowed;
      return allowed;
    },
    solve: async (request) => {
      asked.push(request);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    log,
  });
  server = await startSolverServer(
    {
      listen: { host: '127.0.0.1', port: 0 },
      router,
      identify: (certificate, headers) => identify(proxy, certificate, headers, new Date()),
    },
    pki.serving,
  );
});
beforeEach(() => {
  proxy = published(pki.frontProxyCa.certificate);
  server.setClientAuthority(proxy.bundle);
  ready = true;
  users = [];
  asked = [];
  allowed = true;
  outcome = { success: true };
});
afterAll(async () => {
  await server?.close(1_000);
  await rm(dir, { recursive: true, force: true });
});

const ask = (what: Ask) => askSolver({ port: server.port, authority: pki.authority.certificate }, what);
const remote = { 'x-remote-user': CERT_MANAGER };
/** As cert-manager's client encodes it: no kind, no version, an empty uid. */
const body = (change: object = {}) =>
  JSON.stringify({
    request: {
      uid: '',
      action: 'Present',
      type: 'dns-01',
      dnsName: 'example.org',
      key: 'abc_-123',
      resourceNamespace: 'default',
      resolvedFQDN: '_acme-challenge.example.org.',
      resolvedZone: 'org.',
      allowAmbientCredentials: false,
      ...change,
    },
  });
const post = (change: Partial<Ask> = {}) =>
  ask({
    path: POST_PATH,
    method: 'POST',
    as: pki.frontProxy,
    body: body(),
    ...change,
    headers: { ...remote, 'content-type': 'application/json', accept: 'application/json, */*', ...change.headers },
  });

test.each([
  ['no certificate', () => undefined],
  ['a certificate of the authority for clients, with forged headers', () => pki.client],
  ['a certificate with another name', () => pki.otherName],
  ['a certificate that is not for clients', () => pki.notClient],
])('authentication refuses a request with %s', async (_case, credential) => {
  const answer = await post({ as: credential() });
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Unauthorized',
    code: 401,
  });
  expect(answer.json.message).not.toBe('');
  expect(asked).toEqual([]);
});

test('authentication refuses a request that names no user', async () => {
  expect((await ask({ path: GROUP_PATH, as: pki.frontProxy })).status).toBe(401);
});

test('authentication accepts every name of the authority if no names are listed', async () => {
  proxy = published(pki.frontProxyCa.certificate, []);
  expect((await post({ as: pki.otherName })).status).toBe(201);
});

test('authentication reads the user with each group, extra field and system:authenticated', async () => {
  await post({ headers: { 'x-remote-group': ['a,b', 'c'], 'x-remote-extra-scopes.example%2fid': ['1', '2'] } });
  expect(users).toEqual([
    {
      username: CERT_MANAGER,
      groups: ['a,b', 'c', 'system:authenticated'],
      extra: { 'scopes.example/id': ['1', '2'] },
    },
  ]);
});

test('authentication stops accepting the old authority once another one is published, even on an open connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    expect((await post({ agent })).status).toBe(201);
    proxy = published(pki.clientCa.certificate);
    server.setClientAuthority(proxy.bundle);
    expect((await post({ agent })).status).toBe(401);
    expect((await post({ as: pki.client })).status).toBe(201);
  } finally {
    agent.destroy();
  }
});

test('authentication refuses a certificate that has expired or is not valid yet', () => {
  const at = (now: Date, credential: Credential, trusted = proxy) =>
    identify(trusted, new X509Certificate(credential.certificate), { 'x-remote-user': [CERT_MANAGER] }, now);
  const { validFromDate, validToDate } = new X509Certificate(pki.frontProxy.certificate);
  const authority = new X509Certificate(pki.frontProxyCa.certificate);
  const second = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);
  expect(at(second(validToDate, -1), pki.frontProxy)).toHaveProperty('user');
  expect(authority.validToDate > second(validToDate, 1)).toBe(true);
  for (const now of [second(validToDate, 1), second(validFromDate, -1)]) {
    expect(at(now, pki.frontProxy)).toEqual({
      refused: expect.stringContaining('not one of the request-header authority'),
    });
  }
});

test('authentication refuses every client if the ConfigMap has no authority', () => {
  expect(() => readFrontProxy({ 'client-ca-file': pki.clientCa.certificate })).toThrow(
    /--requestheader-client-ca-file/,
  );
});

describe('the requests of kube-apiserver', () => {
  const get = (path: string, headers = {}) =>
    ask({ path, as: pki.frontProxy, headers: { 'x-remote-user': 'system:kube-aggregator', ...headers } });

  test('the requests of kube-apiserver get discovery with one resource that can only be created', async () => {
    const { status, json } = await get(GROUP_PATH);
    expect(status).toBe(200);
    expect(json).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'acme.zonestead.dev/v1alpha1',
      resources: [
        {
          name: 'zonestead',
          singularName: 'ChallengePayload',
          namespaced: false,
          group: 'webhook.acme.cert-manager.io',
          version: 'v1alpha1',
          kind: 'ChallengePayload',
          verbs: ['create'],
        },
      ],
    });
  });

  test('the requests of kube-apiserver get aggregated discovery if the Accept header asks for it, with an ETag that saves the body', async () => {
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    const first = await get('/apis', { accept });
    expect(first.type).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(first.headers.vary).toBe('Accept');
    const item = (
      first.json.items as { metadata: object; versions: { resources: object[]; freshness: string }[] }[]
    )[0];
    expect(item?.metadata).toEqual({ name: 'acme.zonestead.dev' });
    expect(item?.versions[0]).toMatchObject({
      version: 'v1alpha1',
      freshness: 'Current',
      resources: [
        { resource: 'zonestead', scope: 'Cluster', verbs: ['create'], responseKind: { kind: 'ChallengePayload' } },
      ],
    });
    const again = await get('/apis', { accept, 'if-none-match': String(first.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get('/apis', { accept: 'application/json' })).json.kind).toBe('APIGroupList');
  });

  test('the requests of kube-apiserver get OpenAPI 2 and 3, limited to the path of the solver', async () => {
    const v2 = (await get('/openapi/v2')).json;
    expect(v2).toMatchObject({ swagger: '2.0', info: { version: 'v1alpha1' } });
    expect(Object.keys(v2.paths as object)).toEqual([POST_PATH]);
    const root = (await get('/openapi/v3')).json.paths as Record<string, { serverRelativeURL: string }>;
    expect(Object.keys(root)).toEqual(['apis/acme.zonestead.dev/v1alpha1']);
    const document = await get(Object.values(root)[0]?.serverRelativeURL ?? '');
    expect(document.json).toMatchObject({ openapi: '3.0.0' });
  });

  test('the requests of kube-apiserver get discovery without a check of rights', async () => {
    allowed = new Error('the API server is down');
    for (const path of ['/apis', GROUP_PATH, '/openapi/v2', '/openapi/v3']) expect((await get(path)).status).toBe(200);
    expect(users).toEqual([]);
  });

  test('the requests of kube-apiserver get health without a certificate, and readiness only when callers can be authenticated', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await ask({ path })).text).toBe('ok');
    ready = false;
    expect((await ask({ path: '/readyz' })).status).toBe(503);
    expect((await ask({ path: '/livez' })).status).toBe(200);
  });

  test('the requests of kube-apiserver are refused with a Status for other paths and methods', async () => {
    expect((await get('/apis/other')).json).toMatchObject({ kind: 'Status', reason: 'NotFound' });
    expect((await ask({ path: GROUP_PATH, method: 'DELETE', as: pki.frontProxy, headers: remote })).json).toMatchObject(
      {
        reason: 'MethodNotAllowed',
      },
    );
    expect((await get(POST_PATH)).json).toMatchObject({ code: 405 });
  });
});

test.each(['//', '///?a=b', '//solver:x/', '*'])(
  'a request target that is not a path (%s) is answered, and the server keeps running',
  async (target) => {
    expect((await ask({ path: target, as: pki.frontProxy, headers: remote })).status).toBe(404);
    expect((await ask({ path: '/healthz' })).text).toBe('ok');
  },
);

test('a ChallengePayload from cert-manager is answered with 201 and a response', async () => {
  const { status, json } = await post();
  expect(status).toBe(201);
  expect(json).toEqual({
    apiVersion: 'webhook.acme.cert-manager.io/v1alpha1',
    kind: 'ChallengePayload',
    response: { uid: '', success: true },
  });
  expect(asked[0]).toMatchObject({
    action: 'Present',
    dnsName: 'example.org',
    resolvedFQDN: '_acme-challenge.example.org',
    config: {},
  });
});

test('a ChallengePayload without a content type, as kubectl create --raw sends it, is read as JSON', async () => {
  const { status, json } = await ask({
    path: POST_PATH,
    method: 'POST',
    as: pki.frontProxy,
    body: body(),
    headers: remote,
  });
  expect([status, json.response]).toEqual([201, { uid: '', success: true }]);
});

test('a ChallengePayload with a kind, version, uid and a type in capitals is accepted, as in the Go library', async () => {
  const value = {
    apiVersion: 'acme.zonestead.dev/v1alpha1',
    kind: 'ChallengePayload',
    ...JSON.parse(body({ uid: 'u', type: 'DNS-01' })),
  };
  expect((await post({ body: JSON.stringify(value) })).json.response).toEqual({ uid: 'u', success: true });
});

test.each([
  ['a message', { success: false, message: 'why' } as const, 'why'],
  [
    'an empty message, which cert-manager would take for success',
    { success: false, message: '' } as const,
    'The challenge failed',
  ],
  ['an exception', new Error('secret detail 17:03:21'), 'Present failed inside the solver; see its log'],
])('a ChallengePayload that fails with %s has a response with a message', async (_case, given, words) => {
  outcome = given;
  const { status, json } = await post();
  expect(status).toBe(201);
  expect(json.response).toMatchObject({ success: false, status: { message: words } });
});

test.each([
  ['another content type', 415, { headers: { 'content-type': 'application/yaml' } }],
  ['an Accept without JSON', 406, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }],
  ['invalid JSON', 400, { body: '{' }],
  ['no request', 400, { body: '{}' }],
  ['an unknown action', 400, { body: body({ action: 'present' }) }],
  ['an invalid key', 400, { body: body({ key: 'a"b' }) }],
  ['a dry run', 400, { path: `${POST_PATH}?dryRun=All` }],
  ['a body too large', 413, { body: `${body()}${' '.repeat(300_000)}` }],
])('a ChallengePayload with %s is refused: %i', async (_case, code, change) => {
  const { status, json, headers } = await post(change);
  expect(status).toBe(code);
  expect(json).toMatchObject({ kind: 'Status', status: 'Failure', code });
  expect(headers['retry-after']).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a ChallengePayload is refused for a user without the right, and for every user if the API server does not answer', async () => {
  allowed = false;
  expect((await post()).json).toMatchObject({ reason: 'Forbidden' });
  allowed = new Error('no API server');
  const { status, json } = await post();
  expect([status, json.message]).toEqual([500, 'The solver failed; see its log']);
  expect(asked).toEqual([]);
});

test('a renewed serving certificate is used for new connections, drops no request of old ones, and a broken pair changes nothing', async () => {
  const files = { certificateFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') };
  const write = async ({ certificate, key }: Credential) => {
    await writeFile(files.certificateFile, certificate);
    await writeFile(files.keyFile, key);
  };
  const served = () =>
    new Promise<string>((resolve, reject) => {
      const call = httpsRequest(
        { host: '127.0.0.1', port: server.port, path: '/healthz', agent: false, rejectUnauthorized: false },
        (answer) => {
          answer.resume();
          resolve((answer.socket as import('node:tls').TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? '');
        },
      );
      call.once('error', reject);
      call.end();
    });
  const stop = new AbortController();
  const ends: Date[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await write(pki.serving);
  const following = followCertificate(
    certificateFiles(files),
    { ...realClock, setTimeout: (fn) => realClock.setTimeout(fn, 10) },
    log,
    server.setCertificate,
    (validTo) => void ends.push(validTo),
    stop.signal,
  );
  try {
    const before = await served();
    expect((await post({ agent })).status).toBe(201);
    await writeFile(files.certificateFile, 'half a');
    expect((await post()).status).toBe(201);
    const renewed = await ensureCertificate({
      dir,
      name: 'renewed',
      commonName: 'solver',
      hosts: ['localhost'],
      authority: pki.authority,
    });
    await write(renewed);
    await expect.poll(served).not.toBe(before);
    expect((await post({ agent })).status).toBe(201);
    const endOf = (pem: string) => new X509Certificate(pem).validToDate;
    expect(ends).toEqual([endOf(pki.serving.certificate), endOf(renewed.certificate)]);
  } finally {
    stop.abort();
    agent.destroy();
    await following;
  }
});
