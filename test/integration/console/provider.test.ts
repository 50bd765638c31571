// Signing in through OpenID Connect with a real provider: the people who are let in, their accounts and teams, and the
// answers to a browser that comes back with wrong values.
import { describe, expect, test } from 'vitest';
import { CONSOLE_ORIGIN, startConsoleWithProvider, visit } from '../../support/console/console.ts';
import { providerVisits } from '../../support/console/provider-visit.ts';
import { addPerson } from '../../support/service/people.ts';
import { CLIENT } from '../../support/tokens/identity-provider.ts';

const { idp, service } = await startConsoleWithProvider('ops=platform:owner,dev=platform,dev=web');
const { atProvider, signIn } = providerVisits(idp, service);
const person = (name: string, more: object = {}) =>
  idp.people.set(name, { email: `${name}@example.org`, email_verified: true, name, groups: ['dev'], ...more });

const rolesOf = async (email: string) =>
  Object.fromEntries(
    (
      await service.sql`select t.name, m.role from memberships m join teams t on t.id = m.team_id
        join users u on u.id = m.user_id where u.email = ${email}`
    ).map(({ name, role }) => [name, role]),
  );

test('a person of the provider is let in, and joins the teams of its groups with the highest role that they give', async () => {
  person('carol', { groups: ['dev', 'ops', 'unknown'] });
  const { browser, page } = await signIn('carol');
  expect([page.status, page.location]).toEqual([303, '/console/teams']);
  const { text } = await browser.get('/console/teams');
  expect(text).toContain('carol@example.org');
  expect(await rolesOf('carol@example.org')).toEqual({ platform: 'owner', web: 'member' });
});

test('a person of the provider gets the teams of its current groups with each sign-in; teams from elsewhere are kept', async () => {
  person('dave', { groups: ['ops'] });
  await signIn('dave');
  await addPerson(service, { email: 'dave@example.org', team: 'own' });
  person('dave', { groups: ['dev'], email: 'david@example.org' });
  await signIn('dave');
  expect(await rolesOf('david@example.org')).toEqual({ platform: 'member', web: 'member', own: 'owner' });
  person('dave', { groups: [] });
  const { page } = await signIn('dave');
  // The person is recognised, although the address was another one and no group is left.
  expect(page.location).toBe('/console/teams');
  expect(await rolesOf('dave@example.org')).toEqual({ own: 'owner' });
  const history = await service.sql`select action from account_changes where action like 'member.%' and subject =
      (select id from users where email = 'dave@example.org') order by id`;
  expect(history.map(({ action }) => action)).toEqual([
    'member.add',
    'member.add',
    'member.change',
    'member.add',
    'member.remove',
    'member.remove',
  ]);
});

test('a person of the provider is the existing person of that address if the provider has verified it', async () => {
  const known = await addPerson(service, { email: 'erin@example.org', team: 'old' });
  person('erin', { groups: [] });
  const { browser } = await signIn('erin');
  expect((await browser.get('/console/teams')).text).toContain('old');
  const rows = await service.sql`select user_id from identities where subject = 'erin'`;
  expect(rows.map(({ user_id }) => user_id)).toEqual([known.id]);
});

test.each([
  [{ email_verified: false }, 'has not verified your address'],
  [{}, 'ZONESTEAD_OIDC_TRUST_EMAIL=on'],
  // Some providers send a text.
  [{ email_verified: 'false' }, 'has not verified your address'],
  [{ email_verified: 'yes' }, 'has not verified your address'],
  [{ email: undefined, email_verified: true }, 'did not supply your e-mail address'],
])(
  'a person of the provider without a verified address (%j) is neither created nor attached to a person',
  async (claims, said) => {
    await addPerson(service, { email: 'known@example.org' });
    const before =
      await service.sql`select (select count(*) from users) users, (select count(*) from identities) known`;
    for (const email of ['Known@example.org', 'unknown@example.org']) {
      idp.people.set('impostor', { email, name: 'x', groups: ['dev', 'ops'], ...claims });
      const { browser, page } = await signIn('impostor');
      expect([page.status, page.text]).toEqual([403, expect.stringContaining(said)]);
      expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
    }
    expect(
      await service.sql`select (select count(*) from users) users, (select count(*) from identities) known`,
    ).toEqual(before);
  },
);

test('a person of the provider does not get another person’s account: the owner of an address that another person stated first gets a new account', async () => {
  idp.people.set('squatter', { email: 'late@example.org', name: 'x', groups: ['dev'] });
  await signIn('squatter');
  person('late');
  const { page } = await signIn('late');
  expect(page.status).toBe(303);
  const rows = await service.sql`
      select subject from identities where user_id = (select id from users where email = 'late@example.org')`;
  expect(rows.map(({ subject }) => subject)).toEqual(['late']);
});

test('a person of the provider is neither let in nor created without an account and without a group that has a team here', async () => {
  person('mallory', { groups: ['sales'] });
  const { page } = await signIn('mallory');
  expect(page.status).toBe(403);
  expect(page.text).toContain('None of your groups has a team here');
  expect(await service.sql`select 1 from users where email = 'mallory@example.org'`).toHaveLength(0);
});

