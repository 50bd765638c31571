// A person of an OpenID provider is the account there, not the address: an address that changes hands, addresses with
// characters that look alike, sign-ins that come back twice, and the commands of the administrator.
import { expect, test, vi } from 'vitest';
import {
  adminLinkPerson,
  adminListPeople,
  adminRemovePerson,
  adminResumePerson,
  adminSuspendPerson,
} from '#service/accounts/people-administration.ts';
import { startConsoleWithProvider, visit } from '../../support/console/console.ts';
import { providerVisits } from '../../support/console/provider-visit.ts';
import { addPerson } from '../../support/service/people.ts';

const { idp, service } = await startConsoleWithProvider('dev=platform', { ZONESTEAD_LIMITS: 'off' });
const { url } = service.database;
const { atProvider, signIn } = providerVisits(idp, service);
const person = (subject: string, email: string, more: object = {}) =>
  idp.people.set(subject, { email, email_verified: true, name: subject, groups: ['dev'], ...more });
const userOf = async (subject: string) =>
  (await service.sql`select user_id from identities where subject = ${subject}`)[0]?.user_id ?? null;
const isIn = async (browser: ReturnType<typeof visit>) => (await browser.get('/console/teams')).status === 200;

test('an address that the provider gives to another account opens no account, until its person has another one', async () => {
  person('alice', 'kim@example.org');
  await signIn('alice');
  const alice = await userOf('alice');
  await addPerson(service, { email: 'kim@example.org', team: 'hers' });
  person('adam', 'kim@example.org');
  const refused = (await signIn('adam')).page;
  expect([refused.status, await userOf('adam')]).toEqual([403, null]);
  expect(refused.text).toContain('another account of your identity provider');
  expect(refused.text).toContain('zonestead admin users link');
  // The address follows the account, so the old one becomes free.
  person('alice', 'alice@example.org');
  const { browser } = await signIn('alice');
  expect((await browser.get('/console/teams')).text).toContain('alice@example.org');
  const there = await signIn('adam');
  expect(there.page.status).toBe(303);
  expect([await userOf('alice'), (await userOf('adam')) === alice]).toEqual([alice, false]);
  expect((await there.browser.get('/console/teams')).text).not.toContain('hers');
  const changes = await service.sql`select before, after from account_changes where action = 'user.change'`;
  expect(changes).toEqual([{ before: { email: 'kim@example.org' }, after: { email: 'alice@example.org' } }]);
  // A person cannot take the address of another person by stating it.
  person('alice', 'kim@example.org');
  const taken = (await signIn('alice')).page;
  expect([taken.status, taken.text]).toEqual([
    403,
    expect.stringContaining('which another person of this service has'),
  ]);
  person('alice', 'alice@example.org', { email_verified: false });
  expect((await signIn('alice')).page.status).toBe(303);
});

test.each([
  '\u212Aurt@example.org',
  'kurt@ex\u00e4mple.org',
  'kurt@b\u00fccher.example',
  '"kurt"@example.org',
  'kurt@localhost',
])('the address %s is refused', async (email) => {
  await addPerson(service, { email: 'kurt@example.org' });
  person('other', email);
  const { page } = await signIn('other');
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('ASCII characters before the @')]);
  expect(await userOf('other')).toBe(null);
});

test('the administrator moves a person to another account, and the sessions of both end', async () => {
  person('old', 'lee@example.org');
  const { browser } = await signIn('old');
  const lee = await userOf('old');
  person('new', 'lee@example.org');
  expect((await signIn('new')).page.status).toBe(403);
  const link = { email: 'LEE@example.org', issuer: idp.issuer, subject: 'new' };
  expect(await adminLinkPerson(url, { ...link, dryRun: true }, new Date())).toBe('old');
  expect([await userOf('new'), await isIn(browser)]).toEqual([null, true]);
  expect(await adminLinkPerson(url, link, new Date())).toBe('old');
  expect([await userOf('new'), await userOf('old'), await isIn(browser)]).toEqual([lee, null, false]);
  expect((await signIn('new')).page.status).toBe(303);
  expect((await signIn('old')).page.status).toBe(403);
  expect(await adminLinkPerson(url, link, new Date())).toBe('new');
  await expect(adminLinkPerson(url, { ...link, email: 'nobody@example.org' }, new Date())).rejects.toThrow('no user');
});

