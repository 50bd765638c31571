// Attacks with tokens over every API that takes a key: each is refused with a sentence that says why, and nothing is
// written.
import { createHmac, createPublicKey, type JsonWebKeyInput, randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureTrust, type WantedTrust } from '#service/credentials/ensure-trust.ts';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { type PlayedIssuer, playIssuer } from '../../../support/tokens/issuer.ts';
import { compact, type IssuerKey, issuerKey, seconds } from '../../../support/tokens/keys.ts';

const ISSUER = 'https://kubernetes.default.svc';
const service = await startTestService({
  nameserver: false,
  settings: { ZONESTEAD_PDNS_API: 'on' },
  warnings: ['the keys of a token issuer cannot be fetched'],
});
const own = await issuerKey('own', 'RS256');
const other = await issuerKey('own', 'RS256');
const stranger = await issuerKey('stranger', 'RS256');
const zone = await service.zone('attacks.example');

const RIGHTS = { records: 'write' as const, onlyNames: [`*.\${namespace}`, `\${namespace}`] };
const MATCH = { 'kubernetes.io': { namespace: '*' } };
const trust = (terms: Partial<WantedTrust['terms']>) =>
  ensureTrust(
    service.database.url,
    { team: 'first', terms: { name: 'cluster', issuer: ISSUER, match: MATCH, ...RIGHTS, ...terms } },
    randomBytes,
    new Date(),
  );

/** The claims of a service account. */
function claims(
  change: object = {},
  { namespace = 'shop', account = 'web', uid }: { namespace?: string; account?: string; uid?: string } = {},
) {
  return {
    iss: ISSUER,
    sub: `system:serviceaccount:${namespace}:${account}`,
    aud: ['zonestead'],
    iat: seconds(),
    exp: seconds() + 600,
    'kubernetes.io': { namespace, serviceaccount: { name: account, uid: uid ?? `uid-${account}` } },
    ...change,
  };
}

const write = (token: string, name = 'www.shop', headers?: Record<string, string>): Promise<Reply> =>
  service.request(
    'POST',
    `/zones/${zone.id}/records`,
    { name, type: 'A', content: '192.0.2.1', ttl: 300 },
    token,
    headers,
  );

