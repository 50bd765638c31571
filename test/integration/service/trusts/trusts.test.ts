// The trusts of a team over HTTP: create, list, change, revoke, and which trusts are refused because they would open
// names to every account. test/integration/service/trusts/tokens.test.ts has the requests with tokens.
import { expect, test } from 'vitest';
import { addPerson } from '../../../support/service/people.ts';
import { GITHUB, NAMESPACE, startTrustTeams } from '../../../support/service/trusts.ts';

const { service, send, owner, member, stranger, trusts, jwk, pinned, create } = await startTrustTeams();
const { request } = service;
const zone = (await request('POST', '/zones', { zoneName: 'red.example', owner: `org:${owner.team}` }, owner.text))
  .body;
const CLUSTER = 'https://oidc.cluster.example';

test('a trust has the terms that were asked for, and defaults that give no rights', async () => {
  const made = await create();
  expect(made).toEqual({
    id: expect.stringMatching(/^trust_[0-9a-f]{12}$/),
    name: 'deployments',
    issuer: GITHUB,
    audience: `zonestead/${owner.team}`,
    keySource: { kind: 'discovery' },
    privateAddresses: false,
    match: { repository: 'acme/infrastructure' },
    maxTokenAge: 3600,
    pinSubjects: false,
    records: 'none',
    manageZones: 'none',
    clusters: 'none',
    signals: [],
    grants: [],
    onlyNames: null,
    onlyTypes: null,
    networks: null,
    zoneWrites: null,
    recordWrites: null,
    expiresAt: null,
    createdBy: { userId: member.id, email: member.email, isMember: true },
    createdAt: expect.any(String),
    revokedAt: null,
    lastUsedAt: null,
    awaitedZones: [],
    subjects: 0,
  });
  expect((await send(owner, 'GET', `${trusts}/${made.id}`)).body).toEqual(made);
  expect((await send(owner, 'GET', trusts)).body.trusts).toContainEqual(made);
  expect((await send(owner, 'GET', `${trusts}/${made.id}/subjects`)).body).toEqual({ subjects: [], total: 0 });
});

test('every term is kept in the form in which it is compared', async () => {
  const terms = {
    issuer: CLUSTER,
    keySource: pinned,
    match: { 'kubernetes.io': { namespace: '*' } },
    maxTokenAge: 600,
    records: 'write',
    grants: [{ zoneId: zone.id, records: 'read' }],
    onlyNames: [`*.App-${NAMESPACE}.APPS`],
    onlyTypes: ['A'],
    networks: ['2001:DB8::/32'],
    recordWrites: 7,
  };
  const made = await create(terms);
  expect(made).toMatchObject({
    ...terms,
    audience: `zonestead/${owner.team}`,
    pinSubjects: true,
    onlyNames: [`*.app-${NAMESPACE}.apps`],
    networks: ['2001:db8::/32'],
  });
  expect((await send(member, 'GET', `${trusts}/${made.id}`)).body).toEqual(made);
});

