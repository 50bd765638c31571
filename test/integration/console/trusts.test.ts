// Team → Trusts: the pages have the effect of the API, an error is shown at its field, a tested token is kept nowhere,
// and another team sees nothing.
import { expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';
import { issuerKey, seconds } from '../../support/tokens/keys.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const redZone = await service.zone('red.example', { ...ada, id: ada.keyId });
const [browser, stranger] = [visit(service), visit(service)];
await browser.signIn(ada.text);
await stranger.signIn(eve.text);

const trusts = `/console/teams/${ada.team}/trusts`;
const rest = (method: 'GET' | 'POST', path: string, body?: unknown) =>
  service.request(method, `/../account/teams/${ada.team}/trusts${path}`, body, ada.text);
const key = await issuerKey('one');
const jwks = JSON.stringify({ keys: [key.jwk] });
// biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the service.
const NAMESPACE = '${namespace}';
const ISSUER = 'https://west.example.org';
const kubernetes = {
  kind: 'kubernetes',
  name: 'cluster west',
  issuer: ISSUER,
  audience: 'zonestead',
  keySource: 'pinned',
  jwks,
  namespace: '*',
  serviceAccount: '',
  pinSubjects: 'on',
  records: 'write',
  manageZones: 'none',
  onlyNames: `${NAMESPACE}\r\n*.${NAMESPACE}`,
};
const errorAt = (text: string, field: string) =>
  new RegExp(`id="${field}-error">([^<]+)<`).exec(text)?.[1]?.replaceAll('&quot;', '"').replaceAll('&#34;', '"') ??
  null;
const count = async () => (await service.sql`select count(*)::int as n from trusts`)[0]?.n;
const idIn = (location: string | null) => /trusts\/(\w+)/.exec(location ?? '')?.[1] ?? '';
const LONG = { timeout: 60_000, interval: 100 };
/** For a trust with an issuer of its own: of several trusts that accept a token, the oldest one is used. */
const tokenOf = (namespace: string, uid: string, change: Record<string, unknown> = {}) =>
  key.sign({
    iss: ISSUER,
    aud: ['zonestead'],
    sub: `system:serviceaccount:${namespace}:dns`,
    iat: seconds(),
    exp: seconds() + 600,
    'kubernetes.io': { namespace, serviceaccount: { name: 'dns', uid } },
    ...change,
  });

/** Creates the trust of the form above, or one that differs. */
async function create(change: Record<string, string> = {}) {
  await browser.get(`${trusts}/new?kind=kubernetes`);
  return browser.post(trusts, { ...kubernetes, ...change });
}

test('a trust is created for a cluster with all its terms, changed, and permanently revoked', async () => {
  const made = await create({
    grantZone: 'RED.example',
    grantLevel: 'read',
    onlyTypes: 'TXT',
    networks: '127.0.0.0/8',
  });
  expect(made.status).toBe(303);
  const id = idIn(made.location);
  expect((await rest('GET', `/${id}`)).body).toMatchObject({
    name: 'cluster west',
    issuer: ISSUER,
    audience: 'zonestead',
    keySource: { kind: 'pinned', jwks: { keys: [{ kid: 'one' }] } },
    match: { 'kubernetes.io': { namespace: '*' } },
    pinSubjects: true,
    records: 'write',
    manageZones: 'none',
    grants: [{ zoneId: redZone.id, records: 'read' }],
    onlyNames: [NAMESPACE, `*.${NAMESPACE}`],
    onlyTypes: ['TXT'],
    networks: ['127.0.0.0/8'],
  });
  const page = await browser.follow(made);
  expect(page.text).toContain('The trust cluster west was created.');
  expect(page.text).toContain('kubernetes.io.namespace = *');
  expect((await browser.get(trusts)).text).toContain('cluster west');

  const form = await browser.get(`${trusts}/${id}/edit`);
  for (const kept of ['value="cluster west"', 'value="red.example"', `*.${NAMESPACE}</textarea>`, '127.0.0.0/8']) {
    expect(form.text).toContain(kept);
  }
  const changed = await browser.post(`${trusts}/${id}/edit`, {
    name: 'cluster east',
    records: 'read',
    manageZones: 'none',
    onlyNames: `*.${NAMESPACE}`,
  });
  expect(changed.location).toBe(`${trusts}/${id}`);
  expect((await rest('GET', `/${id}`)).body).toMatchObject({
    name: 'cluster east',
    records: 'read',
    onlyTypes: null,
  });

  expect((await browser.get(`${trusts}/${id}/revoke`)).text).toContain('You cannot undo this');
  const revoked = await browser.post(`${trusts}/${id}/revoke`);
  expect((await browser.follow(revoked)).text).toContain('The trust cluster east was revoked.');
  expect((await rest('GET', `/${id}`)).body).toMatchObject({ revokedAt: expect.any(String) });
  const late = await browser.post(`${trusts}/${id}/edit`, { name: 'again', records: 'none', manageZones: 'none' });
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('This trust is revoked permanently')]);
});

