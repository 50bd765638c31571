// Several trusts that accept one token: the order of the trusts decides, and never the speed of their keys.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { playIssuer } from '../../../support/tokens/issuer.ts';
import { issuerKey, seconds } from '../../../support/tokens/keys.ts';

const service = await startTestService({
  nameserver: false,
  warnings: ['the keys of a token issuer cannot be fetched'],
});
const key = await issuerKey('shared');
const attacker = await addPerson(service, { team: 'attackers' });
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Two trusts for one token: an older one whose keys are known, and one whose keys are at an issuer that answers late.
 */
async function twoTrusts(delayMs: number, { isOfMember, lateIsOlder }: { isOfMember: boolean; lateIsOlder: boolean }) {
  const late = await playIssuer([key]);
  const { issuer } = late.terms;
  const answer = late.jwksUrl;
  late.fault = (request, response) => {
    if (delayMs === NEVER) return;
    void sleep(delayMs).then(() => {
      const isKeys = request.url === '/keys';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isKeys ? { keys: [key.jwk] } : { issuer, jwks_uri: answer }));
    });
  };
  const ensure = async (team: string, terms: object) => {
    const wanted = { name: `of ${team}`, issuer, match: { sub: 'operator' }, records: 'write' as const, ...terms };
    return (await ensureTrust(service.database.url, { team, terms: wanted }, randomBytes, new Date())).trustId;
  };
  const pinned = { keySource: { kind: 'pinned', jwks: { keys: [{ ...key.jwk, kid: undefined }] } } };
  const known = await ensure('attackers', pinned);
  const wanted = await ensure('first', { keySource: { kind: 'discovery' }, privateAddresses: true });
  if (isOfMember) await service.sql`update trusts set created_by = ${attacker.id} where id = ${known}`;
  if (lateIsOlder) await service.sql`update trusts set created_at = '2020-01-01' where id = ${wanted}`;
  const token = await key.sign({
    iss: issuer,
    sub: 'operator',
    aud: ['zonestead'],
    iat: seconds(),
    exp: seconds() + 600,
  });
  return { token, known, wanted };
}

test.each([0, 50, 150, 2_000, NEVER])(
  'a token of the administrator never acts for an older trust of a team: keys after %d ms',
  async (delayMs) => {
    const { token, wanted } = await twoTrusts(delayMs, { isOfMember: true, lateIsOlder: false });
    const reply = await service.request('GET', '/../account', undefined, token);
    if (delayMs === NEVER) {
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    } else {
      expect(reply.body).toMatchObject({ trust: { id: wanted }, team: { name: 'first' } });
    }
  },
);

test.each([0, 150, 2_000, NEVER])(
  'the older one of two trusts of the administrator is used: its keys after %d ms',
  async (delayMs) => {
    const { token, wanted } = await twoTrusts(delayMs, { isOfMember: false, lateIsOlder: true });
    const reply = await service.request('GET', '/../account', undefined, token);
    if (delayMs === NEVER) expect(reply.status).toBe(503);
    else expect(reply.body).toMatchObject({ trust: { id: wanted }, team: { name: 'first' } });
  },
);

test('a token that the trust of the administrator does not match is not for the trust of a team either', async () => {
  const issuer = 'https://outranked.example';
  const jwks = { keys: [key.jwk as Record<string, unknown>] };
  const ensure = async (team: string, sub: string) => {
    const terms = { name: team, issuer, match: { sub }, keySource: { kind: 'pinned' as const, jwks } };
    return (await ensureTrust(service.database.url, { team, terms }, randomBytes, new Date())).trustId;
  };
  const theirs = await ensure('attackers', 'tenant');
  const claims = { iss: issuer, sub: 'tenant', aud: ['zonestead'], iat: seconds(), exp: seconds() + 600 };
  const ask = async () => (await service.request('GET', '/../account', undefined, await key.sign(claims))).status;
  await ensure('first', 'operator');
  expect(await ask()).toBe(200);
  await service.sql`update trusts set created_by = ${attacker.id} where id = ${theirs}`;
  expect(await ask()).toBe(401);
});

test('an issuer that every team may use is outranked only for the tokens of the administrator', async () => {
  const issuer = 'https://token.actions.githubusercontent.com';
  const jwks = { keys: [key.jwk as Record<string, unknown>] };
  const ensure = async (team: string, repository: string) => {
    const terms = { name: team, issuer, match: { repository }, keySource: { kind: 'pinned' as const, jwks } };
    return (await ensureTrust(service.database.url, { team, terms }, randomBytes, new Date())).trustId;
  };
  const theirs = await ensure('attackers', 'theirs/dns');
  await service.sql`update trusts set created_by = ${attacker.id} where id = ${theirs}`;
  const ours = await ensure('first', 'ours/dns');
  for (const [repository, trust] of [
    ['theirs/dns', theirs],
    ['ours/dns', ours],
  ]) {
    const claims = { iss: issuer, sub: 'x', repository, aud: ['zonestead'], iat: seconds(), exp: seconds() + 600 };
    const { body } = await service.request('GET', '/../account', undefined, await key.sign(claims));
    expect(body).toMatchObject({ trust: { id: trust } });
  }
});