const anywhere = { issuer: CLUSTER, keySource: pinned, match: { 'kubernetes.io': { namespace: '*' } } };
test.each<[string, object, string]>([
  ['an issuer without TLS', { issuer: 'http://issuer.example' }, 'issuer'],
  ['an issuer with a query', { issuer: 'https://issuer.example/?a=b' }, 'issuer'],
  [
    'keys without TLS',
    { issuer: 'https://a.example', keySource: { kind: 'jwks', url: 'http://a.example/k' } },
    'keySource.url',
  ],
  ['the cluster of the service', { keySource: { kind: 'token-review' } }, 'keySource.kind'],
  [
    'a private key',
    { keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, d: 'AAAA' }] } } },
    'keySource.jwks.keys.0',
  ],
  [
    'a secret key',
    { keySource: { kind: 'pinned', jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } } },
    'keySource.jwks.keys.0',
  ],
  [
    'an RSA key of 1024 bits',
    { keySource: { kind: 'pinned', jwks: { keys: [{ kty: 'RSA', n: 'A'.repeat(171), e: 'AQ' }] } } },
    'keySource.jwks.keys.0',
  ],
  [
    'a name of a key that cannot be stored',
    { keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, kid: 'a\u0000' }] } } },
    'keySource.jwks.keys.0',
  ],
  [
    'a key with an object as a member',
    { keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, x: { a: '\u0000' } }] } } },
    'keySource.jwks.keys.0',
  ],
  [
    'a key with a long name',
    { keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, kid: 'k'.repeat(257) }] } } },
    'keySource.jwks.keys.0',
  ],
  ['no claims', { match: {} }, 'match'],
  ['a claim that identifies no subject', { match: { repository: 'acme/a', aud: 'zonestead' } }, 'match.aud'],
  ['claims nested in 5 levels', { match: { a: { b: { c: { d: { e: 'x' } } } } } }, 'match.a'],
  ['tokens of a day', { maxTokenAge: 86_400 }, 'maxTokenAge'],
  ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['every repository of GitHub', { match: { repository: '*' } }, 'match'],
  ['repositories of owners with a beginning', { match: { repository: 'ac*' } }, 'match'],
  ['a repository of any owner', { match: { repository: '*/infrastructure' } }, 'match'],
  ['a branch of any repository', { match: { ref: 'refs/heads/main' } }, 'match'],
  ['a called workflow', { match: { job_workflow_ref: 'acme/a/.github/workflows/x.yml@refs/heads/main' } }, 'match'],
  ['a name of a branch', { match: { repository: 'acme/*', ref: '*' }, onlyNames: [`\${ref}`] }, 'onlyNames.0'],
  ['every name to every namespace', { ...anywhere, records: 'write' }, 'onlyNames'],
  ['every name by a pattern', { ...anywhere, records: 'write', onlyNames: ['*'] }, 'onlyNames'],
  ['one name to every namespace', { ...anywhere, records: 'write', onlyNames: [`*.${NAMESPACE}`, 'www'] }, 'onlyNames'],
  ['every record to every namespace, to be read', { ...anywhere, records: 'read' }, 'onlyNames'],
  ['one zone to every namespace', { ...anywhere, grants: [{ zoneId: zone.id, records: 'write' }] }, 'onlyNames'],
  ['the zones to every namespace', { ...anywhere, manageZones: 'write', onlyNames: [NAMESPACE] }, 'manageZones'],
  [
    'a service account of any namespace',
    {
      ...anywhere,
      match: { 'kubernetes.io': { namespace: '*', serviceaccount: { name: 'default' } } },
      records: 'write',
    },
    'onlyNames',
  ],
  [
    'any subject of a cluster',
    { ...anywhere, match: { sub: 'system:serviceaccount:*:default' }, records: 'write' },
    'onlyNames',
  ],
  ['any subject that begins as all do', { ...anywhere, match: { sub: 'system:*' }, records: 'write' }, 'onlyNames'],
  [
    'names that the namespaces choose',
    {
      ...anywhere,
      match: { 'kubernetes.io': { namespace: '*', serviceaccount: { name: '*' } } },
      records: 'write',
      onlyNames: [`*.\${serviceaccount}`],
    },
    'onlyNames',
  ],
  [
    'a template of an unbound claim',
    { ...anywhere, records: 'write', onlyNames: [`*.\${environment}`] },
    'onlyNames.0',
  ],
  ['a template beside *', { ...anywhere, records: 'write', onlyNames: [`*${NAMESPACE}`] }, 'onlyNames.0'],
  ['a template between *', { ...anywhere, records: 'write', onlyNames: [`*.${NAMESPACE}.*`] }, 'onlyNames.0'],
  [
    'one name for two namespaces',
    {
      ...anywhere,
      match: { 'kubernetes.io': { namespace: '*', serviceaccount: { name: '*' } } },
      records: 'write',
      onlyNames: [`${NAMESPACE}-\${serviceaccount}`],
    },
    'onlyNames',
  ],
  ['a template with other characters', { ...anywhere, records: 'write', onlyNames: [`\${namespace`] }, 'onlyNames.0'],
])('a trust with %s is refused', async (_, terms, field) => {
  const { status, body } = await send(member, 'POST', trusts, {
    name: 'refused',
    issuer: GITHUB,
    match: { repository: 'acme/infrastructure' },
    ...terms,
  });
  expect({ status, field: body.field }, JSON.stringify(body)).toEqual({ status: 400, field });
});

