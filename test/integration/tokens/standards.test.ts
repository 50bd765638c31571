// Tokens by the standards: a real OpenID provider (oidc-provider), and a SPIFFE trust domain whose bundle and JWT-SVIDs
// the test makes (spiffe.io: "JWT-SVID", "SPIFFE Trust Domain and Bundle").
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import type { TokenIssuer, TokenVerdict } from '#tokens/issuer.ts';
import { createTokenVerifier, type TokenVerifier } from '#tokens/verifier.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';
import { AUDIENCE, type PlayedIssuer, playIssuer } from '../../support/tokens/issuer.ts';
import { type IssuerKey, issuerKey, seconds } from '../../support/tokens/keys.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();
let clock: FakeClock;
let verifier: TokenVerifier;
beforeEach(() => {
  clock = new FakeClock();
  verifier = createTokenVerifier({ log, metrics: createMetrics({ processMetrics: false }), clock });
});
const codeOf = (verdict: TokenVerdict) => (verdict.ok ? 'ok' : verdict.problem.code);

describe('a token of oidc-provider', () => {
  const SECRET = 'a secret of the pipeline';
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let terms: TokenIssuer;

  /** A provider with a new key, at the same address. */
  async function useNewKey(alg: string): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const server = { audience: AUDIENCE, accessTokenFormat: 'jwt', accessTokenTTL: 600, jwt: { sign: { alg } } };
    answer = new Provider(terms.issuer, {
      clients: [
        {
          client_id: 'pipeline',
          client_secret: SECRET,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          id_token_signed_response_alg: alg,
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig' }] },
      features: {
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'urn:zonestead',
          getResourceServerInfo: () => ({ scope: 'records', ...server }),
        },
      },
    }).callback();
  }

  async function token(): Promise<string> {
    const reply = await fetch(`${terms.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`pipeline:${encodeURIComponent(SECRET)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'records' }),
    });
    const answered = (await reply.json()) as { access_token?: string };
    return answered.access_token ?? JSON.stringify(answered);
  }

  beforeAll(async () => {
    const server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterAll(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    terms = { issuer, audience: AUDIENCE, keySource: { kind: 'discovery' }, maxAgeS: 3_600, privateAddresses: true };
  });

  test.each(['RS256', 'ES256', 'EdDSA'])('a token of oidc-provider that it signed with %s is accepted', async (alg) => {
    await useNewKey(alg);
    const verdict = await verifier.verify(await token(), terms, signal);
    expect(verdict).toMatchObject({
      token: { subject: 'pipeline', claims: { client_id: 'pipeline', scope: 'records' } },
    });
  });

  test('a token of oidc-provider that it signed with another algorithm is refused', async () => {
    await useNewKey('PS256');
    expect(codeOf(await verifier.verify(await token(), terms, signal))).toBe('algorithm');
  });

  test('a token of oidc-provider is accepted after the provider has changed its only key, and its earlier tokens are refused then', async () => {
    await useNewKey('ES256');
    const before = await token();
    expect(codeOf(await verifier.verify(before, terms, signal))).toBe('ok');
    await useNewKey('ES256');
    const after = await token();
    expect(await verifier.verify(after, terms, signal)).toMatchObject({
      problem: { code: 'unknown-key', retryAfterS: 60 },
    });
    await clock.advance(60_000);
    expect(codeOf(await verifier.verify(after, terms, signal))).toBe('ok');
    expect(codeOf(await verifier.verify(before, terms, signal))).toBe('unknown-key');
  });
});

describe('a JWT-SVID', () => {
  const svid = (change: object = {}) => ({
    sub: 'spiffe://td.example/ns/shop/sa/web',
    aud: [AUDIENCE, 'spiffe://td.example/other'],
    exp: seconds() + 300,
    ...change,
  });
  let key: IssuerKey;
  let bundle: PlayedIssuer;
  let terms: TokenIssuer;

  beforeAll(async () => {
    key = await issuerKey('svid');
    const forCertificates = await issuerKey('certificates');
    bundle = await playIssuer([
      { jwk: { ...forCertificates.jwk, kid: 'svid', use: 'x509-svid' } },
      { jwk: { ...key.jwk, use: 'jwt-svid' } },
    ]);
    terms = { ...bundle.terms, issuer: 'spiffe://td.example', keySource: { kind: 'jwks', url: bundle.jwksUrl } };
  });

  test('a JWT-SVID is accepted with the bundle of its trust domain, although it has neither issuer nor time of issue', async () => {
    const own = svid();
    expect(await verifier.verify(await key.sign(own), terms, signal)).toEqual({
      ok: true,
      token: {
        claims: own,
        issuer: 'spiffe://td.example',
        subject: own.sub,
        issuedAt: expect.any(Date),
        expiresAt: new Date(own.exp * 1000),
      },
    });
  });

  test('a JWT-SVID is accepted with the keys of a bundle that was entered by hand, without a fetch', async () => {
    const pinned: TokenIssuer = {
      ...terms,
      keySource: { kind: 'pinned', jwks: { keys: bundle.keys.map(({ jwk }) => jwk) } },
      privateAddresses: false,
    };
    const before = bundle.requests.length;
    expect(codeOf(await verifier.verify(await key.sign(svid()), pinned, signal))).toBe('ok');
    const forged = await (await issuerKey('svid')).sign(svid());
    expect(await verifier.verify(forged, pinned, signal)).toMatchObject({
      problem: { code: 'signature', retryAfterS: null },
    });
    expect(bundle.requests).toHaveLength(before);
  });

  test.each([
    ['from another trust domain', { sub: 'spiffe://other.example/ns/shop/sa/web' }, 'issuer'],
    ['for others', { aud: ['spiffe://td.example/other'] }, 'audience'],
    ['without expiry', { exp: undefined }, 'no-expiry'],
    ['that is valid for hours', { exp: seconds() + 7_200 }, 'too-old'],
  ])('a JWT-SVID is refused if it is one %s', async (_title, change, code) => {
    expect(codeOf(await verifier.verify(await key.sign(svid(change)), terms, signal))).toBe(code);
  });

  test('a JWT-SVID with an issuer is of that issuer', async () => {
    const own = await key.sign(svid({ iss: 'https://spire.example' }));
    expect(codeOf(await verifier.verify(own, terms, signal))).toBe('issuer');
    expect(codeOf(await verifier.verify(own, { ...terms, issuer: 'https://spire.example' }, signal))).toBe('ok');
  });
});
