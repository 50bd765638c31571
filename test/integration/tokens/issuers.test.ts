// Tokens of issuers that answer over HTTP, and every fault of such an issuer.
import { createHmac, createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sleep } from '#base/wait.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics, type Metrics } from '#telemetry/metrics.ts';
import type { TokenIssuer, TokenVerdict } from '#tokens/issuer.ts';
import { createTokenVerifier, type TokenVerifier } from '#tokens/verifier.ts';
import { localCertificate } from '../../support/http/serving-files.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';
import { AUDIENCE, type PlayedIssuer, playIssuer } from '../../support/tokens/issuer.ts';
import { compact, type IssuerKey, issuerKey, seconds } from '../../support/tokens/keys.ts';

const MINUTE = 60_000;
const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();
let ec: IssuerKey;
let rsa: IssuerKey;
let other: IssuerKey;
let issuer: PlayedIssuer;
let clock: FakeClock;
let metrics: Metrics;
let verifier: TokenVerifier;

beforeAll(async () => {
  [ec, rsa, other] = await Promise.all([issuerKey('ec'), issuerKey('rsa', 'RS256'), issuerKey('ec')]);
  issuer = await playIssuer([ec, rsa]);
});
beforeEach(() => {
  Object.assign(issuer, { keys: [ec, rsa], discovery: {}, fault: null });
  issuer.requests.length = 0;
  clock = new FakeClock();
  metrics = createMetrics({ processMetrics: false });
  verifier = createTokenVerifier({ log, metrics, clock });
});

const claims = (change: object = {}) => ({
  iss: issuer.terms.issuer,
  sub: 'a',
  aud: AUDIENCE,
  iat: seconds(),
  exp: seconds() + 600,
  ...change,
});
const verify = (text: string, change: Partial<TokenIssuer> = {}) =>
  verifier.verify(text, { ...issuer.terms, ...change }, signal);
const codeOf = (verdict: TokenVerdict) => (verdict.ok ? 'ok' : verdict.problem.code);
const sentenceOf = (verdict: TokenVerdict) => (verdict.ok ? 'ok' : verdict.problem.sentence);
const judged = async (text: string, change?: Partial<TokenIssuer>) => codeOf(await verify(text, change));

test('a token of an issuer with discovery is verified, and its claims are those that the issuer signed', async () => {
  const own = claims({ groups: ['a', 'b'] });
  const verdict = await verify(await rsa.sign(own));
  expect(verdict).toEqual({
    ok: true,
    token: {
      claims: own,
      issuer: issuer.terms.issuer,
      subject: 'a',
      issuedAt: new Date(own.iat * 1000),
      expiresAt: new Date(own.exp * 1000),
    },
  });
  expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys']);
});

test('a token of an issuer with discovery is verified without a name of its key, also if two keys could be meant', async () => {
  const third = await issuerKey('third');
  issuer.keys = [other, third, ec];
  const own = claims();
  expect(await judged(await ec.sign(own, { kid: undefined }))).toBe('ok');
  expect(await judged(await rsa.sign(own, { kid: undefined }))).toBe('unknown-key');
  expect(await judged(await third.sign(own, { kid: 'ec' }))).toBe('signature');
});

test('a token of an issuer with discovery is compared with at most eight keys of one name', async () => {
  const [ninth = ec, ...others] = await Promise.all(Array.from({ length: 9 }, () => issuerKey('same')));
  issuer.keys = [...others.slice(1), ninth];
  expect(await judged(await ninth.sign(claims()))).toBe('ok');
  issuer.keys = [...others, ninth];
  verifier = createTokenVerifier({ log, metrics: createMetrics({ processMetrics: false }), clock });
  expect(await judged(await ninth.sign(claims()))).toBe('signature');
});

test('a token of an issuer with discovery is verified by a key that has no name', async () => {
  const { kid: _, ...nameless } = ec.jwk;
  issuer.keys = [{ jwk: nameless }, rsa];
  expect(await judged(await ec.sign(claims(), { kid: 'any' }))).toBe('ok');
  expect(await judged(await other.sign(claims(), { kid: 'any' }))).toBe('signature');
  expect(await judged(await rsa.sign(claims(), { kid: 'any' }))).toBe('unknown-key');
});

