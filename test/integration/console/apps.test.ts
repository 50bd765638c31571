// Team → Apps and Members: the pages have the effect of the API, and an error is shown at its field.
import { expect, test } from 'vitest';
import { startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const ben = await addPerson(service, { team: 'red', role: 'member', email: 'ben@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const sessions = new Map<string, Promise<Visit>>();
/** The rate-limit window of that person, which is the same for the whole file. */
const signedIn = (who: { text: string }): Promise<Visit> => {
  const open = async () => {
    const browser = visit(service);
    await browser.signIn(who.text);
    return browser;
  };
  const session = sessions.get(who.text) ?? open();
  sessions.set(who.text, session);
  return session;
};
const redZone = await service.zone('red.example', { ...ada, id: ada.keyId });
const apps = `/console/teams/${ada.team}/apps`;
const nothing = { records: 'none', manageZones: 'none' };
const keys = async () => (await service.sql`select count(*)::int as n from api_keys where team_id = ${ada.team}`)[0]?.n;
const secretIn = (text: string) => /<code id="key">(yk_[0-9a-f]{12}_[0-9a-f]{64})</.exec(text)?.[1] ?? '';
const errorAt = (text: string, field: string) =>
  new RegExp(`<small class="error" id="${field}-error">([^<]+)<`).exec(text)?.[1] ?? null;

test('an app key is created with all its permissions, works, is changed and is permanently revoked', async () => {
  const browser = await signedIn(ada);
  await browser.get(`${apps}/new`);
  const made = await browser.post(apps, {
    name: 'pipeline',
    records: 'read',
    manageZones: 'read',
    grantZone: ['RED.example', ''],
    grantLevel: ['write', 'none'],
    onlyNames: '_acme-challenge\r\nwww, *.app',
    onlyTypes: ['TXT', 'A'],
    onlyNumbers: 'TYPE65280, TYPE65281',
    networks: '127.0.0.0/8',
    expiresAt: '2099-01-31T12:00',
    zoneWrites: '5',
    recordWrites: '',
  });
  expect(made.status).toBe(303);
  const minted = await browser.follow(made);
  const secret = secretIn(minted.text);
  expect(minted.text).toContain(`Authorization: Bearer ${secret}`);
  expect(minted.text).toContain(`ZONESTEAD_API_KEY=${secret}`);
  expect(minted.text).toContain(`apiKey: ${secret}`);
  const keyId = secret.split('_')[1]!;
  const read = await service.request('GET', `/../account/teams/${ada.team}/keys/${keyId}`, undefined, ada.text);
  expect(read.body).toMatchObject({
    name: 'pipeline',
    records: 'read',
    manageZones: 'read',
    grants: [{ zoneId: redZone.id, records: 'write' }],
    onlyNames: ['_acme-challenge', 'www', '*.app'],
    onlyTypes: ['TXT', 'A', 'TYPE65280', 'TYPE65281'],
    networks: ['127.0.0.0/8'],
    expiresAt: '2099-01-31T12:00:00.000Z',
    zoneWrites: 5,
    recordWrites: null,
  });
  const record = { name: 'www', type: 'A', content: '192.0.2.1' };
  expect((await service.request('POST', `/zones/${redZone.id}/records`, record, secret)).status).toBe(201);

  const page = await browser.get(`${apps}/${keyId}`);
  for (const kept of [
    'value="pipeline"',
    'value="red.example"',
    'value="TYPE65280, TYPE65281"',
    'value="2099-01-31T12:00"',
    '127.0.0.0/8',
    '*.app',
  ]) {
    expect(page.text).toContain(kept);
  }
  expect(page.text).not.toContain(secret);
  const changed = await browser.post(`${apps}/${keyId}`, { name: 'reader', records: 'read', manageZones: 'none' });
  expect(changed.location).toBe(apps);
  const list = await browser.get(apps);
  expect(list.text).toContain('The key reader was changed');
  expect((await browser.get(apps)).text).not.toContain('The key reader was changed');
  const second = { name: 'two', type: 'A', content: '192.0.2.1' };
  expect((await service.request('POST', `/zones/${redZone.id}/records`, second, secret)).status).toBe(403);

  expect((await browser.get(`${apps}/${keyId}/revoke`)).status).toBe(200);
  expect((await service.request('GET', '/zones', undefined, secret)).status).toBe(200);
  await browser.post(`${apps}/${keyId}/revoke`);
  expect((await service.request('GET', '/zones', undefined, secret)).status).toBe(401);
  const revoked = await browser.post(`${apps}/${keyId}`, { name: 'again', ...nothing });
  expect(revoked.status).toBe(409);
  expect(revoked.text).toContain('This key is revoked permanently; create a new one.');
});

test.each([
  ['name', { name: '' }, /1 to 64 characters/],
  ['name', { name: 'a\u202eb' }, /1 to 64 characters/],
  ['records', { records: 'all' }, /one of none, read, write/],
  ['grants', { grantZone: 'nowhere.example', grantLevel: 'read' }, /does not exist, or does not belong to this team/],
  ['onlyNames', { onlyNames: 'ok\nno spaces!' }, /not a pattern of names/],
  ['onlyTypes', { onlyTypes: 'SOA' }, /makes the SOA record of a zone itself/],
  ['onlyTypes', { onlyTypes: 'NOPE' }, /one of A, AAAA/],
  ['onlyTypes', { onlyTypes: 'A', onlyNumbers: 'TYPE6' }, /TYPE6 is SOA/],
  ['networks', { networks: '10.0.0.0/8\n10.0.0.300' }, /10\.0\.0\.300/],
  ['expiresAt', { expiresAt: '2001-01-01T00:00' }, /is not a future time/],
  ['expiresAt', { expiresAt: 'tomorrow' }, /ISO 8601/],
  ['zoneWrites', { zoneWrites: '11' }, /at most 10 writes per minute/],
  ['recordWrites', { recordWrites: 'many' }, /whole number/],
  ['tsig', { tsig: 'hmac-sha3' }, /one of hmac-md5/],
])(
  'an app key with a wrong %s is not created; the error is shown at the field, and the typed values are kept (%j)',
  async (field, wrong, sentence) => {
    const browser = await signedIn(ada);
    const before = await keys();
    await browser.get(`${apps}/new`);
    const typed = { name: 'kept name', ...nothing, networks: '192.0.2.0/24', ...wrong };
    const { status, text } = await browser.post(apps, typed);
    expect([400, 404]).toContain(status);
    expect(errorAt(text, field)).toMatch(sentence);
    if (!('name' in wrong)) expect(text).toContain('value="kept name"');
    if (!('networks' in wrong)) expect(text).toContain('192.0.2.0/24</textarea>');
    expect(await keys()).toBe(before);
  },
);

test('an app key gets a TSIG key on request, whose secret is shown once', async () => {
  const browser = await signedIn(ada);
  expect((await browser.get(`${apps}/new`)).text).toContain('<option value="hmac-sha512">');
  const minted = await browser.follow(await browser.post(apps, { name: 'updates', ...nothing, tsig: 'hmac-sha512' }));
  const keyId = secretIn(minted.text).split('_')[1]!;
  const [row] = await service.sql`select name, algorithm, secret from tsig_keys where key_id = ${keyId}`;
  expect(row).toMatchObject({ name: `key-${keyId}.zonestead`, algorithm: 'hmac-sha512' });
  // The templates escape the plus signs of base64.
  const shown = minted.text.replaceAll('&#43;', '+').replaceAll('&quot;', '"').replaceAll('&#34;', '"');
  expect(shown).toContain(`<code id="tsig">${row?.secret}</code>`);
  expect(shown).toContain(`key "${row?.name}" {\n\talgorithm hmac-sha512;\n\tsecret "${row?.secret}";\n};`);
  expect(shown).toContain(`dns_rfc2136_secret = ${row?.secret}\ndns_rfc2136_algorithm = HMAC-SHA512`);
  for (const path of [apps, `${apps}/${keyId}`, `/console/teams/${ada.team}/history`]) {
    const { text } = await browser.get(path);
    expect(text).toContain(row?.name);
    expect(text).toContain('hmac-sha512');
    expect(text.replaceAll('&#43;', '+')).not.toContain(row?.secret);
  }
  const without = await browser.follow(await browser.post(apps, { name: 'no updates', ...nothing, tsig: '' }));
  expect(without.text).not.toContain('TSIG');
  expect(await service.sql`select from tsig_keys where key_id = ${secretIn(without.text).split('_')[1]!}`).toEqual([]);
});

test('an app key with several wrong fields gets all errors at once', async () => {
  const browser = await signedIn(ada);
  await browser.get(`${apps}/new`);
  const { text } = await browser.post(apps, { name: '', records: 'x', manageZones: 'y' });
  for (const field of ['name', 'records', 'manageZones']) expect(errorAt(text, field)).not.toBeNull();
});

test('an app key is shown as text if its name is markup', async () => {
  const browser = await signedIn(ada);
  await browser.get(`${apps}/new`);
  const name = `<script>alert(1)</script>"'><img src=x>`;
  const page = await browser.follow(await browser.post(apps, { name, ...nothing }));
  expect(page.text).not.toContain('<script>alert');
  for (const path of [apps, `/console/teams/${ada.team}/history`]) {
    const { text } = await browser.get(path);
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toMatch(/<script>alert|<img src=x/);
  }
});

test('two teams do not see each other: pages, keys, members and history answer 404, and nothing is changed', async () => {
  const browser = await signedIn(eve);
  const key = await service.key({ team: 'red' });
  await browser.get('/console/teams');
  const before = await keys();
  const home = `/console/teams/${ada.team}`;
  const gets = [apps, `${apps}/new`, `${apps}/${key.id}`, `${apps}/${key.id}/revoke`];
  for (const path of [...gets, `${home}/members`, `${home}/members/${ben.id}/remove`, `${home}/history`]) {
    const { status, text } = await browser.get(path);
    expect([path, status]).toEqual([path, 404]);
    expect(text).not.toContain('red');
  }
  const posts: [string, Record<string, string>][] = [
    [apps, { name: 'mine', ...nothing }],
    [`${apps}/${key.id}`, { name: 'mine', ...nothing }],
    [`${apps}/${key.id}/revoke`, {}],
    [`${home}/members`, { email: 'eve@example.org', role: 'owner' }],
    [`${home}/members/${ben.id}`, { role: 'owner' }],
    [`${home}/members/${ben.id}/remove`, {}],
    [`${home}/invitations/inv_0/revoke`, {}],
    [`${home}/name`, { name: 'taken over' }],
  ];
  for (const [path, fields] of posts) {
    await browser.get('/console/teams');
    expect([path, (await browser.post(path, fields)).status]).toEqual([path, 404]);
  }
  expect(await keys()).toBe(before);
  expect((await service.request('GET', '/zones', undefined, key.text)).status).toBe(200);
  // A key of the own team cannot get a permission on a zone of the other team either.
  const own = `/console/teams/${eve.team}/apps`;
  await browser.get(own);
  const stolen = await browser.post(own, { name: 'x', ...nothing, grantZone: 'red.example', grantLevel: 'write' });
  expect(errorAt(stolen.text, 'grants')).toMatch(/does not exist, or does not belong to this team/);
  const byId = await browser.post(own, { name: 'x', ...nothing, grantZone: redZone.id, grantLevel: 'write' });
  expect(errorAt(byId.text, 'grants')).toMatch(/does not exist, or does not belong to this team/);
});

const members = `/console/teams/${ada.team}/members`;

test('the members of a team are invited by owners, and become members by accepting; errors are shown at their field', async () => {
  const browser = await signedIn(ada);
  const carl = await addPerson(service, { email: 'carl@example.org' });
  await browser.get(members);
  expect(errorAt((await browser.post(members, { email: 'x', role: 'member' })).text, 'email')).toMatch(/e-mail/);
  const twice = await browser.post(members, { email: 'ben@example.org', role: 'member' });
  expect([twice.status, errorAt(twice.text, 'email')]).toEqual([409, expect.stringContaining('is a member')]);
  expect(twice.text).toContain('value="ben@example.org"');
  expect((await browser.post(members, { email: 'carl@example.org', role: 'member' })).status).toBe(303);
  const page = await browser.get(members);
  expect(page.text).toContain('carl@example.org was invited.');
  expect(page.text).toContain('Revoke<span class="unseen"> the invitation of carl@example.org');

  const guest = visit(service);
  await guest.signIn(carl.text);
  const teams = await guest.get('/console/teams');
  expect(teams.text).toContain('You have one open invitation: see Teams.');
  expect(teams.text).toContain('<th scope="row">red</th>');
  const accept = /action="(\/console\/invitations\/inv_\w+\/accept)"/.exec(teams.text)?.[1] ?? '';
  const accepted = await guest.post(accept);
  expect(accepted.location).toBe(members);
  expect((await guest.get(members)).text).toContain('You are now a member of the team red.');
  const again = await guest.post(accept);
  expect([again.status, again.text]).toEqual([404, expect.stringContaining('No such invitation to you')]);

  await browser.get(members);
  await browser.post(`${members}/${carl.id}`, { role: 'owner' });
  expect((await browser.get(members)).text).toContain('carl@example.org is now owner of the team.');
  await browser.get(`${members}/${carl.id}/remove`);
  await browser.post(`${members}/${carl.id}/remove`);
  expect((await browser.get(members)).text).not.toContain('carl@example.org</th>');
});

test('the members of a team are not added if the person declines the invitation or an owner revokes it', async () => {
  const browser = await signedIn(ada);
  const dora = await addPerson(service, { email: 'dora@example.org' });
  const guest = visit(service);
  await guest.signIn(dora.text);
  const inviteDora = async () => {
    await browser.get(members);
    await browser.post(members, { email: 'dora@example.org', role: 'member' });
    return /\/console\/invitations\/inv_\w+/.exec((await guest.get('/console/teams')).text)?.[0] ?? '';
  };
  expect((await guest.post(`${await inviteDora()}/decline`)).location).toBe('/console/teams');
  expect((await guest.get('/console/teams')).text).toContain('The invitation was declined.');
  const second = await inviteDora();
  const page = await browser.get(members);
  const revoke = /action="(\/console\/teams\/\w+\/invitations\/inv_\w+\/revoke)"/.exec(page.text)?.[1] ?? '';
  expect((await browser.post(revoke)).location).toBe(members);
  expect((await browser.get(members)).text).not.toContain('dora@example.org');
  expect((await guest.post(`${second}/accept`)).status).toBe(404);
  await browser.get(members);
  expect((await browser.post(revoke)).status).toBe(404);
});

test('the members of a team lose their keys only on request', async () => {
  const browser = await signedIn(ada);
  const [finn, gil] = [
    await addPerson(service, { team: 'red', role: 'member', email: 'finn@example.org' }),
    await addPerson(service, { team: 'red', role: 'member', email: 'gil@example.org' }),
  ];
  const mint = async ({ text }: { text: string }) => {
    const path = `/../account/teams/${ada.team}/keys`;
    const { body } = await service.request('POST', path, { name: `key of ${text.slice(3, 9)}`, records: 'read' }, text);
    return String(body.secret);
  };
  const [kept, revoked] = [await mint(finn), await mint(gil)];
  const stays = await browser.get(`${members}/${finn.id}/remove`);
  expect(stays.text).toContain(`key of ${finn.text.slice(3, 9)}`);
  expect(stays.text).toContain('Revoke it too');
  await browser.post(`${members}/${finn.id}/remove`);
  expect((await service.request('GET', '/zones', undefined, kept)).status).toBe(200);
  expect((await browser.get(apps)).text).toMatch(
    /finn@example\.org<\/small><br><span class="tag warn">no longer a member/,
  );
  const terms = { name: 'trust of gil', issuer: 'https://issuer.example.org', match: { sub: 'gil' } };
  await service.request('POST', `/../account/teams/${ada.team}/trusts`, terms, gil.text);
  const both = await browser.get(`${members}/${gil.id}/remove`);
  expect(both.text).toMatch(/\/trusts\/trust_\w+">trust of gil<[\s\S]*Revoke all 2 of them too/);
  await browser.post(`${members}/${gil.id}/remove`, { revokeKeys: 'on' });
  expect((await browser.get(members)).text).toContain('The member was removed. 2 keys and trusts were revoked.');
  expect(await service.sql`select from trusts where name = 'trust of gil' and revoked_at is null`).toEqual([]);
  expect((await service.request('GET', '/zones', undefined, revoked)).status).toBe(401);
});

test('the members of a team cannot lose their last owner', async () => {
  const browser = await signedIn(ada);
  await browser.get(members);
  const left = await browser.post(`${members}/${ada.id}/remove`);
  expect(left.status).toBe(409);
  expect(left.text).toContain('This is the last owner of the team: make another member owner first.');
});

test('the members of a team without the role owner see the members and may leave, and are offered nothing else', async () => {
  const browser = await signedIn(ben);
  const page = await browser.get(members);
  expect(page.text).toContain('ada@example.org');
  expect(page.text).not.toContain('Invite a person');
  expect((await browser.post(members, { email: 'eve@example.org', role: 'member' })).status).toBe(403);
  const left = await browser.post(`${members}/${ben.id}/remove`);
  expect(left.location).toBe('/console/teams');
  expect((await browser.get(members)).status).toBe(404);
});

test('the members of a team appear in the history with their name and their changes', async () => {
  const browser = await signedIn(ada);
  const { text } = await browser.get(`/console/teams/${ada.team}/history`);
  for (const entry of ['Created key', 'Revoked key', 'Invited carl@example.org', 'Added member', 'ada@example.org'])
    expect(words(text)).toContain(entry);
});

test('a team is created and renamed; a name that is taken is refused at its field', async () => {
  const browser = await signedIn(eve);
  await browser.get('/console/teams');
  const taken = await browser.post('/console/teams', { name: 'red' });
  expect(errorAt(taken.text, 'name')).toMatch(/is taken/);
  const created = await browser.post('/console/teams', { name: 'green' });
  expect(created.location).toMatch(/^\/console\/teams\/team_[0-9a-f]+\/apps$/);
  const home = created.location!.replace('/apps', '');
  await browser.get(`${home}/history`);
  await browser.post(`${home}/name`, { name: 'lime' });
  expect((await browser.get('/console/teams')).text).toContain('lime');
});
