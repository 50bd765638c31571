// Signing in through OpenID Connect, against a real provider: who gets in, as whom, into which teams, and what a browser
// that comes back with something else is told.
import { describe, expect, test } from 'vitest';
import { CONSOLE_ORIGIN, startConsoleWithProvider, type Visit, visit } from '../../support/console.ts';
import { CLIENT } from '../../support/identity-provider.ts';
import { addPerson } from '../../support/people.ts';

const { idp, service } = await startConsoleWithProvider('ops=platform:owner,dev=platform,dev=web');
const person = (name: string, more: object = {}) =>
  idp.people.set(name, { email: `${name}@example.org`, email_verified: true, name, groups: ['dev'], ...more });

/** Signs in at the provider and gives the path with which it sends the browser back. */
async function atProvider(address: string, login: string): Promise<string> {
  const browser = visit({ url: idp.issuer });
  let page = await browser.get(address.replace(idp.issuer, ''));
  for (let step = 0; step < 12; step++) {
    if (page.location?.startsWith(CONSOLE_ORIGIN)) return page.location.slice(CONSOLE_ORIGIN.length);
    if (page.location !== null) {
      page = await browser.get(page.location.replace(idp.issuer, ''));
      continue;
    }
    const [, action] = /action="([^"]+)"/.exec(page.text) ?? [];
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page.text) ?? [];
    if (!action || !prompt) throw new Error(`the provider shows no form: ${page.status} ${page.text}`);
    page = await browser.post(action.replace(idp.issuer, ''), { prompt, login, password: 'any' });
  }
  throw new Error('the provider does not come to an end');
}

async function signIn(login: string, browser: Visit = visit(service)) {
  const { location } = await browser.get('/console/sign-in/provider?to=/console/teams');
  const page = await browser.get(await atProvider(location!, login));
  return { browser, page };
}

const rolesOf = async (email: string) =>
  Object.fromEntries(
    (
      await service.sql`select t.name, m.role from memberships m join teams t on t.id = m.team_id
        join users u on u.id = m.user_id where u.email = ${email}`
    ).map(({ name, role }) => [name, role]),
  );

describe('a person of the provider', () => {
  test('gets in, and into the teams of its groups with the highest role that they give', async () => {
    person('carol', { groups: ['dev', 'ops', 'unknown'] });
    const { browser, page } = await signIn('carol');
    expect([page.status, page.location]).toEqual([303, '/console/teams']);
    const { text } = await browser.get('/console/teams');
    expect(text).toContain('carol@example.org');
    expect(await rolesOf('carol@example.org')).toEqual({ platform: 'owner', web: 'member' });
  });

  test('has with the next sign-in what its groups say then; teams that are not the provider’s stay', async () => {
    person('dave', { groups: ['ops'] });
    await signIn('dave');
    await addPerson(service, { email: 'dave@example.org', team: 'own' });
    person('dave', { groups: ['dev'], email: 'david@example.org' });
    await signIn('dave');
    expect(await rolesOf('dave@example.org')).toEqual({ platform: 'member', web: 'member', own: 'owner' });
    person('dave', { groups: [] });
    const { page } = await signIn('dave');
    // Known as before, although the address is another one and no group is left.
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

  test('is the person of that address when the provider has verified it, and nobody when it has not', async () => {
    const known = await addPerson(service, { email: 'erin@example.org', team: 'old' });
    for (const email_verified of [false, undefined]) {
      person('impostor', { email: 'Erin@example.org', email_verified });
      const { browser, page } = await signIn('impostor');
      expect(page.status).toBe(403);
      expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
    }
    person('erin', { groups: [] });
    const { browser } = await signIn('erin');
    expect((await browser.get('/console/teams')).text).toContain('old');
    const rows = await service.sql`select user_id from identities where subject = 'erin'`;
    expect(rows.map(({ user_id }) => user_id)).toEqual([known.id]);
  });

  test('whom nobody added and whose groups have no team here is not let in, nor made', async () => {
    person('mallory', { groups: ['sales'] });
    const { page } = await signIn('mallory');
    expect(page.status).toBe(403);
    expect(page.text).toContain('None of your groups has a team here');
    expect(await service.sql`select 1 from users where email = 'mallory@example.org'`).toHaveLength(0);
  });

  test('may use what people may: a key minted in the session works, and the history says who', async () => {
    person('frank', { groups: ['ops'] });
    const { browser } = await signIn('frank');
    const home = /\/console\/teams\/team_\w+/.exec((await browser.get('/console/teams')).text)?.[0];
    await browser.get(`${home}/apps/new`);
    const minted = await browser.post(`${home}/apps`, { name: 'from oidc', records: 'read', manageZones: 'none' });
    const secret = /yk_\w+/.exec(minted.text)?.[0];
    expect((await service.request('GET', '/zones', undefined, secret!)).status).toBe(200);
    expect((await browser.get(`${home}/history`)).text).toContain('frank@example.org');
  });
});

describe('a browser that comes back', () => {
  test('with the state, code or cookie of another sign-in, or for a second time, is not signed in', async () => {
    person('grace');
    const [one, other] = [visit(service), visit(service)];
    const back = await atProvider((await one.get('/console/sign-in/provider')).location!, 'grace');
    await other.get('/console/sign-in/provider');
    for (const [browser, path] of [
      // Somebody else's code, sent to a victim (login CSRF): the victim's browser has begun another sign-in, or none.
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

  test('without having agreed is told to begin again', async () => {
    const browser = visit(service);
    const { location } = await browser.get('/console/sign-in/provider');
    const state = new URL(location!).searchParams.get('state');
    const iss = encodeURIComponent(idp.issuer);
    const page = await browser.get(`/console/sign-in/provider/back?error=access_denied&state=${state}&iss=${iss}`);
    expect(page.status).toBe(400);
    expect(page.text).toContain('did not confirm who you are');
  });

  test('asks with code, PKCE, state and nonce, each new every time', async () => {
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
});

test('a provider that cannot be reached does not keep people with a key out', async () => {
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

test('settings that are missing beside an issuer are named at the start', async () => {
  const settings = { ZONESTEAD_OIDC_ISSUER: idp.issuer };
  await expect(startOnly(settings)).rejects.toThrow('ZONESTEAD_OIDC_CLIENT_ID is missing');
  await expect(startOnly({ ...settings, ZONESTEAD_OIDC_CLIENT_ID: 'x' })).rejects.toThrow(
    'ZONESTEAD_CONSOLE_URL is missing',
  );
});

async function startOnly(settings: Record<string, string>): Promise<void> {
  await service.anotherConsole(settings);
}