test.each([
  [{ match: { repository: 'acme/*' }, records: 'write', manageZones: 'write' }],
  [{ match: { repository_owner_id: '1234', ref: 'refs/heads/*' }, records: 'write' }],
  [{ match: { sub: 'repo:acme/app:*' }, records: 'write' }],
  [{ issuer: 'https://gitlab.com', match: { project_path: 'acme/*' }, records: 'write' }],
  [
    {
      issuer: 'spiffe://example.org',
      keySource: pinned,
      match: { sub: 'spiffe://example.org/ns/dns/*' },
      records: 'write',
    },
  ],
  [
    {
      ...anywhere,
      records: 'write',
      onlyNames: [`*.\${serviceaccount}.${NAMESPACE}`, NAMESPACE],
      match: { 'kubernetes.io': { namespace: '*', serviceaccount: { name: '*' } } },
    },
  ],
  [{ ...anywhere, records: 'write', match: { sub: 'system:serviceaccount:team-a:*' } }],
  [{ ...anywhere }],
])('a trust that names its holders is accepted: %j', async (terms) => {
  await create(terms);
});

test('a change applies to the fields that are sent, is judged like a creation, and is in the history', async () => {
  const { id } = await create({ ...anywhere, records: 'write', onlyNames: [`*.${NAMESPACE}`] });
  const changed = await send(owner, 'PATCH', `${trusts}/${id}`, { name: 'renamed', recordWrites: 5 });
  expect(changed.body).toMatchObject({
    name: 'renamed',
    recordWrites: 5,
    onlyNames: [`*.${NAMESPACE}`],
    keySource: pinned,
  });
  expect((await send(owner, 'PATCH', `${trusts}/${id}`, { onlyNames: null })).status).toBe(400);
  expect((await send(owner, 'PATCH', `${trusts}/${id}`, { issuer: GITHUB })).body.field).toBe('issuer');
  expect((await send(owner, 'DELETE', `${trusts}/${id}`)).status).toBe(204);
  expect((await send(owner, 'DELETE', `${trusts}/${id}`)).status).toBe(204);
  expect((await send(owner, 'PATCH', `${trusts}/${id}`, { name: 'again' })).status).toBe(409);
  const { changes } = (await send(owner, 'GET', `/teams/${owner.team}/changes`)).body as {
    changes: { subject: string; action: string; before: unknown; after: unknown }[];
  };
  expect(changes.filter(({ subject }) => subject === id).reverse()).toMatchObject([
    { action: 'trust.create', before: null, after: { name: 'deployments', issuer: CLUSTER } },
    {
      action: 'trust.change',
      before: { name: 'deployments', recordWrites: null },
      after: { name: 'renamed', recordWrites: 5 },
    },
    { action: 'trust.revoke', before: { name: 'renamed' }, after: null },
  ]);
});

