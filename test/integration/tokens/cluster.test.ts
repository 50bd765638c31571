// Tokens of service accounts, as a real kube-apiserver issues them (TokenRequest): verified with the keys of the
// cluster, and by TokenReview.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeySource } from '#base/key-source.ts';
import { type OwnCluster, ownCluster } from '#kube/api/own-cluster.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics, type Metrics } from '#telemetry/metrics.ts';
import type { TokenIssuer, TokenVerdict } from '#tokens/issuer.ts';
import { createTokenVerifier, type TokenVerifier } from '#tokens/verifier.ts';
import { startWidgetCluster, type WidgetCluster } from '../../support/kube/widget-cluster.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';
import { issuerKey } from '../../support/tokens/keys.ts';

const AUDIENCE = 'zonestead';
const SUBJECT = 'system:serviceaccount:default:shop';
const { signal } = new AbortController();
const log = createLogger({ name: 'test', level: 'silent' });
const KINDS = ['cluster', 'token-review'] as const;

let cluster: WidgetCluster;
let own: OwnCluster;
let calls: string[];
let metrics: Metrics;
let clock: FakeClock;
let verifier: TokenVerifier;

beforeAll(async () => {
  cluster = await startWidgetCluster();
  own = ownCluster({ kubeconfig: cluster.kubeconfig }) as OwnCluster;
  await createAccount('shop');
});
afterAll(async () => {
  await own?.close();
  await cluster?.stop();
});

function start(request: OwnCluster['request'] = own.request): void {
  calls = [];
  clock = new FakeClock();
  metrics = createMetrics({ processMetrics: false });
  const call: OwnCluster['request'] = (of, limit) => {
    calls.push(`${of.method} ${of.path}`);
    return request(of, limit);
  };
  verifier = createTokenVerifier({ log, metrics, clock, cluster: call });
}

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const createAccount = (name: string) => own.request({ method: 'POST', path: accounts, body: { metadata: { name } } });
const removeAccount = (name: string) => own.request({ method: 'DELETE', path: `${accounts}/${name}` });

/** @param seconds its lifetime; kube-apiserver allows 600 and more */
async function token(name: string, audiences = [AUDIENCE], seconds = 600): Promise<string> {
  const body = { spec: { audiences, expirationSeconds: seconds } };
  const answer = await own.request({ method: 'POST', path: `${accounts}/${name}/token`, body });
  return (answer as { status: { token: string } }).status.token;
}

function terms(kind: KeySource['kind']): TokenIssuer {
  const keySource = { kind } as KeySource;
  return {
    issuer: 'https://kubernetes.default.svc',
    audience: AUDIENCE,
    keySource,
    maxAgeS: 3_600,
    privateAddresses: false,
  };
}
const verify = (text: string, kind: KeySource['kind']) => verifier.verify(text, terms(kind), signal);
const codeOf = (verdict: TokenVerdict) => (verdict.ok ? 'ok' : verdict.problem.code);

describe.each(KINDS)('a token of a service account (%s)', (kind) => {
  test(`a token of a service account (${kind}) is verified once for several requests, and has the claims of kube-apiserver`, async () => {
    start();
    const text = await token('shop');
    const verdict = await verify(text, kind);
    expect(verdict).toMatchObject({
      token: {
        subject: SUBJECT,
        claims: {
          'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'shop', uid: expect.any(String) } },
        },
      },
    });
    expect(codeOf(await verify(text, kind))).toBe('ok');
    expect(calls).toEqual([
      kind === 'cluster' ? 'GET /openid/v1/jwks' : 'POST /apis/authentication.k8s.io/v1/tokenreviews',
    ]);
  });

  test.each([
    ['for kube-apiserver itself', ['https://kubernetes.default.svc'], 600, 'audience'],
    ['that is valid for more than an hour', [AUDIENCE], 7_200, 'too-old'],
  ])(
    `a token of a service account (${kind}) %s is refused without a call`,
    async (_title, audiences, seconds, code) => {
      start();
      expect(codeOf(await verify(await token('shop', audiences, seconds), kind))).toBe(code);
      expect(calls).toEqual([]);
    },
  );

  test(`a token of a service account (${kind}) that another key signed is refused`, async () => {
    start();
    const claims = JSON.parse(Buffer.from((await token('shop')).split('.')[1] ?? '', 'base64url').toString());
    const forged = await (await issuerKey('forged', 'RS256')).sign(claims);
    expect(codeOf(await verify(forged, kind))).toBe(kind === 'cluster' ? 'unknown-key' : 'refused');
  });

  test(`a token of a service account (${kind}) cannot be judged while kube-apiserver does not answer`, async () => {
    start(() => Promise.reject(new Error('down')));
    const text = await token('shop');
    expect(await verify(text, kind)).toMatchObject({
      problem: {
        code: 'issuer-down',
        sentence: expect.stringContaining('the API server of the cluster does not answer as expected'),
      },
    });
  });

  test(`a token of a service account (${kind}) cannot be judged outside of a cluster`, async () => {
    verifier = createTokenVerifier({ log, metrics: createMetrics({ processMetrics: false }) });
    const verdict = await verify(await token('shop'), kind);
    expect(verdict).toMatchObject({ problem: { sentence: expect.stringContaining('does not run in a cluster') } });
  });
});

test('a token of a deleted service account is refused by TokenReview after a minute', async () => {
  start();
  await createAccount('gone');
  const text = await token('gone');
  expect(codeOf(await verify(text, 'token-review'))).toBe('ok');
  await removeAccount('gone');
  expect(codeOf(await verify(text, 'token-review'))).toBe('ok');
  const afterMinute = async () => {
    await clock.advance(60_000);
    return codeOf(await verify(text, 'token-review'));
  };
  // kube-apiserver itself remembers tokens for up to 10 s.
  await expect.poll(afterMinute, { timeout: 60_000, interval: 500 }).toBe('refused');
  expect(await metrics.registry.metrics()).toContain('zonestead_token_reviews_total{result="refused"} 1');
});

test('a review holds for a minute', async () => {
  let isDown = false;
  start((call, limit) => (isDown ? Promise.reject(new Error('down')) : own.request(call, limit)));
  const text = await token('shop');
  expect(codeOf(await verify(text, 'token-review'))).toBe('ok');
  isDown = true;
  await clock.advance(59_999);
  expect(codeOf(await verify(text, 'token-review'))).toBe('ok');
  await clock.advance(1);
  expect(codeOf(await verify(text, 'token-review'))).toBe('issuer-down');
});

test.each([
  ['is right', {}, {}, 'ok'],
  ['names another user than the claims', {}, { username: 'system:serviceaccount:default:other' }, 'refused'],
  ['names another service account of the same name', {}, { uid: 'other' }, 'refused'],
  ['names no user', {}, { username: undefined, uid: undefined }, 'refused'],
  ['names no audiences', { audiences: undefined }, {}, 'refused'],
  ['names other audiences', { audiences: ['other'] }, {}, 'refused'],
  ['says nothing', { authenticated: undefined }, {}, 'refused'],
])('a review that %s is judged', async (_title, status, user, code) => {
  const text = await token('shop');
  const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
  const right = { username: SUBJECT, uid: claims['kubernetes.io'].serviceaccount.uid };
  start(async () => ({
    status: { authenticated: true, audiences: [AUDIENCE], user: { ...right, ...user }, ...status },
  }));
  expect(codeOf(await verify(text, 'token-review'))).toBe(code);
});