test('a token of an issuer with discovery is judged by its claims at every request, but costs one check of the signature', async () => {
  const text = await ec.sign(claims());
  expect(await judged(text)).toBe('ok');
  expect(await judged(text)).toBe('ok');
  expect(await judged(text, { audience: 'other' })).toBe('audience');
  expect(await judged(text, { maxAgeS: 599 })).toBe('too-old');
  expect(issuer.requests).toHaveLength(2);
});

test('a token of an issuer with discovery is refused after the next fetch if the issuer has withdrawn its key, although it was just verified', async () => {
  const text = await ec.sign(claims());
  expect(await judged(text)).toBe('ok');
  await clock.advance(5 * MINUTE - 1);
  expect(await judged(text)).toBe('ok');
  issuer.keys = [rsa];
  await clock.advance(1);
  // This request starts the fetch, and a later one gets its result.
  await expect.poll(() => judged(text)).toBe('unknown-key');
});

test('a token of an issuer with discovery is refused if it was changed after the signature', async () => {
  const [header = '', , signature = ''] = (await ec.sign(claims())).split('.');
  const changed = Buffer.from(JSON.stringify(claims({ sub: 'b' }))).toString('base64url');
  expect(await judged(`${header}.${changed}.${signature}`)).toBe('signature');
});

test('a token of an issuer with discovery is refused if another issuer with the same text signed it', async () => {
  expect(await judged(await other.sign(claims()))).toBe('signature');
  const verdict = await verify(await other.sign(claims(), { kid: 'new' }));
  expect(verdict).toMatchObject({ problem: { code: 'unknown-key', retryAfterS: 60 } });
});

test('a forged token without a signature, or signed with the public key as a secret, is refused before any fetch', async () => {
  expect(await judged(compact({ alg: 'none' }, claims(), ''))).toBe('algorithm');
  const pem = createPublicKey({ key: rsa.jwk, format: 'jwk' } as JsonWebKeyInput).export({
    type: 'spki',
    format: 'pem',
  });
  const text = compact({ alg: 'HS256', kid: 'rsa' }, claims(), '').slice(0, -1);
  const hmac = createHmac('sha256', pem).update(text).digest('base64url');
  expect(await judged(`${text}.${hmac}`)).toBe('algorithm');
  expect(issuer.requests).toEqual([]);
});

test('a forged token cannot bring its key, or the address of its keys, in its header', async () => {
  const evil = await playIssuer([other]);
  const header = { jwk: other.jwk, jku: evil.jwksUrl, x5u: evil.jwksUrl, x5c: ['AA=='] };
  expect(await judged(await other.sign(claims(), header))).toBe('signature');
  expect(evil.requests).toEqual([]);
});

test('a forged token with an RSA signature by the name of a key of another type is refused', async () => {
  expect(await judged(await rsa.sign(claims(), { kid: 'ec' }))).toBe('unknown-key');
});

