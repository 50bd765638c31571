// The trust that accepts a token: its rights, its end, the choice among several trusts, and the pins of its subjects.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminAcceptSubject, adminRevokeTrust } from '#service/credentials/administration.ts';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { mintKey } from '#service/keys/keys.ts';
import { openDatabase } from '#store/database.ts';
import { refusal } from '../../../support/http/requests.ts';
import { accountApi } from '../../../support/service/people.ts';
import { CLUSTER, NAMESPACE, startTokenService } from '../../../support/service/trusts.ts';
import { issuerKey } from '../../../support/tokens/keys.ts';

const { service, key, zone, owner, ensure, claimsOf, tokenOf, write, everyone } = await startTokenService();
const { request, sql, database } = service;

test('a trust gives exactly the rights that a key with the same terms has', async () => {
  const db = openDatabase(database.url, { max: 1, name: 'test' });
  try {
    const levels = ['none', 'read', 'write'] as const;
    const cases = levels.flatMap((records) =>
      levels.flatMap((manageZones) =>
        [null, ['own', '*.own']].flatMap((onlyNames) =>
          [null, ['A']].map((onlyTypes) => ({ records, manageZones, onlyNames, onlyTypes })),
        ),
      ),
    );
    for (const [at, terms] of cases.entries()) {
      const audience = `case-${at}`;
      await ensure({ name: audience, match: { 'kubernetes.io': { namespace: 'same' } }, audience, ...terms });
      const token = await tokenOf('same', 'web', { aud: [audience] });
      const minted = await mintKey(
        db.db,
        { teamId: owner.team, name: audience, zoneWrites: null, recordWrites: null, ...terms },
        randomBytes,
      );
      const answers = async (text: string, name: string) => [
        ...(await Promise.all(
          ['', `/${zone.id}`, `/${zone.id}/records`, `/${zone.id}/changes`, `/${zone.id}/zonefile`].map(
            async (path) => (await request('GET', `/zones${path}`, undefined, text)).status,
          ),
        )),
        (await write(text, `${name}.own`)).status,
        (await write(text, `${name}.other`)).status,
        (await write(text, `${name}.own`, 'TXT')).status,
        (await request('PATCH', `/zones/${zone.id}`, { state: 'active' }, text)).status,
      ];
      expect(await answers(token, `t${at}`), JSON.stringify(terms)).toEqual(await answers(minted.text, `k${at}`));
    }
  } finally {
    await db.close();
  }
});

test('a trust that is revoked or expired accepts no token from the next request on', async () => {
  const id = await ensure({ match: { 'kubernetes.io': { namespace: 'gone' } }, audience: 'gone' });
  const token = await tokenOf('gone', 'web', { aud: ['gone'] });
  expect((await write(token, 'a.gone')).status).toBe(201);
  await sql`update trusts set expires_at = now() - interval '1 second' where id = ${id}`;
  expect((await write(token, 'b.gone')).body.message).toContain('has expired');
  await sql`update trusts set expires_at = null where id = ${id}`;
  expect((await write(token, 'c.gone')).status).toBe(201);
  await adminRevokeTrust(database.url, id, new Date());
  expect(refusal(await write(token, 'd.gone'))).toBe('401 unauthorized');
});