test('a suspended person has no valid key and no session, and cannot sign in; after the suspension the keys are valid', async () => {
  person('sue', 'sue@example.org');
  const { browser } = await signIn('sue');
  const key = (await addPerson(service, { email: 'sue@example.org' })).text;
  const ask = async () => (await service.request('GET', '/../account', undefined, key)).status;
  const change = async () =>
    (await service.request('POST', '/../account/teams', { name: `of sue ${n++}` }, key)).status;
  let n = 0;
  expect([await ask(), await change(), await isIn(browser)]).toEqual([200, 201, true]);
  expect(await adminSuspendPerson(url, 'sue@example.org', new Date())).toBe(true);
  expect(await adminSuspendPerson(url, 'sue@example.org', new Date())).toBe(false);
  expect([await ask(), await change(), await isIn(browser)]).toEqual([401, 401, false]);
  const { page } = await signIn('sue');
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('has suspended your access')]);
  // Not with another account of the provider either.
  person('sue2', 'sue@example.org');
  expect((await signIn('sue2')).page.status).toBe(403);
  expect((await adminListPeople(url)).find(({ email }) => email === 'sue@example.org')?.suspendedAt).not.toBe(null);
  // Nor with a first account, of a person who had none.
  await addPerson(service, { email: 'first@example.org' });
  await adminSuspendPerson(url, 'first@example.org', new Date());
  person('first', 'first@example.org');
  expect((await signIn('first')).page.text).toContain('has suspended your access');
  expect(await adminResumePerson(url, 'sue@example.org', new Date())).toBe(true);
  expect([await ask(), await isIn(browser), (await signIn('sue')).page.status]).toEqual([200, false, 303]);
});

test('a removed person has nothing left, and the address is free; a team never loses its only owner silently', async () => {
  const gone = await addPerson(service, { email: 'gone@example.org', team: 'lonely' });
  await addPerson(service, { email: 'gone@example.org', team: 'shared' });
  const heir = await addPerson(service, { email: 'heir@example.org', team: 'shared' });
  const remove = (more: object = {}) => adminRemovePerson(url, { email: 'gone@example.org', ...more }, new Date());
  await expect(remove()).rejects.toThrow('gone@example.org is the only owner of "lonely"; name the next owner');
  await expect(remove({ heir: 'gone@example.org' })).rejects.toThrow('must be another user');
  await adminSuspendPerson(url, 'heir@example.org', new Date());
  await expect(remove({ heir: 'heir@example.org' })).rejects.toThrow('heir@example.org is suspended');
  await adminResumePerson(url, 'heir@example.org', new Date());
  const zone = await service.request('POST', '/zones', { zoneName: 'gone.example', owner: 'personal' }, gone.text);
  await expect(remove({ force: true })).rejects.toThrow('has personal zones: gone.example; delete them first');
  await service.request('DELETE', `/zones/${zone.body.id}`, undefined, gone.text);
  const team = await service.request('GET', `/../account/teams/${gone.team}`, undefined, gone.text);
  expect(team.body.role).toBe('owner');
  const appKey = await service.request('POST', `/../account/teams/${gone.team}/keys`, { name: 'kept' }, gone.text);
  expect(appKey.status).toBe(201);
  await remove({ heir: 'heir@example.org', dryRun: true });
  expect((await service.request('GET', '/../account', undefined, gone.text)).status).toBe(200);
  expect(await remove({ heir: 'heir@example.org', revokeKeys: true })).toHaveLength(2);
  expect((await service.request('GET', '/../account', undefined, gone.text)).status).toBe(401);
  expect((await service.request('GET', '/../account', undefined, String(appKey.body.secret))).status).toBe(401);
  const inherited = await service.request('GET', `/../account/teams/${gone.team}`, undefined, heir.text);
  expect(inherited.body.role).toBe('owner');
  expect((await adminListPeople(url)).map(({ email }) => email)).not.toContain('gone@example.org');
  await expect(remove()).rejects.toThrow('there is no user gone@example.org');
  const again = await addPerson(service, { email: 'gone@example.org' });
  expect(again.id).not.toBe(gone.id);
  expect((await service.request('GET', '/../account/teams', undefined, again.text)).body).toEqual({ teams: [] });
});

test('a removed person stays removed: no command finds the row', async () => {
  const ghost = await addPerson(service, { email: 'ghost@example.org' });
  await adminRemovePerson(url, { email: 'ghost@example.org' }, new Date());
  const [row] = await service.sql`select email from users where id = ${ghost.id}`;
  const email = String(row?.email);
  await expect(adminResumePerson(url, email, new Date())).rejects.toThrow('there is no user');
  const link = { email, issuer: idp.issuer, subject: 'ghost' };
  await expect(adminLinkPerson(url, link, new Date())).rejects.toThrow('there is no user');
  await expect(addPerson(service, { email })).rejects.toThrow('is not an address that a person');
});

