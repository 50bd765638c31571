// The rules about header and claims, which are judged before any key is fetched.
import { expect, test } from 'vitest';
import { judgeToken } from '#tokens/claims.ts';
import type { TokenIssuer } from '#tokens/issuer.ts';
import { readToken } from '#tokens/text.ts';
import { compact } from '../../support/tokens/keys.ts';

const NOW = 1_800_000_000;
const issuer: TokenIssuer = {
  issuer: 'https://issuer.example',
  audience: 'zonestead',
  keySource: { kind: 'discovery' },
  maxAgeS: 3_600,
  privateAddresses: false,
};
const base = { iss: issuer.issuer, sub: 'a', aud: 'zonestead', iat: NOW - 10, exp: NOW + 590 };
const svid = { sub: 'spiffe://td.example/a', aud: ['zonestead'], exp: NOW + 300 };

function judge(change: Record<string, unknown>, header: Record<string, unknown> = { alg: 'RS256' }, of = issuer) {
  const read = readToken(compact(header, JSON.stringify({ ...base, ...change }).replace('"endless"', '1e999')));
  if (!read.ok) throw new Error(read.problem.sentence);
  return judgeToken(read.token, of, NOW * 1000);
}
const codeOf = (judged: ReturnType<typeof judge>) => (judged.ok ? 'ok' : judged.problem.code);

test('a token has a subject and times', () => {
  expect(judge({})).toEqual({
    ok: true,
    subject: 'a',
    times: { issuedAt: new Date(base.iat * 1000), expiresAt: new Date(base.exp * 1000) },
  });
});

test.each(['RS256', 'ES256', 'EdDSA'])('a token may be signed with %s', (alg) => {
  expect(codeOf(judge({}, { alg }))).toBe('ok');
});

test.each(['none', 'None', 'HS256', 'RS384', 'PS256', 'ES256K', 'rs256', '', undefined, null, ['RS256']])(
  'a token may not be signed with %j',
  (alg) => {
    expect(codeOf(judge({}, { alg }))).toBe('algorithm');
  },
);

test('a token may not demand extensions', () => {
  expect(codeOf(judge({}, { alg: 'ES256', crit: ['b64'], b64: false }))).toBe('malformed');
  expect(codeOf(judge({}, { alg: 'ES256', crit: [] }))).toBe('malformed');
});

test.each<[string, Record<string, unknown>, string]>([
  ['from another issuer', { iss: 'https://issuer.example/' }, 'issuer'],
  ['from no issuer', { iss: undefined }, 'issuer'],
  ['without a subject', { sub: undefined }, 'subject'],
  ['with an empty subject', { sub: '' }, 'subject'],
  ['with a number as subject', { sub: 1 }, 'subject'],
  ['with a line end in its subject', { sub: 'a\nb' }, 'subject'],
  ['with a character that changes the direction in its subject', { sub: 'a\u202eb' }, 'subject'],
  ['with a subject of 513 characters', { sub: 'a'.repeat(513) }, 'subject'],
  ['with a subject of 512 characters', { sub: 'a'.repeat(512) }, 'ok'],
  ['for the API server', { aud: ['https://kubernetes.default.svc'] }, 'audience'],
  ['for no audience', { aud: undefined }, 'audience'],
  ['for an empty list', { aud: [] }, 'audience'],
  ['for an audience that begins like ours', { aud: 'zonestead.example' }, 'audience'],
  ['for an object', { aud: { zonestead: true } }, 'audience'],
  ['for us and for others', { aud: ['other', 'zonestead'] }, 'ok'],
  ['without expiry', { exp: undefined }, 'no-expiry'],
  ['with a text as expiry', { exp: `${NOW + 10}` }, 'no-expiry'],
  ['with an endless expiry', { exp: 'endless' }, 'no-expiry'],
  ['without a time of issue', { iat: undefined }, 'no-issue-time'],
  ['with a time of issue before 1970', { iat: -1 }, 'no-issue-time'],
  ['with a start that is not a time', { nbf: 'now' }, 'malformed'],
  ['that expired 60 s ago', { exp: NOW - 60 }, 'expired'],
  ['that expired 59 s ago', { exp: NOW - 59 }, 'ok'],
  ['issued in 61 s', { iat: NOW + 61 }, 'not-yet'],
  ['issued in 60 s', { iat: NOW + 60 }, 'ok'],
  ['that starts in 61 s', { nbf: NOW + 61 }, 'not-yet'],
  ['that starts in 60 s', { nbf: NOW + 60 }, 'ok'],
  ['with a lifetime of an hour', { iat: NOW, exp: NOW + 3_600 }, 'ok'],
  ['with a lifetime of more than an hour', { iat: NOW, exp: NOW + 3_601 }, 'too-old'],
  ['that was issued long ago', { iat: NOW - 86_400 }, 'too-old'],
])('a token is judged: %s', (_title, change, code) => {
  expect(codeOf(judge(change))).toBe(code);
});

test('a token may lack issuer and time of issue if it is a JWT-SVID, but not be valid for more than an hour from now', () => {
  const td = { ...issuer, issuer: 'spiffe://td.example' };
  const judged = (change: object) =>
    codeOf(judge({ iss: undefined, iat: undefined, ...svid, ...change }, { alg: 'ES256' }, td));
  expect(judged({})).toBe('ok');
  expect(judged({ sub: 'spiffe://td.example.evil/a' })).toBe('issuer');
  expect(judged({ sub: 'spiffe://other.example/a' })).toBe('issuer');
  expect(judged({ exp: NOW + 3_660 })).toBe('ok');
  expect(judged({ exp: NOW + 3_661 })).toBe('too-old');
});

test('a token from the future may be accepted later, when it is 60 s before its start', () => {
  const judged = judge({ nbf: NOW + 100 });
  expect(judged.ok || judged.problem.retryAfterS).toBe(40);
});

test('a token is named in a sentence by at most 100 characters of a value', () => {
  const judged = judge({ aud: 'x'.repeat(8_000) });
  expect(judged.ok || judged.problem.sentence.length).toBeLessThan(200);
});