/** A digest of every table, without the last uses of keys. */
async function contents(): Promise<Record<string, string>> {
  const tables = await service.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const digests = tables.map(async ({ name }) => {
    const [row] = await service.sql<{ digest: string }[]>`
      select md5(coalesce(string_agg(row, ' ' order by row), '')) as digest
      from (select (to_jsonb(t) - '{last_used_at,last_used_by}'::text[])::text as row from ${service.sql(name)} t) rows`;
    return [name, row?.digest ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

beforeAll(async () => {
  await trust({ keySource: { kind: 'pinned', jwks: { keys: [own.jwk] } } });
  expect((await write(await own.sign(claims()))).status).toBe(201);
});

describe('over REST', () => {
  let before: Record<string, string>;
  beforeEach(async () => {
    before = await contents();
  });
  const isRefused = async (reply: Reply, sentence: RegExp, status = '401 unauthorized') => {
    expect(refusal(reply)).toBe(status);
    expect(reply.body.message).toMatch(sentence);
    expect(await contents()).toEqual(before);
  };

  test.each<[string, object, RegExp]>([
    [
      'for kube-apiserver',
      { aud: ['https://kubernetes.default.svc'] },
      /is for the audience .*kubernetes\.default\.svc/,
    ],
    ['without expiry', { exp: undefined }, /has no expiry/],
    ['without a time of issue', { iat: undefined }, /has no time of issue/],
    ['that expired', { exp: seconds() - 61, iat: seconds() - 600 }, /expired at/],
    ['from the future', { iat: seconds() + 600, exp: seconds() + 1_200 }, /is valid from/],
    ['that is valid for a day', { exp: seconds() + 86_400 }, /At most 3600 s/],
    ['without a subject', { sub: undefined }, /No trust accepts/],
    ['from an issuer that no team trusts', { iss: 'https://issuer.example' }, /No trust accepts/],
    ['with another namespace in another claim', { 'kubernetes.io': undefined }, /No trust accepts/],
  ])('over REST, a token %s is refused', async (_title, change, sentence) => {
    await isRefused(await write(await own.sign(claims(change))), sentence);
  });

  test('over REST, a token without a signature is refused', async () => {
    await isRefused(await write(compact({ alg: 'none', kid: 'own' }, claims(), '')), /signed with "none"/);
  });

  test('over REST, a token with the public key as the secret of an HMAC is refused', async () => {
    const key = { key: own.jwk, format: 'jwk' } as JsonWebKeyInput;
    const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
    const text = compact({ alg: 'HS256', kid: 'own' }, claims(), '').slice(0, -1);
    const hmac = createHmac('sha256', pem).update(text).digest('base64url');
    await isRefused(await write(`${text}.${hmac}`), /signed with "HS256"/);
  });

  test('over REST, a token of an issuer with the same text and another key is refused', async () => {
    await isRefused(await write(await other.sign(claims())), /signature of the token is not valid/);
    // A trust with pinned keys is none for a token that names another key.
    await isRefused(await write(await stranger.sign(claims())), /No trust accepts/);
    await isRefused(
      await write(await stranger.sign(claims(), { jwk: stranger.jwk, kid: 'own' })),
      /signature of the token/,
    );
  });

  test('over REST, a token of a service account that was deleted and created again by another person is refused', async () => {
    await isRefused(await write(await own.sign(claims({}, { uid: 'uid-of-another' }))), /deleted/);
  });

  test('over REST, a token of too many characters is refused', async () => {
    const long = (bytes: number) => own.sign(claims({ more: 'x'.repeat(bytes) }));
    await isRefused(await write(await long(9_000)), /more than 8192 bytes/);
    // Node.js refuses the header before any route sees it.
    expect((await write(await long(75_000))).status).toBe(431);
    expect(await contents()).toEqual(before);
  });

  test.each(['*', '*.shop', 'shop.neighbour', 'Shop', '', `\${namespace}`, 'sh op', '_acme', '-shop', 'x'.repeat(64)])(
    'over REST, a namespace that is not a label does not become a pattern: %j',
    async (namespace) => {
      const reply = await write(await own.sign(claims({}, { namespace, account: 'evil' })), 'www.neighbour');
      expect(refusal(reply)).toMatch(/^40[13] (unauthorized|forbidden)$/);
      expect(await contents()).toEqual(before);
    },
  );

  test('over REST, a trust of an earlier version gives no token the challenges of a name that the namespace chooses', async () => {
    await service.sql`update trusts set only_names = ${[`_\${namespace}.dev`]} where name = 'cluster'`;
    const token = await own.sign(claims({}, { namespace: 'acme-challenge' }));
    const reply = await write(token, '_acme-challenge.dev');
    await service.sql`update trusts set only_names = ${RIGHTS.onlyNames} where name = 'cluster'`;
    await isRefused(reply, /prove control/);
  });

  // Tokens that arrive together share one look-up, so a token that Postgres cannot read would fail the others with it.
  test.each([
    ['a claim', { '\u0000': 'x' }],
    ['an object', { '\u0000': { a: 'x' } }],
    ['half a character', { '\ud800': { a: 'x' } }],
    ['a value', { a: { b: ['\ud800'] } }],
    ['an audience', { aud: ['\u0000', '\ud800'] }],
  ])(
    'over REST, a token without a signature and with control characters in %s does not disturb others',
    async (_title, change) => {
      const evil = Array.from({ length: 8 }, (_, at) =>
        write(compact({ alg: 'RS256', kid: 'own' }, claims({ at, ...change }))),
      );
      const good = Array.from({ length: 8 }, async (_, at) =>
        service.request('GET', '/zones', undefined, await own.sign(claims({ at }))),
      );
      expect((await Promise.all(good)).map(({ status }) => status)).toEqual(Array(8).fill(200));
      for (const reply of await Promise.all(evil)) expect(refusal(reply)).toBe('401 unauthorized');
    },
  );

  test.each(['u\u0000', '\ud800', 'u'.repeat(129), ''])(
    'over REST, a UID of an issuer that is none is refused: %j',
    async (uid) => {
      await isRefused(await write(await own.sign(claims({}, { account: 'odd', uid }))), /UID/);
    },
  );

  test('over REST, a token does not write the name of a neighbour', async () => {
    const reply = await write(await own.sign(claims()), 'www.neighbour');
    expect(refusal(reply)).toBe('403 forbidden');
    expect((await contents()).changes).toBe(before.changes);
  });
});

test('many older trusts of another team with the same claims and another audience hide no trust', async () => {
  const terms = { name: 'in the way', issuer: ISSUER, match: MATCH, ...RIGHTS, audience: 'other' };
  await ensureTrust(service.database.url, { team: 'attackers', terms }, randomBytes, new Date());
  await service.sql`
    insert into trusts select (jsonb_populate_record(t, jsonb_build_object('id', 'trust_' || n, 'created_at', '2020-01-01'))).*
    from trusts t, generate_series(1, 64) n where t.audience = 'other'`;
  expect((await write(await own.sign(claims()), 'found.shop')).status).toBe(201);
  await service.sql`delete from trusts where audience = 'other'`;
});

describe('an issuer', () => {
  let down: PlayedIssuer;
  let slow: PlayedIssuer;
  let broken: PlayedIssuer;
  let key: IssuerKey;
  const asIssuer = (issuer: PlayedIssuer) => key.sign(claims({ iss: issuer.terms.issuer }));

  beforeAll(async () => {
    key = await issuerKey('remote');
    [down, slow, broken] = await Promise.all([
      playIssuer([key]),
      playIssuer([key]),
      playIssuer([{ jwk: { ...key.jwk, x: 'AA' } }]),
    ]);
    down.fault = (request) => request.destroy();
    slow.fault = () => undefined;
    for (const [name, { terms }] of Object.entries({ down, slow, broken }))
      await trust({ name, issuer: terms.issuer, keySource: { kind: 'discovery' }, privateAddresses: true });
  });

  test('an issuer that is down, slow or serves broken keys is named, and nothing is written', async () => {
    const before = await contents();
    const replies = await Promise.all([down, slow, broken].map(async (issuer) => write(await asIssuer(issuer))));
    expect(replies.map(({ body }) => body.message)).toEqual([
      expect.stringMatching(/cannot be fetched: .* cannot be reached/),
      expect.stringMatching(/cannot be fetched: .* does not answer within 5 s/),
      expect.stringMatching(/cannot be fetched: it has only broken keys/),
    ]);
    expect(replies.map(refusal)).toEqual(Array(3).fill('503 busy'));
    for (const reply of replies) expect(reply.headers['retry-after']).toMatch(/^\d+$/);
    expect(await contents()).toEqual(before);
  });

  test('an issuer that signs with a new key right after a fetch: the answer says when the keys are read again', async () => {
    const rotating = await playIssuer([key]);
    const { issuer } = rotating.terms;
    await trust({ name: 'rotating', issuer, keySource: { kind: 'discovery' }, privateAddresses: true });
    expect((await write(await asIssuer(rotating), 'rotating.shop')).status).toBe(201);
    const next = await issuerKey('next');
    rotating.keys = [key, next];
    const before = await contents();
    const reply = await write(await next.sign(claims({ iss: issuer })));
    expect(refusal(reply)).toBe('401 unauthorized');
    expect(reply.body.message).toMatch(/no key with the name .* If the key is new, retry in \d+ s/);
    const seconds = Number(reply.headers['retry-after']);
    expect(reply.body.message).toContain(`retry in ${seconds} s`);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    // A token that is known to be wrong is refused without a time.
    expect((await write(await other.sign(claims()))).headers['retry-after']).toBeUndefined();
    expect(await contents()).toEqual(before);
    expect(rotating.requests.filter((path) => path === '/keys')).toHaveLength(1);
  });

  test('an issuer that is slow does not delay tokens of others', async () => {
    const waiting = write(await asIssuer(slow));
    expect((await write(await own.sign(claims()), 'fast.shop')).status).toBe(201);
    await waiting;
  });
});

test.each<[string, object, RegExp]>([
  [
    'that accepts every repository of GitHub',
    { issuer: 'https://token.actions.githubusercontent.com', match: { repository: '*' } },
    /GitHub/,
  ],
  [
    'that accepts every branch of GitHub',
    { issuer: 'https://token.actions.githubusercontent.com', match: { ref: 'refs/heads/main' } },
    /GitHub/,
  ],
  ['without a claim', { match: {} }, /./],
  ['that opens one name to every namespace', { match: MATCH, onlyNames: ['www'] }, /every holder/],
  ['that opens every name to every namespace', { match: MATCH }, /every holder/],
  ['with a name of a claim that it does not match', { match: MATCH, onlyNames: [`*.\${repository}`] }, /repository/],
  ['with a template in the label of a proof', { match: MATCH, onlyNames: [`_\${namespace}.dev`] }, /prove control/],
  [
    'with a private address as its issuer',
    { issuer: 'http://127.0.0.1', match: MATCH, onlyNames: RIGHTS.onlyNames },
    /https/,
  ],
  [
    'for the cluster of the service',
    { keySource: { kind: 'cluster' }, match: MATCH, onlyNames: RIGHTS.onlyNames },
    /discovery, jwks or pinned/,
  ],
])('a trust %s cannot be created over REST', async (_title, terms, sentence) => {
  const person = await addPerson(service, { team: 'attackers' });
  const before = await contents();
  const body = { name: 'evil', issuer: 'https://issuer.example', records: 'write', ...terms };
  const reply = await accountApi(service).send(person, 'POST', `/teams/${person.team}/trusts`, body);
  expect(refusal(reply)).toBe('400 bad_request');
  expect(JSON.stringify(reply.body)).toMatch(sentence);
  expect(await contents()).toEqual(before);
});