test.each<[string, Record<string, string>, object]>([
  [
    'github',
    { repositoryId: '456789', ownerId: '123456', environment: 'production', ref: '', refProtected: 'on' },
    { repository_id: '456789', repository_owner_id: '123456', environment: 'production', ref_protected: 'true' },
  ],
  ['gitlab', { projectId: '46573356', refProtected: 'on' }, { project_id: '46573356', ref_protected: 'true' }],
  ['spiffe', { spiffeId: 'spiffe://example.org/ns/*' }, { sub: 'spiffe://example.org/ns/*' }],
  [
    'oidc',
    { subject: 'robot', claims: 'groups = dns\r\nhttps://a.b/c=d' },
    { sub: 'robot', groups: 'dns', 'https://a.b/c': 'd' },
  ],
])('a trust for issuers of the kind %s binds the claims of its fields', async (kind, fields, match) => {
  const start = await browser.get(`${trusts}/new?kind=${kind}`);
  const value = (field: string) => new RegExp(`name="${field}"[^>]*? value="([^"]*)"`).exec(start.text)?.[1] ?? '';
  const issuer = value('issuer') || (kind === 'spiffe' ? 'spiffe://example.org' : 'https://login.example.org');
  const source =
    kind === 'spiffe' ? { keySource: 'jwks', jwksUrl: 'https://bundle.example.org' } : { keySource: 'discovery' };
  const rights = { records: 'write', manageZones: 'none', onlyNames: 'shop' };
  const made = await browser.post(trusts, { kind, name: kind, issuer, ...source, ...rights, ...fields });
  expect([made.status, made.text]).toEqual([303, '']);
  expect((await rest('GET', `/${idIn(made.location)}`)).body).toMatchObject({ issuer, match, onlyNames: ['shop'] });
});

test.each<[string, Record<string, string>, RegExp]>([
  ['name', { name: '' }, /1 to 64 characters/],
  ['issuer', { issuer: 'http://west.example.org' }, /https:\/\//],
  ['keySource', { jwks: 'no JSON' }, /./],
  ['keySource', { jwks: '{"keys": []}' }, /1 to 16 keys/],
  ['match', { namespace: '' }, /1 to 16 claims/],
  ['onlyNames', { onlyNames: 'all' }, /would open/],
  ['onlyNames', { onlyNames: '' }, /would open/],
  ['onlyNames', { onlyNames: `*${NAMESPACE}` }, /in the label of a template/],
  ['networks', { networks: '10.0.0.300' }, /10\.0\.0\.300/],
  ['grants', { grantZone: 'nowhere.example', grantLevel: 'read' }, /does not exist, or does not belong/],
])('a trust with a wrong %s is not created, and the typed values are kept (%j)', async (field, wrong, sentence) => {
  const before = await count();
  const { status, text } = await create({ audience: 'kept-audience', ...wrong });
  expect([400, 404]).toContain(status);
  expect(errorAt(text, field)).toMatch(sentence);
  expect(text).toContain('value="kept-audience"');
  expect(await count()).toBe(before);
});

test('a trust is created once if its form is sent twice', async () => {
  const page = await browser.get(`${trusts}/new`);
  const form = { ...kubernetes, name: 'twice', _once: page.once.at(-1) ?? '' };
  const before = await count();
  const [one, two] = [await browser.post(trusts, form), await browser.post(trusts, form)];
  expect([one.status, two.location]).toEqual([303, one.location]);
  expect(await count()).toBe(before + 1);
});

test('a trust is shown as text if its name is markup', async () => {
  const made = await create({ name: '<script>alert(1)</script>' });
  for (const path of [trusts, made.location ?? '', `${made.location}/revoke`, `/console/teams/${ada.team}/history`]) {
    expect((await browser.get(path)).text).toContain('&lt;script&gt;alert(1)');
  }
});

test('the form of a trust has the fields of the chosen kind, and keeps the name', async () => {
  await browser.get(`${trusts}/new`);
  const { text } = await browser.post(`${trusts}/kind`, { ...kubernetes, kind: 'gitlab' });
  expect(text).toContain('value="https://gitlab.com"');
  expect(text).toContain('value="cluster west"');
  expect(text).not.toContain('name="serviceAccount"');
  expect(text).toContain('<option value="gitlab" selected>');
  const part = await browser.post(`${trusts}/kind`, { kind: 'spiffe' }, { 'hx-request': 'true' });
  expect(part.text).not.toContain('<html');
  expect(part.text).toContain('name="spiffeId"');
});

test.each<[Record<string, string>, RegExp]>([
  [
    { namespace: '*' },
    /namespace shop: <span class="mono">shop, \*\.shop<[\s\S]*namespace billing: <span class="mono">billing, \*\.billing</,
  ],
  [{ namespace: 'team-*' }, /namespace team-shop: <span class="mono">team-shop, \*\.team-shop</],
  [{ onlyNames: '' }, /namespace shop: all names/],
  [
    { onlyNames: `*.${NAMESPACE.replace('namespace', 'serviceaccount')}` },
    /stands for a claim that &quot;match&quot; does not demand/,
  ],
  [{ namespace: 'Not_A_Label' }, /needs one label of a domain name/],
  [{ namespace: '' }, /Fill in a claim/],
])('the form of a trust shows which tokens would get which names (%j)', async (change, shown) => {
  const { text } = await browser.post(`${trusts}/preview`, { ...kubernetes, ...change }, { 'hx-request': 'true' });
  expect(text).toMatch(shown);
  expect(text).not.toContain('<html');
});

test('the subjects of a trust are listed with their last use, and a new service account is accepted', async () => {
  const id = idIn((await create({ name: 'pinned', issuer: 'https://pinned.example.org' })).location);
  expect((await browser.get(`${trusts}/${id}`)).text).toContain('No token was used yet.');
  const uses = async (uid: string) =>
    service.request('GET', '/zones', undefined, await tokenOf('shop', uid, { iss: 'https://pinned.example.org' }));
  expect((await uses('uid-1')).status).toBe(200);
  const subject = 'system:serviceaccount:shop:dns';
  await expect
    .poll(async () => (await browser.get(`${trusts}/${id}`)).text, LONG)
    .toMatch(/system:serviceaccount:shop:dns[\s\S]*uid-1[\s\S]*<time/);
  expect((await uses('uid-2')).status).toBe(401);
  const page = await browser.get(`${trusts}/${id}/accept?subject=${encodeURIComponent(subject)}`);
  expect(page.text).toContain(subject);
  const accepted = await browser.post(`${trusts}/${id}/accept`, { subject, uid: 'uid-2' });
  expect((await browser.follow(accepted)).text).toContain('The service account with the UID uid-2');
  expect([(await uses('uid-2')).status, (await uses('uid-1')).status]).toEqual([200, 401]);
  expect((await browser.get(`${trusts}/${id}/revoke`)).text).toContain(subject);
  const unknown = await browser.post(`${trusts}/${id}/accept`, { subject: 'unknown', uid: '' });
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('has no subject unknown')]);
  await browser.post(`${trusts}/${id}/revoke`);
});

