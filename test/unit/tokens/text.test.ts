// The text of a token, before any proof.
import { expect, test } from 'vitest';
import { readToken } from '#tokens/text.ts';
import { compact } from '../../support/tokens/keys.ts';

const header = { alg: 'ES256' };
const claims = { iss: 'https://issuer.example', sub: 'a' };
const codeOf = (text: string) => {
  const read = readToken(text);
  return read.ok ? 'ok' : read.problem.code;
};

test('the text of a token gives header and claims', () => {
  expect(readToken(compact(header, claims))).toEqual({ ok: true, token: { header, claims, issuer: claims.iss } });
});

test.each([
  ['a key of Zonestead', 'zsk_0123456789abcdef'],
  ['an empty text', ''],
  ['two parts', 'e30.e30'],
  ['five parts, as encrypted tokens have', 'e30.e30.e30.e30.e30'],
  ['a character outside of base64url', `${compact(header, claims)}=`],
  ['a line end', `${compact(header, claims)}\n`],
  ['a header that is not JSON', compact('{', claims)],
  ['claims that are a list', compact(header, [])],
  ['claims that are null', compact(header, 'null')],
  ['a byte order mark', compact(header, '\ufeff{"sub":"a"}')],
  ['bytes that are not UTF-8', `e30.${Buffer.from('{"sub":"\xff"}', 'latin1').toString('base64url')}.c2ln`],
  ['a name that occurs twice', compact(header, '{"sub":"a","sub":"b"}')],
  ['a name that occurs twice in another form', compact(header, '{"sub":"a","s\\u0075b":"b"}')],
  ['a name that occurs twice in an inner object', compact(header, '{"a":[{"b":1,"b":1}]}')],
  ['a name of the header that occurs twice', compact('{"alg":"none","alg":"ES256"}', claims)],
  ['nine levels', compact(header, `{"a":${'['.repeat(8)}${']'.repeat(8)}}`)],
])('the text of a token is refused: %s', (_title, text) => {
  expect(codeOf(text)).toBe('malformed');
});

test.each([
  ['eight levels', `{"a":${'['.repeat(7)}${']'.repeat(7)}}`],
  ['colons, braces and quotes within values', '{"a":"x:\\"y\\":{z","b\\"":":"}'],
  ['the name __proto__', '{"__proto__":{"a":1}}'],
])('the text of a token may have %s', (_title, payload) => {
  expect(codeOf(compact(header, payload))).toBe('ok');
});

test('the text of a token has at most 16 kB, and its claims 8 kB', () => {
  const sized = (bytes: number) => compact(header, `{"a":"${'x'.repeat(bytes - 8)}"}`);
  expect(codeOf(sized(8_190))).toBe('ok');
  expect(codeOf(sized(8_200))).toBe('too-large');
  expect(codeOf(compact(header, claims, 's'.repeat(100_000)))).toBe('too-large');
  expect(codeOf('a'.repeat(100_000))).toBe('too-large');
});

test.each([
  ['its iss', { iss: 'https://a.example', sub: 'spiffe://b.example/c' }, 'https://a.example'],
  ['the trust domain of its subject', { sub: 'spiffe://b.example/ns/c' }, 'spiffe://b.example'],
  ['the trust domain alone', { sub: 'spiffe://b.example' }, 'spiffe://b.example'],
  ['nothing, without iss', { sub: 'system:serviceaccount:a:b' }, null],
  ['nothing, if the iss is not a text', { iss: 1, sub: 'spiffe://b.example/c' }, null],
  ['nothing, if the iss is empty', { iss: '', sub: 'spiffe://b.example/c' }, null],
  ['nothing, without a trust domain', { sub: 'spiffe:///c' }, null],
])('the issuer of a token that is not proved is %s', (_title, payload, issuer) => {
  expect(readToken(compact(header, payload))).toMatchObject({ token: { issuer } });
});