test('no person outside of the team sees or changes a trust, nor does an app key', async () => {
  const { id } = await create();
  for (const [method, path, body] of [
    ['GET', trusts, undefined],
    ['POST', trusts, { name: 'theirs', issuer: GITHUB, match: { repository: 'acme/a' } }],
    ['GET', `${trusts}/${id}`, undefined],
    ['PATCH', `${trusts}/${id}`, { name: 'theirs' }],
    ['DELETE', `${trusts}/${id}`, undefined],
    ['GET', `${trusts}/${id}/subjects`, undefined],
    ['POST', `${trusts}/${id}/subjects/accept`, { subject: 'x' }],
  ] as const) {
    expect((await send(stranger, method, path, body)).status, `${method} ${path}`).toBe(404);
    expect((await request(method, `/../account${path}`, body)).status, `${method} ${path}`).toBe(403);
  }
  const ours = `/teams/${stranger.team}/trusts/${id}`;
  expect((await send(stranger, 'GET', ours)).status).toBe(404);
  expect((await send(stranger, 'DELETE', ours)).status).toBe(404);
});

test('grants are for zones of the team, and come back with a zone that was deleted and restored', async () => {
  const theirs = await service.zone('first.example');
  const refused = await send(member, 'POST', trusts, {
    name: 'grants',
    issuer: GITHUB,
    match: { repository: 'acme/a' },
    grants: [{ zoneId: theirs.id, records: 'write' }],
  });
  expect([refused.status, refused.body.error]).toEqual([404, 'no_zone']);
  const own = (await request('POST', '/zones', { zoneName: 'back.example', owner: `org:${owner.team}` }, owner.text))
    .body;
  const { id } = await create({ grants: [{ zoneId: own.id, records: 'write' }] });
  expect((await request('DELETE', `/zones/${own.id}`, undefined, owner.text)).status).toBe(204);
  expect((await send(owner, 'GET', `${trusts}/${id}`)).body.grants).toEqual([]);
  expect((await request('POST', '/zones:restore', { zoneName: 'back.example' }, owner.text)).status).toBeLessThan(300);
  expect((await send(owner, 'GET', `${trusts}/${id}`)).body.grants).toEqual([{ zoneId: own.id, records: 'write' }]);
});

test('a member who leaves takes no trust along, if the owner asks for it', async () => {
  const leaver = await addPerson(service, { team: 'red', role: 'member' });
  const made = await send(leaver, 'POST', trusts, { name: 'mine', issuer: GITHUB, match: { repository: 'leaver/a' } });
  const { members } = (await send(owner, 'GET', `/teams/${owner.team}/members`)).body as {
    members: { userId: string; validKeys: number }[];
  };
  expect(members.find(({ userId }) => userId === leaver.id)?.validKeys).toBe(1);
  expect(
    (await send(owner, 'DELETE', `/teams/${owner.team}/members/${leaver.id}?revokeKeys=true`)).status,
  ).toBeLessThan(300);
  expect((await send(owner, 'GET', `${trusts}/${made.body.id}`)).body.revokedAt).not.toBeNull();
});

test('a trust keeps the members of the type of each key, and its history a digest of keys that stay', async () => {
  const extra = { n: 'n'.repeat(2_048), e: 'AQ', more: 'x' };
  const { id } = await create({ keySource: { kind: 'pinned', jwks: { keys: [{ ...jwk, kid: 'one', ...extra }] } } });
  expect((await send(member, 'GET', `${trusts}/${id}`)).body.keySource).toEqual(pinned);
  const change = async (terms: object) => {
    expect((await send(member, 'PATCH', `${trusts}/${id}`, terms)).status).toBe(200);
    const { changes } = (await send(member, 'GET', `/teams/${owner.team}/changes?limit=1`)).body as {
      changes: { before: { keySource: object }; after: { keySource: object } }[];
    };
    return [changes[0]?.before.keySource, changes[0]?.after.keySource];
  };
  const digest = { kind: 'pinned', keys: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(await change({ name: 'renamed' })).toEqual([digest, digest]);
  const other = { kind: 'pinned', jwks: { keys: [{ ...jwk, kid: 'two' }] } };
  expect(await change({ keySource: other })).toEqual([pinned, other]);
});