test('the test of a token names the trust that accepts it, or says why none does, and keeps the token nowhere', async () => {
  const iss = 'https://tested.example.org';
  await create({ name: 'the right one', issuer: iss });
  const page = await browser.get(`${trusts}/test`);
  const sent = async () => (await service.sql`select count(*)::int as n from idempotency`)[0]?.n;
  const before = await sent();
  const token = await tokenOf('shop', 'uid-1', { iss });
  const _once = page.once.at(-1) ?? '';
  const good = await browser.post(`${trusts}/test`, { token, _once });
  expect(good.text).toContain('The trust the right one accepts the token.');
  expect(good.text).toContain('system:serviceaccount:shop:dns');
  expect(good.text).toMatch(/shop, \*\.shop/);
  const foreign = await tokenOf('shop', 'uid-1', { iss, aud: 'https://kubernetes.default.svc' });
  const bad = await browser.post(`${trusts}/test`, { token: foreign });
  expect(bad.text).toContain('No trust of this team accepts the token.');
  expect(bad.text).toMatch(/refuses[\s\S]*audience/);
  const empty = await browser.post(`${trusts}/test`, { token: '' });
  expect([empty.status, errorAt(empty.text, 'token')]).toEqual([400, expect.stringMatching(/JSON Web Token/)]);
  for (const each of [token, foreign]) {
    const [, payload = '', signature = ''] = each.split('.');
    for (const part of [payload, signature]) {
      for (const { text } of [good, bad, await browser.get(`${trusts}/test`)]) expect(text).not.toContain(part);
      expect(JSON.stringify(service.log)).not.toContain(part);
    }
  }
  expect(await sent()).toBe(before);
});

test('another team sees no trust: every page answers 404, and nothing is changed', async () => {
  const id = idIn((await create({ name: 'ours' })).location);
  const before = await count();
  for (const path of ['', '/new', '/test', `/${id}`, `/${id}/edit`, `/${id}/revoke`, `/${id}/accept?subject=x`]) {
    const { status, text } = await stranger.get(`${trusts}${path}`);
    expect([path, status]).toEqual([path, 404]);
    expect(text).not.toContain('ours');
  }
  const forms: [string, Record<string, string>][] = [
    ['', kubernetes],
    ['/preview', kubernetes],
    ['/test', { token: await tokenOf('shop', 'uid-1') }],
    [`/${id}/edit`, { name: 'mine', records: 'write', manageZones: 'write' }],
    [`/${id}/revoke`, {}],
    [`/${id}/accept`, { subject: 'x' }],
  ];
  for (const [path, fields] of forms) {
    await stranger.get('/console/teams');
    expect([path, (await stranger.post(`${trusts}${path}`, fields)).status]).toEqual([path, 404]);
  }
  expect(await count()).toBe(before);
  expect((await browser.get(`${trusts}/${id}`)).text).not.toContain('revoked');
});
