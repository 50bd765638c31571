// The keys that remain of an issuer's answer.
import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { parseKeys } from '#tokens/keys.ts';
import { type IssuerKey, issuerKey } from '../../support/tokens/keys.ts';

let rsa: IssuerKey;
let ec: IssuerKey;
let ed: IssuerKey;

beforeAll(async () => {
  [rsa, ec, ed] = await Promise.all([issuerKey('rsa', 'RS256'), issuerKey('ec'), issuerKey('ed', 'EdDSA')]);
});

const namesOf = (document: unknown, held?: Parameters<typeof parseKeys>[1]) => {
  const keys = parseKeys(document, held);
  return typeof keys === 'string' ? keys : keys.jwks.map(({ kid, alg }) => `${kid} ${alg}`);
};
const jwkOf = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
const broken = () => ({ ...ec.jwk, kid: 'broken', y: ec.jwk.x });

test('a set of keys has the keys for the accepted algorithms', () => {
  expect(namesOf({ keys: [rsa.jwk, ec.jwk, ed.jwk] })).toEqual(['rsa RS256', 'ec ES256', 'ed EdDSA']);
});

test('a set of keys keeps neither private members nor members that it does not know', () => {
  const keys = parseKeys({ keys: [{ ...ec.jwk, d: 'secret', x5u: 'https://evil.example' }] });
  expect(typeof keys === 'string' || Object.keys(keys.jwks[0] ?? {}).sort()).toEqual([
    'alg',
    'crv',
    'kid',
    'kty',
    'x',
    'y',
  ]);
});

test('a set of keys has only the keys for JWT-SVIDs of a SPIFFE trust bundle', () => {
  const keys = [
    { ...ec.jwk, kid: 'x', use: 'x509-svid' },
    { ...ec.jwk, use: 'jwt-svid' },
  ];
  expect(namesOf({ keys, spiffe_sequence: 1, spiffe_refresh_hint: 10 })).toEqual(['ec ES256']);
});

test.each<[string, () => object]>([
  ['is for encryption', () => ({ use: 'enc' })],
  ['is for signing alone', () => ({ key_ops: ['sign'] })],
  ['is for another algorithm', () => ({ alg: 'ES384' })],
  ['is on another curve', () => ({ crv: 'P-384' })],
  ['is secret', () => ({ kty: 'oct', crv: undefined, k: 'AAAA' })],
  ['has a point outside of its curve', () => ({ y: ec.jwk.x })],
  ['has no point', () => ({ x: undefined })],
  ['has a number as its name', () => ({ kid: 7 })],
  ['has a name of 257 characters', () => ({ kid: 'a'.repeat(257) })],
])('a set of keys omits a key that %s', (_title, change) => {
  expect(namesOf({ keys: [{ ...ec.jwk, ...change() }, ed.jwk] })).toEqual(['ed EdDSA']);
});

test('a set of keys omits RSA keys that are too short or too long', () => {
  expect(namesOf({ keys: [jwkOf(1_024), rsa.jwk] })).toEqual(['rsa RS256']);
  const long = { kty: 'RSA', e: 'Aw', n: Buffer.alloc(8_200 / 8, 0xff).toString('base64url') };
  expect(namesOf({ keys: [long, rsa.jwk] })).toEqual(['rsa RS256']);
});

test('a set of keys omits RSA keys whose exponent would make each signature cost milliseconds', () => {
  const { n } = jwkOf(2_048);
  const exponent = (e: string) => ({ kty: 'RSA', n, e: Buffer.from(e, 'hex').toString('base64url') });
  expect(namesOf({ keys: [exponent('010001'), exponent('7fffffff')] })).toHaveLength(2);
  expect(namesOf({ keys: [exponent('80000001'), exponent('ff'.repeat(255)), rsa.jwk] })).toEqual(['rsa RS256']);
});

test('a set of keys keeps the held key of the same name in the place of a broken one', () => {
  const held = parseKeys({ keys: [{ ...ec.jwk, kid: 'broken' }] });
  expect(namesOf({ keys: [broken(), ed.jwk] }, typeof held === 'string' ? [] : held.jwks)).toEqual([
    'broken ES256',
    'ed EdDSA',
  ]);
  expect(namesOf({ keys: [broken(), ed.jwk] })).toEqual(['ed EdDSA']);
});

test.each<[string, () => unknown, string]>([
  ['null', () => null, 'does not answer with a set of keys (JWKS)'],
  ['a list', () => [ec.jwk], 'does not answer with a set of keys (JWKS)'],
  ['keys that are not a list', () => ({ keys: 'x' }), 'does not answer with a set of keys (JWKS)'],
  ['no keys', () => ({ keys: [] }), 'has no key for signatures with RS256, ES256 or EdDSA'],
  ['no objects', () => ({ keys: [null, 1, 'x'] }), 'has no key for signatures with RS256, ES256 or EdDSA'],
  ['broken keys', () => ({ keys: [broken()] }), 'has only broken keys'],
  ['101 keys', () => ({ keys: Array(101).fill(ec.jwk) }), 'has 101 keys, more than 100'],
])('a set of keys is refused if it is an answer of %s', (_title, document, sentence) => {
  expect(namesOf(document())).toBe(sentence);
});