test.each<[string, () => void, string, string]>([
  ['that is broken', () => play(503, '{}'), 'issuer-down', 'answers with the status 503'],
  ['that redirects', () => redirect(), 'issuer-down', 'redirects to another address'],
  ['that does not answer in JSON', () => play(200, '<html>'), 'issuer-down', 'is not JSON'],
  ['that answers nothing', () => play(200, ''), 'issuer-down', 'is not JSON'],
  ['that answers with 1 MB', () => play(200, `{"a":"${'x'.repeat(1_000_000)}"}`), 'issuer-down', 'more than 256 kB'],
  ['that nests its answer deeply', () => play(200, '['.repeat(100_000)), 'issuer-down', 'is nested too deep'],
  ['that ends the connection', () => hangUp(), 'issuer-down', 'cannot be reached'],
  [
    'that calls itself something else',
    () => Object.assign(issuer.discovery, { issuer: 'https://other' }),
    'issuer-down',
    'is of another issuer',
  ],
  [
    'without an address of keys',
    () => Object.assign(issuer.discovery, { jwks_uri: 1 }),
    'issuer-down',
    'names no keys',
  ],
  [
    'that names a file with its keys',
    () => Object.assign(issuer.discovery, { jwks_uri: 'file:///etc/passwd' }),
    'issuer-down',
    'https',
  ],
  ['without keys', () => Object.assign(issuer, { keys: [] }), 'issuer-keys', 'has no key'],
  [
    'with broken keys',
    () => Object.assign(issuer, { keys: [{ jwk: { ...ec.jwk, x: 'AA' } }] }),
    'issuer-keys',
    'only broken keys',
  ],
])('an issuer %s is named in the sentence', async (_title, prepare, code, words) => {
  prepare();
  const verdict = await verify(await ec.sign(claims()));
  expect(codeOf(verdict)).toBe(code);
  expect(sentenceOf(verdict)).toContain(words);
  expect(sentenceOf(verdict)).toContain(issuer.terms.issuer);
  expect(verdict).toMatchObject({ problem: { retryAfterS: 60 } });
});

test('an issuer that is slow is waited for 5 seconds', async () => {
  const asked = Promise.withResolvers<void>();
  issuer.fault = () => asked.resolve();
  const verdict = verify(await ec.sign(claims()));
  await asked.promise;
  await clock.advance(5_000);
  expect(sentenceOf(await verdict)).toContain('does not answer within 5 s');
});

test('an issuer that sends its answer slowly is waited for 5 seconds', async () => {
  const asked = Promise.withResolvers<void>();
  issuer.fault = (_request, response) => {
    response.writeHead(200);
    response.write('{"issuer":', () => asked.resolve());
  };
  const verdict = verify(await ec.sign(claims()));
  await asked.promise;
  await clock.advance(5_000);
  expect(sentenceOf(await verdict)).toContain('does not answer within 5 s');
});

test('an issuer that was down is asked again after a minute', async () => {
  issuer.fault = (request) => request.destroy();
  const text = await ec.sign(claims());
  expect(await judged(text)).toBe('issuer-down');
  issuer.fault = null;
  await clock.advance(MINUTE - 1);
  expect(await judged(text)).toBe('issuer-down');
  expect(issuer.requests).toHaveLength(1);
  await clock.advance(1);
  expect(await judged(text)).toBe('ok');
});

test('an issuer may rotate its keys under load: no token fails, and there is one fetch a minute', async () => {
  const load = async (key: IssuerKey, from: number) => {
    const texts = await Promise.all(Array.from({ length: 500 }, (_, at) => key.sign(claims({ sub: `${from + at}` }))));
    return await Promise.all(texts.map((text) => judged(text)));
  };
  const before = await load(ec, 0);
  await clock.advance(MINUTE);
  // The issuer publishes a key when it begins to use it, and still publishes the former one.
  const next = await issuerKey('next');
  issuer.keys = [ec, next];
  const during = await Promise.all([load(next, 500), load(ec, 0)]);
  expect(new Set([...before, ...during.flat()])).toEqual(new Set(['ok']));
  expect(issuer.requests.filter((path) => path === '/keys')).toHaveLength(2);
});

