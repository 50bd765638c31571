// Issuer and audience of the trusts of different teams: they belong to one team, and no trust can reserve them.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminCreateTrust } from '#service/credentials/administration.ts';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { GITHUB, startTrustTeams } from '../../../support/service/trusts.ts';

const { service, send, owner, member, stranger, trusts, jwk, pinned, create } = await startTrustTeams();

const others = `/teams/${stranger.team}/trusts`;
const issuer = 'https://tokens.example.org';
const terms = { name: 'theirs', issuer, match: { sub: 'someone' }, audience: 'zonestead' };
const endAll = async () => {
  for (const { id } of (await send(member, 'GET', trusts)).body.trusts as { id: string }[])
    await send(member, 'DELETE', `${trusts}/${id}`);
};

test('issuer and audience belong to one team, unless its keys differ from those of the other', async () => {
  const ours = await create(terms);
  const refused = await send(stranger, 'POST', others, terms);
  expect([refused.status, refused.body.field]).toEqual([400, 'audience']);
  expect(refused.body.message).toContain(`use zonestead/${stranger.team}`);
  const theirs = await send(stranger, 'POST', others, { ...terms, audience: undefined });
  expect(theirs.status).toBe(201);
  const path = `${others}/${theirs.body.id}`;
  expect((await send(stranger, 'PATCH', path, { audience: 'zonestead' })).body.field).toBe('audience');
  expect((await send(stranger, 'PATCH', path, { name: 'renamed' })).status).toBe(200);
  // The same team may have several; a revoked trust does not count.
  await create(terms);
  await endAll();
  expect((await send(member, 'GET', `${trusts}/${ours.id}`)).body.revokedAt).not.toBeNull();
  expect((await send(stranger, 'PATCH', path, { audience: 'zonestead' })).status).toBe(200);

  const withKey = (kid: string) => ({
    ...terms,
    issuer: 'https://pinned.example.org',
    keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, kid }] } },
  });
  await create(withKey('first'));
  expect((await send(stranger, 'POST', others, withKey('first'))).status).toBe(400);
  expect((await send(stranger, 'POST', others, withKey('second'))).status).toBe(201);
});

test('issuer and audience belong to one of two teams that ask for them at the same time', async () => {
  for (const round of [1, 2, 3]) {
    const race = { ...terms, issuer: `https://race-${round}.example.org` };
    const replies = await Promise.all([send(member, 'POST', trusts, race), send(stranger, 'POST', others, race)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  }
});

test('issuer and audience cannot be reserved: each team has an audience that no other team may use', async () => {
  for (const each of [GITHUB, 'https://gitlab.com', 'https://login.example.org']) {
    const match = { repository_id: '1', project_id: '1', sub: 'nobody' };
    await create({ issuer: each, match, audience: 'zonestead' });
    const taken = { name: 'squatter', issuer: each, match, audience: `zonestead/${stranger.team}` };
    const reply = await send(member, 'POST', trusts, taken);
    expect([reply.status, reply.body.field]).toEqual([400, 'audience']);
    expect((await send(stranger, 'POST', others, { name: 'ours', issuer: each, match })).status).toBe(201);
  }
});

test('issuer and audience are free when a trust expires, and its own again only if they still are', async () => {
  const short = { ...terms, issuer: 'https://short.example.org' };
  const { id } = await create(short);
  await service.sql`update trusts set expires_at = now() - interval '1 second' where id = ${id}`;
  const next = await send(stranger, 'POST', others, short);
  expect(next.status).toBe(201);
  const prolonged = () => send(member, 'PATCH', `${trusts}/${id}`, { expiresAt: null });
  expect((await prolonged()).body.field).toBe('audience');
  await send(stranger, 'DELETE', `${others}/${next.body.id}`);
  expect((await prolonged()).status).toBe(200);
});

test.each<[string, object, object, number]>([
  ['repositories of other owners', { repository: 'acme/a' }, { repository: 'zeta/*' }, 201],
  ['an owner and the repository of another', { repository_owner: 'acme' }, { sub: 'repo:zeta/x:*' }, 201],
  ['other ids', { repository_id: '1' }, { repository_id: '2' }, 201],
  ['the same repository', { repository: 'acme/a' }, { repository: 'acme/a' }, 400],
  ['a repository and its owner in other letters', { repository: 'acme/a' }, { repository_owner: 'Acme' }, 400],
  ['an id and a name, which may be the same', { repository_id: '1' }, { repository: 'zeta/x' }, 400],
])('issuer and audience are shared by owner at a public issuer: %s', async (_, mine, theirs, status) => {
  const audience = `shared-${_.length}`;
  await create({ match: mine, audience });
  const reply = await send(stranger, 'POST', others, { name: 'theirs', issuer: GITHUB, match: theirs, audience });
  expect(reply.status, reply.text).toBe(status);
});

test('issuer and audience belong to the administrator alone if they are of the cluster of the service', async () => {
  const own = { name: 'own', issuer: 'https://own-cluster.example', match: { sub: 'operator' } };
  const ensured = { ...own, keySource: { kind: 'cluster' as const } };
  await ensureTrust(service.database.url, { team: 'platform', terms: ensured }, randomBytes, new Date());
  for (const each of [own.issuer, 'https://kubernetes.default.svc', 'https://kubernetes.default.svc.cluster.local']) {
    const reply = await send(member, 'POST', trusts, { ...own, issuer: each, keySource: pinned });
    expect([reply.status, reply.body.field]).toEqual([400, 'issuer']);
    expect(reply.body.message).toContain('zonestead admin trusts create');
  }
  expect(
    (await send(member, 'POST', trusts, { ...own, issuer: 'https://kubernetes.default.svc-a.example' })).status,
  ).toBe(201);
});

test('issuer and audience are taken from the members of other teams if the administrator trusts them, which the history says', async () => {
  const early = { ...terms, issuer: 'https://corporate.example.org' };
  const { id } = await create(early);
  const other = await create({ ...early, audience: 'another' });
  const input = { ...early, name: 'administrators' };
  const made = await adminCreateTrust(service.database.url, { team: 'platform' }, input, randomBytes, new Date());
  expect(made.revoked).toMatchObject([{ id, teamName: 'red' }]);
  expect((await send(owner, 'GET', `${trusts}/${id}`)).body.revokedAt).not.toBeNull();
  expect((await send(owner, 'GET', `${trusts}/${other.id}`)).body.revokedAt).toBeNull();
  const { changes } = (await send(owner, 'GET', `/teams/${owner.team}/changes`)).body as {
    changes: { subject: string; action: string }[];
  };
  expect(changes.find(({ subject }) => subject === id)).toMatchObject({ action: 'trust.revoke' });
  expect((await send(member, 'POST', trusts, early)).body.field).toBe('audience');
});