test('a team keeps an owner who is not suspended', async () => {
  const [one, other] = [
    await addPerson(service, { email: 'one@example.org', team: 'two owners' }),
    await addPerson(service, { email: 'other@example.org', team: 'two owners' }),
  ];
  await adminSuspendPerson(url, 'one@example.org', new Date());
  const member = (id: string) => `/../account/teams/${one.team}/members/${id}`;
  const change = (method: 'DELETE' | 'PATCH', id: string, body?: object) =>
    service.request(method, member(id), body, other.text);
  expect((await change('DELETE', other.id)).body.message).toContain('last owner');
  expect((await change('PATCH', other.id, { role: 'member' })).body.message).toContain('last owner');
  await expect(adminRemovePerson(url, { email: 'other@example.org' }, new Date())).rejects.toThrow(
    'other@example.org is the only owner of "two owners"',
  );
  expect((await change('PATCH', one.id, { role: 'member' })).status).toBe(200);
});

test('a sign-in that meets the removal or the suspension of its person leaves neither session nor account', async () => {
  for (const [name, end] of [
    ['met', () => adminRemovePerson(url, { email: 'met@example.org' }, new Date())],
    ['held', () => adminSuspendPerson(url, 'held@example.org', new Date())],
  ] as const) {
    const { id } = await addPerson(service, { email: `${name}@example.org` });
    person(name, `${name}@example.org`, { groups: [] });
    expect((await signIn(name)).page.status).toBe(303);
    const sessions = () => service.sql<{ id: string }[]>`
      select id from api_keys where user_id = ${id} and name = 'console' and revoked_at is null`;
    const [session] = await sessions();
    const [ended, signed] = await service.sql.begin(async (held) => {
      await held`select from api_keys where id = ${session!.id} for update`;
      const ending = end();
      const waits = () => held`select from pg_locks where not granted`;
      // It has read the sessions, and waits to end this one.
      await vi.waitFor(async () => expect(await waits()).not.toHaveLength(0), { timeout: 10_000 });
      const signing = signIn(name);
      let isSignedIn = false;
      void signing.then(() => {
        isSignedIn = true;
      });
      await vi.waitFor(async () => expect(isSignedIn || (await waits()).length > 1).toBe(true), { timeout: 20_000 });
      return [{ ending }, { signing }] as const;
    });
    await ended.ending;
    expect([name, (await signed.signing).page.status, await sessions()]).toEqual([name, 403, []]);
  }
});

test('a sign-in comes back once: a copy of its cookie does not reach the provider', async () => {
  person('copy', 'copy@example.org');
  const browser = visit(service);
  const back = await atProvider((await browser.get('/console/sign-in/provider')).location!, 'copy');
  const copy = visit(service, browser.cookie);
  expect((await browser.get(back)).status).toBe(303);
  const repeated = await copy.get(back);
  expect([repeated.status, repeated.text]).toEqual([400, expect.not.stringContaining('did not confirm')]);
});

test('a person signs in at most 30 times in a minute', async () => {
  const many = await addPerson(service, { email: 'many@example.org' });
  const attempts = [];
  for (let n = 0; n < 31; n += 1) {
    const browser = visit(service);
    await browser.get('/console/sign-in');
    attempts.push((await browser.post('/console/sign-in', { key: many.text, to: '' })).status);
  }
  expect(attempts).toEqual([...Array(30).fill(303), 429]);
});

test('after a sign-out the page offers to sign out of the provider too', async () => {
  person('out', 'out@example.org');
  const { browser } = await signIn('out');
  await browser.get('/console/teams');
  const left = await browser.post('/console/sign-out', {});
  expect(left.location).toBe('/console/sign-in?ended=provider');
  expect((await browser.get(left.location!)).text).toContain('href="/console/sign-out/provider"');
  const { location } = await browser.get('/console/sign-out/provider');
  expect(location).toMatch(new RegExp(`^${idp.issuer}/session/end\\?`));
  expect(new URL(location!).searchParams.get('client_id')).toBe('zonestead');
  const key = (await addPerson(service)).text;
  await browser.signIn(key);
  await browser.get('/console/teams');
  expect((await browser.post('/console/sign-out', {})).location).toBe('/console/sign-in');
});