test('a rotation right after a fetch makes no caller fail that comes again when it is told, while others forge tokens, with one fetch a minute', async () => {
  let keys = [ec];
  const fetchedAt: number[] = [];
  const cluster = async () => {
    fetchedAt.push(clock.now());
    return { keys: keys.map(({ jwk }) => jwk) };
  };
  verifier = createTokenVerifier({ log, metrics: createMetrics({ processMetrics: false }), clock, cluster });
  const terms = { ...issuer.terms, keySource: { kind: 'cluster' } } as const;
  /** A caller that retries as the clients of Zonestead do. */
  const patient = async (text: string): Promise<string[]> => {
    const verdict = await verifier.verify(text, terms, signal);
    if (verdict.ok || verdict.problem.retryAfterS === null) return [codeOf(verdict)];
    await sleep(clock, verdict.problem.retryAfterS * 1_000);
    return [codeOf(verdict), ...(await patient(text))];
  };
  const callers: Promise<string[]>[] = [];
  const forgers: Promise<TokenVerdict>[] = [];
  // Forged tokens take every fetch that is allowed. The issuer begins to sign with another key half a minute after a
  // fetch.
  for (let second = 0; second < 180; second += 4) {
    if (second % 60 === 28) keys = [...keys.slice(-1), await issuerKey(`key of ${second}`)];
    callers.push(patient(await (keys.at(-1) ?? ec).sign(claims({ sub: `${second}` }))));
    forgers.push(verifier.verify(await other.sign(claims(), { kid: `forged ${second}` }), terms, signal));
    await clock.advance(4_000);
  }
  let isOver = false;
  const all = Promise.all(callers).finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(1_000);
  const outcomes = await all;
  expect(new Set(outcomes.map((each) => each.join()))).toEqual(new Set(['ok', 'unknown-key,ok']));
  for (const forged of await Promise.all(forgers)) expect(codeOf(forged)).toBe('unknown-key');
  const gaps = fetchedAt.slice(1).map((at, index) => at - (fetchedAt[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MINUTE);
  expect(fetchedAt.length).toBeGreaterThan(3);
});

const text = () => ec.sign(claims());
const https = (host: string) => `https://${host}:${new URL(issuer.jwksUrl).port}/keys`;

test.each([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '0x7f000001',
  '2130706433',
  '127.1',
  '169.254.169.254',
  '[::ffff:127.0.0.1]',
])('the address of keys may not be private: %s', async (host) => {
  const verdict = await verify(await text(), {
    privateAddresses: false,
    keySource: { kind: 'jwks', url: https(host) },
  });
  expect(sentenceOf(verdict)).toMatch(/the address of .* is not public\./);
});

test.each([
  ['http://issuer.example/keys', 'does not begin with https://'],
  ['ftp://issuer.example/keys', 'does not begin with https://'],
  ['https://a:b@issuer.example/keys', 'contains a user name'],
  ['keys', 'is not a URL'],
])('the address of keys may not be %s', async (url, words) => {
  const verdict = await verify(await text(), { privateAddresses: false, keySource: { kind: 'jwks', url } });
  expect(sentenceOf(verdict)).toContain(words);
});

test('the address of keys that a public issuer names may not be private', async () => {
  // The document is fetched from a private address here, which the second fetch does not see: each is checked by
  // itself.
  const terms = { ...issuer.terms, privateAddresses: false };
  expect(sentenceOf(await verifier.verify(await text(), terms, signal))).toContain('does not begin with https://');
  expect(issuer.requests).toEqual([]);
});

test('the address of keys needs a certificate of the authority that the trust names', async () => {
  const { authorities: ca, certificate: cert, key } = await localCertificate();
  const secure = await playIssuer([ec], { tls: { cert, key }, host: 'localhost' });
  const own = await ec.sign(claims({ iss: secure.terms.issuer }));
  const first = await verifier.verify(own, secure.terms, signal);
  expect(sentenceOf(first)).toMatch(/cannot be reached \([A-Z_]+\)/);
  expect(codeOf(await verifier.verify(own, { ...secure.terms, ca }, signal))).toBe('ok');
});

test('the metrics count verifications and fetches', async () => {
  issuer.fault = (request) => request.destroy();
  await judged('x');
  await judged(await ec.sign(claims()));
  const text = await metrics.registry.metrics();
  expect(text).toContain('zonestead_token_verifications_total{result="malformed"} 1');
  expect(text).toContain('zonestead_token_verifications_total{result="issuer-down"} 1');
  expect(text).toContain('zonestead_token_key_fetches_total{result="failed"} 1');
  expect(text).toContain('zonestead_token_failing_issuers 1');
});

function play(status: number, body: string): void {
  issuer.fault = (_request, response) => response.writeHead(status).end(body);
}
function redirect(): void {
  issuer.fault = (_request, response) => response.writeHead(302, { location: '/keys' }).end();
}
function hangUp(): void {
  issuer.fault = (request) => request.destroy();
}