test('a trust that is revoked while a change waits for its zone writes nothing', async () => {
  const id = await ensure({ match: { 'kubernetes.io': { namespace: 'late' } }, audience: 'late' });
  const token = await tokenOf('late', 'web', { aud: ['late'] });
  expect((await write(token, 'a.late')).status).toBe(201);
  let waiting: ReturnType<typeof write> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from zones where id = ${zone.id} for update`;
    waiting = write(token, 'b.late');
    await expect
      .poll(
        async () =>
          (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
            .length,
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    await adminRevokeTrust(database.url, id, new Date());
  });
  expect((await waiting)?.status).toBe(401);
  expect(await sql`select from records where name = 'b.late'`).toHaveLength(0);
});

test('a trust is found by the key that signed the token, if several have the same issuer and claims', async () => {
  const others = await issuerKey('one');
  const issuer = 'https://twins.example';
  const match = { sub: 'one' };
  const jwks = (each: typeof key) => ({
    kind: 'pinned' as const,
    jwks: { keys: [each.jwk as Record<string, unknown>] },
  });
  const mine = await ensure({ issuer, match, keySource: jwks(key) });
  const theirs = await ensure({ issuer, match, keySource: jwks(others) }, 'second');
  const claims = { ...claimsOf('x'), iss: issuer, sub: 'one' };
  for (const [signer, trust, team] of [
    [key, mine, 'first'],
    [others, theirs, 'second'],
  ] as const) {
    const { body } = await request('GET', '/../account', undefined, await signer.sign(claims));
    expect(body).toMatchObject({ trust: { id: trust }, team: { name: team } });
  }
});

test('a trust that is older wins, and a test of the token says so', async () => {
  const issuer = 'https://twice.example';
  const first = await ensure({ issuer, match: { sub: 'one' } });
  const second = await ensure({ issuer, match: { sub: 'o*' } });
  const token = await key.sign({ ...claimsOf('x'), iss: issuer, sub: 'one' });
  const { body } = await accountApi(service).send(owner, 'POST', `/teams/${owner.team}/trusts/test`, { token });
  expect(body).toMatchObject({ issuer, subject: 'one', trust: first });
  const verdicts = body.verdicts as { trust: string; accepts: boolean; reason: string }[];
  expect(verdicts.find(({ trust }) => trust === second)?.reason).toContain(`A request uses the trust ${first}`);
  expect(verdicts.find(({ trust }) => trust === everyone)).toMatchObject({
    accepts: false,
    reason: expect.stringContaining('was issued by "https://twice.example"'),
  });
});

test('a trust comes before an older one that a member of the same team made, if the administrator made it', async () => {
  const issuer = 'https://same-team.example';
  const keySource = { kind: 'pinned', jwks: { keys: [key.jwk] } };
  const early = { name: 'early', issuer, audience: 'zonestead', keySource, match: { sub: 'one' } };
  expect((await accountApi(service).send(owner, 'POST', `/teams/${owner.team}/trusts`, early)).status).toBe(201);
  const later = await ensure({ issuer, match: { sub: 'one' } });
  const token = await key.sign({ ...claimsOf('x'), iss: issuer, sub: 'one' });
  const { body } = await request('GET', '/../account', undefined, token);
  expect(body).toMatchObject({ trust: { id: later } });
});

test('a trust has at most 10,000 subjects', async () => {
  const id = await ensure({ audience: 'crowded', onlyNames: [`*.${NAMESPACE}`] });
  const of = (namespace: string) => tokenOf(namespace, 'web', { aud: ['crowded'] });
  expect((await write(await of('first'), 'www.first')).status).toBe(201);
  await sql`insert into api_keys (id, team_id, name, secret_hash, records, manage_zones, trust_id, subject)
      select 'crowd' || n, ${owner.team}, 'x', '', 'none', 'none', ${id}, 'subject ' || n from generate_series(2, 10000) n`;
  const refused = await write(await of('late'), 'www.late');
  expect([refusal(refused), refused.body.message]).toEqual([
    '401 unauthorized',
    expect.stringContaining('has 10000 subjects, which is the maximum'),
  ]);
  expect((await write(await of('first'), 'mail.first')).status).toBe(201);
  await sql`delete from api_keys where id like 'crowd%'`;
});

test('a trust comes before an older one that a member of another team made, if the administrator made it', async () => {
  const issuer = 'https://claimed.example';
  const keySource = { kind: 'pinned', jwks: { keys: [key.jwk] } };
  const early = { name: 'early', issuer, audience: 'zonestead', keySource, match: { sub: 'one' } };
  const { status } = await accountApi(service).send(owner, 'POST', `/teams/${owner.team}/trusts`, early);
  expect(status).toBe(201);
  const later = await ensure({ issuer, match: { sub: 'one' } }, 'second');
  const token = await key.sign({ ...claimsOf('x'), iss: issuer, sub: 'one' });
  const { body } = await request('GET', '/../account', undefined, token);
  expect(body).toMatchObject({ trust: { id: later }, team: { name: 'second' } });
});

test('a trust keeps the UID of a service account, and refuses another one until a person accepts it', async () => {
  const subject = 'system:serviceaccount:pinned:web';
  const known = await tokenOf('pinned');
  const again = await tokenOf('pinned', 'web', {}, 'uid-again');
  expect((await write(known, 'a.pinned')).status).toBe(201);
  const refused = await write(again, 'b.pinned');
  expect([refusal(refused), refused.body.message]).toEqual([
    '401 unauthorized',
    expect.stringContaining(`zonestead trusts accept ${everyone} ${subject} --uid uid-again`),
  ]);
  await adminAcceptSubject(database.url, everyone, { subject, uid: 'uid-again' }, new Date());
  expect((await write(again, 'b.pinned')).status).toBe(201);
  expect(refusal(await write(known, 'c.pinned'))).toBe('401 unauthorized');
  const path = `/teams/${owner.team}/trusts/${everyone}/subjects/accept`;
  const { send: person } = accountApi(service);
  expect((await person(owner, 'POST', path, { subject })).status).toBe(204);
  expect((await write(known, 'c.pinned')).status).toBe(201);
  expect(refusal(await write(again, 'd.pinned'))).toBe('401 unauthorized');
  expect((await person(owner, 'POST', path, { subject: 'nobody' })).status).toBe(404);
  expect((await person(owner, 'POST', path, { subject, uid: '\u0000' })).body.field).toBe('uid');
});

test('a trust that the installation ensures twice is one trust, and changes if its terms do', async () => {
  const terms = { name: 'own', match: { 'kubernetes.io': { namespace: 'own' } }, issuer: CLUSTER };
  const ensured = async (change: object = {}) =>
    ensureTrust(database.url, { team: 'first', terms: { ...terms, ...change } }, randomBytes, new Date());
  const made = await ensured();
  expect(made.state).toBe('registered');
  expect(await ensured()).toEqual({ ...made, state: 'known' });
  expect(await ensured({ records: 'write' })).toEqual({ ...made, state: 'changed' });
  expect(await ensured({ records: 'write' })).toEqual({ ...made, state: 'known' });
});