test('a person of the provider is let in without a group after an invitation, and finds the invitation', async () => {
  const owner = await addPerson(service, { team: 'hosts' });
  const body = { email: 'Guest@example.org' };
  await service.request('POST', `/../account/teams/${owner.team}/members`, body, owner.text);
  idp.people.set('guest', { email: 'guest@example.org', name: 'x', groups: [] });
  expect((await signIn('guest')).page.status).toBe(403);
  person('guest', { groups: [] });
  const { browser, page } = await signIn('guest');
  expect(page.status).toBe(303);
  const { text } = await browser.get('/console/teams');
  expect(text).toContain('You have one open invitation: see Teams.');
  expect(text).toContain('<th scope="row">hosts</th>');
  expect(await rolesOf('guest@example.org')).toEqual({});
});

test('a person of the provider has the permissions of a person: a key created in the session works, and the history names the person', async () => {
  person('frank', { groups: ['ops'] });
  const { browser } = await signIn('frank');
  const home = /\/console\/teams\/team_\w+/.exec((await browser.get('/console/teams')).text)?.[0];
  await browser.get(`${home}/apps/new`);
  const made = await browser.post(`${home}/apps`, { name: 'from oidc', records: 'read', manageZones: 'none' });
  const minted = await browser.follow(made);
  const secret = /yk_\w+/.exec(minted.text)?.[0];
  expect((await service.request('GET', '/zones', undefined, secret!)).status).toBe(200);
  expect((await browser.get(`${home}/history`)).text).toContain('frank@example.org');
});

test('a browser that comes back with the state, code or cookie of another sign-in, or for a second time, is not signed in', async () => {
  person('grace');
  const [one, other] = [visit(service), visit(service)];
  const back = await atProvider((await one.get('/console/sign-in/provider')).location!, 'grace');
  await other.get('/console/sign-in/provider');
  for (const [browser, path] of [
    // The code of another sign-in, sent to a victim (login CSRF). The browser of the victim has started another
    // sign-in, or none.
    [other, back],
    [visit(service), back],
    [one, back.replace(/state=[^&]+/, 'state=other')],
  ] as const) {
    expect((await browser.get(path)).status).toBe(400);
    expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
  }
  const { browser } = await signIn('grace', one);
  const again = await browser.get(back);
  expect(again.status).toBe(400);
});

test('a browser that comes back without consent is told to sign in again', async () => {
  const browser = visit(service);
  const { location } = await browser.get('/console/sign-in/provider');
  const state = new URL(location!).searchParams.get('state');
  const iss = encodeURIComponent(idp.issuer);
  const page = await browser.get(`/console/sign-in/provider/back?error=access_denied&state=${state}&iss=${iss}`);
  expect(page.status).toBe(400);
  expect(page.text).toContain('did not confirm your identity');
});

test('a browser that comes back asks with code, PKCE, state and nonce, each new every time', async () => {
  const asked = await Promise.all([1, 2].map(() => visit(service).get('/console/sign-in/provider')));
  const [first, second] = asked.map(({ location }) => Object.fromEntries(new URL(location!).searchParams));
  expect(first).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid email profile',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(first?.[name]).toMatch(/^[\w-]{43}$/);
    expect(first?.[name]).not.toBe(second?.[name]);
  }
});

test('a provider that cannot be reached does not prevent signing in with a key', async () => {
  const lonely = await service.anotherConsole({
    ZONESTEAD_CONSOLE_URL: CONSOLE_ORIGIN,
    ZONESTEAD_OIDC_ISSUER: 'http://127.0.0.1:9',
    ZONESTEAD_OIDC_CLIENT_ID: CLIENT.id,
  });
  const browser = visit(lonely);
  const page = await browser.get('/console/sign-in/provider');
  expect(page.status).toBe(503);
  expect(page.text).toContain('127.0.0.1:9 cannot be reached');
  await browser.signIn((await addPerson(service)).text);
});

describe('with ZONESTEAD_OIDC_TRUST_EMAIL=on', async () => {
  const trusting = await startConsoleWithProvider('dev=platform', { ZONESTEAD_OIDC_TRUST_EMAIL: 'on' });
  const there = providerVisits(trusting.idp, trusting.service);

  test('with ZONESTEAD_OIDC_TRUST_EMAIL=on, an address without email_verified counts as verified, one with email_verified false does not', async () => {
    trusting.idp.people.set('heidi', { email: 'heidi@example.org', name: 'heidi', groups: ['dev'] });
    expect((await there.signIn('heidi')).page.status).toBe(303);
    expect(await trusting.service.sql`select 1 from users where email = 'heidi@example.org'`).toHaveLength(1);
    for (const email_verified of [false, 'false']) {
      trusting.idp.people.set('ivan', { email: 'ivan@example.org', email_verified, groups: ['dev'] });
      expect((await there.signIn('ivan')).page.status).toBe(403);
    }
  });
});

test('missing settings that an issuer requires are named at the start', async () => {
  const settings = { ZONESTEAD_OIDC_ISSUER: idp.issuer };
  await expect(startOnly(settings)).rejects.toThrow('ZONESTEAD_OIDC_CLIENT_ID is missing');
  await expect(startOnly({ ...settings, ZONESTEAD_OIDC_CLIENT_ID: 'x' })).rejects.toThrow(
    'ZONESTEAD_CONSOLE_URL is missing',
  );
});

async function startOnly(settings: Record<string, string>): Promise<void> {
  await service.anotherConsole(settings);
}
