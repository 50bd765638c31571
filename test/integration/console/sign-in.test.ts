// Signing in to the console and out, and the attacks that its cookie, forms and headers resist.
import { expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });

test('the base address leads a browser to the console, and tells another client that there is nothing', async () => {
  const get = (accept: string) => fetch(`${service.url}/`, { headers: { accept }, redirect: 'manual' });
  const page = await get('text/html,application/xhtml+xml;q=0.9');
  expect([page.status, page.headers.get('location'), page.headers.get('vary')]).toEqual([303, '/console/', 'accept']);
  const other = await get('*/*');
  expect([other.status, await other.json()]).toMatchObject([404, { error: 'not_found' }]);
});

test('signing in with a key leads to the requested page, and signing out ends it', async () => {
  const browser = visit(service);
  const asked = await browser.get('/console/teams');
  expect([asked.status, asked.location]).toEqual([303, '/console/sign-in?to=%2Fconsole%2Fteams']);
  await browser.get(asked.location!);
  const into = await browser.post('/console/sign-in', { key: ada.text, to: '/console/teams' });
  expect([into.status, into.location]).toEqual([303, '/console/teams']);
  expect((await browser.get('/console/teams')).text).toContain('ada@example.org');
  const out = await browser.post('/console/sign-out');
  expect([out.status, out.location]).toEqual([303, '/console/sign-in']);
  expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
});

test('signing in is refused at the field without a valid personal key, and the error does not reveal which part was wrong', async () => {
  const app = await service.key({ team: 'red' });
  const sentences = new Set<string>();
  for (const key of ['', 'hello', ada.text.slice(0, -1) + (ada.text.endsWith('0') ? '1' : '0')]) {
    const browser = visit(service);
    await browser.get('/console/sign-in');
    const { status, text } = await browser.post('/console/sign-in', { key });
    expect(status).toBe(400);
    sentences.add(/<small class="error" id="key-error">([^<]+)</.exec(text)?.[1] ?? 'none');
    expect(text).not.toContain('value="yu_');
    expect((await browser.get('/console/teams')).status).toBe(303);
  }
  expect(sentences).toEqual(new Set([expect.stringContaining('not a valid personal key')]));
  // The key of a team says itself what it is, whether it is valid or not.
  const browser = visit(service);
  await browser.get('/console/sign-in');
  for (const key of [app.text, 'yk_nothing']) {
    const { status, text } = await browser.post('/console/sign-in', { key });
    expect([status, text]).toEqual([400, expect.stringContaining('This is the key of a team')]);
  }
});

test('signing in refuses a form that is larger or has more fields than the page, before the key is looked up', async () => {
  const browser = visit(service);
  await browser.get('/console/sign-in');
  const large = await browser.post('/console/sign-in', { key: ada.text, to: 'x'.repeat(17_000) });
  expect(large.status).toBe(413);
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`n${at}`, '']));
  const refused = await browser.post('/console/sign-in', { ...many, key: ada.text });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('more than 64 names')]);
  expect((await browser.post('/console/sign-in', { key: ada.text })).status).toBe(303);
});

test('signing in never leads outside of the console', async () => {
  for (const to of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/console//evil.example',
    '/v1/account',
  ]) {
    const browser = visit(service);
    const page = await browser.get(`/console/sign-in?to=${encodeURIComponent(to)}`);
    expect(page.text).toContain('name="to" value="/console/"');
    expect((await browser.post('/console/sign-in', { key: ada.text, to })).location).toBe('/console/');
  }
});

test('a session begins with a new cookie: a cookie that was planted before is worthless afterwards', async () => {
  const attacker = visit(service);
  const { csrf } = await attacker.get('/console/sign-in');
  const victim = visit(service, attacker.cookie);
  await victim.get('/console/sign-in');
  await victim.post('/console/sign-in', { key: ada.text });
  expect(victim.cookie).not.toBe(attacker.cookie);
  expect((await attacker.get('/console/teams')).location).toMatch(/sign-in/);
  // The token that the attacker has seen does not belong to the new session either.
  expect((await victim.post('/console/teams', { name: 'forged', _csrf: csrf })).status).toBe(403);
  expect((await victim.get('/console/teams')).text).not.toContain('forged');
});

test('a session ends everywhere with signing out, even for a copy of its cookie', async () => {
  const browser = visit(service);
  await browser.signIn(ada.text);
  const copy = visit(service, browser.cookie);
  expect((await copy.get('/console/teams')).status).toBe(200);
  await browser.get('/console/teams');
  await browser.post('/console/sign-out');
  expect((await copy.get('/console/teams')).location).toMatch(/sign-in/);
});

test('a session ends with the key that started it', async () => {
  const eve = await addPerson(service, { team: 'blue' });
  const browser = visit(service);
  await browser.signIn(eve.text);
  await service.sql`update api_keys set revoked_at = now() where id = ${eve.keyId}`;
  expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
});

test('a session ends after twelve hours', async () => {
  const browser = visit(service);
  await browser.signIn(ada.text);
  const [row] = await service.sql`
      select id, extract(epoch from expires_at - now())::int as left from api_keys where name = 'console' order by created_at desc limit 1`;
  expect(row?.left).toBeGreaterThan(12 * 3600 - 60);
  expect(row?.left).toBeLessThanOrEqual(12 * 3600);
  await service.sql`update api_keys set expires_at = now() where id = ${row?.id}`;
  expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
});

test('a session is one of at most twenty: a new session ends the oldest one, and ends no key of the person', async () => {
  const fay = await addPerson(service, { email: 'fay@example.org' });
  // A key of the person may have the same name as the keys of sessions.
  await service.sql`update api_keys set name = 'console' where id = ${fay.keyId}`;
  const works = async (browser: { get(path: string): Promise<{ status: number }> }) =>
    (await browser.get('/console/teams')).status === 200;
  const browsers = [];
  for (let at = 0; at < 22; at++) {
    const browser = visit(service);
    await browser.signIn(fay.text);
    browsers.push(browser);
  }
  const alive = await Promise.all(browsers.map(works));
  expect(alive).toEqual([false, false, ...Array.from({ length: 20 }, () => true)]);
  expect((await service.request('GET', '/zones', undefined, fay.text)).status).toBe(200);
  const told = await service.sql`select count(*)::int as n from account_changes where action = 'key.revoke'
      and subject in (select id from api_keys where user_id = ${fay.id})`;
  expect(told[0]?.n).toBe(2);
});

test('a session is in a cookie that scripts cannot read, other sites cannot send, and plain HTTP does not carry', async () => {
  const { headers } = await visit(service).get('/console/sign-in');
  const attributes = headers.getSetCookie().join().split('; ').slice(1);
  expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
});

test('a session is invalid with a forged or changed cookie', async () => {
  const browser = visit(service);
  await browser.signIn(ada.text);
  const [name = '', sealed = ''] = browser.cookie.split('=');
  const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1);
  for (const value of ['', 'x', ';', '%00', 'AAAA%3BAAAA', changed, sealed.slice(0, 40)]) {
    expect((await visit(service, `${name}=${value}`).get('/console/teams')).location).toMatch(/sign-in/);
  }
});

test('a form of the console without its token, with a wrong one, or with that of another session changes nothing (CSRF)', async () => {
  const [browser, other] = [visit(service), visit(service)];
  await browser.signIn(ada.text);
  await other.signIn(ada.text);
  const foreign = (await other.get('/console/teams')).csrf;
  await browser.get('/console/teams');
  for (const _csrf of ['', 'x', foreign]) {
    const { status, text } = await browser.post('/console/teams', { name: 'forged', _csrf });
    expect(status).toBe(403);
    expect(text).toContain('nothing was changed');
  }
  expect((await browser.post('/console/sign-out', { _csrf: '' })).status).toBe(403);
  const page = await browser.get('/console/teams');
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('forged');
});

test('a form of the console accepts only forms: JSON and files are refused', async () => {
  const browser = visit(service);
  await browser.signIn(ada.text);
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    const { status } = await browser.post('/console/teams', { name: 'x' }, { 'content-type': type });
    expect(status).toBe(415);
  }
});

test('a page of the console cannot be framed, runs no foreign script, is not cached (clickjacking, XSS, shared caches)', async () => {
  const browser = visit(service);
  const pages = [await browser.get('/console/sign-in'), await browser.get('/console/nowhere')];
  await browser.signIn(ada.text);
  pages.push(await browser.get('/console/teams'), await browser.get(`/console/teams/${ada.team}/apps/new`));
  for (const { headers, text } of pages) {
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    // All assets come from this service.
    const loaded = [...text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(loaded.length).toBeGreaterThan(3);
    for (const address of loaded) expect(address).toMatch(/^\/console\/assets\//);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:/i);
  }
});

test('a page of the console that does not exist, or that fails, is answered with a page too', async () => {
  const browser = visit(service);
  expect((await browser.get('/console/nowhere')).status).toBe(404);
  await browser.signIn(ada.text);
  for (const path of [
    '/console/teams/team_none/apps',
    `/console/teams/${ada.team}/apps/none`,
    '/console/teams/%00/apps',
  ]) {
    const { status, text, headers } = await browser.get(path);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).toContain('<h1>Error 404</h1>');
  }
});

test('no page of the console is part of the description of the API', async () => {
  const { paths } = (await (await fetch(`${service.url}/v1/dns/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(paths).filter((path) => path.includes('console'))).toEqual([]);
});

test('with an HTTPS address, the cookie is bound to this host and HSTS is sent', async () => {
  const safe = await service.anotherConsole({ ZONESTEAD_CONSOLE_URL: 'https://dns.example.net' });
  const { headers } = await visit(safe).get('/console/sign-in');
  expect(headers.getSetCookie().join()).toMatch(/^__Host-zonestead=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}$/);
});

test('with one session key, a session is valid at every replica; without one, only at the process that started it', async () => {
  const shared = { ZONESTEAD_SESSION_KEY: 'the same long text for all of the replicas' };
  const [one, other] = [await service.anotherConsole(shared), await service.anotherConsole(shared)];
  const browser = visit(one);
  await browser.signIn(ada.text);
  expect((await visit(other, browser.cookie).get('/console/teams')).status).toBe(200);
  expect((await visit(service, browser.cookie).get('/console/teams')).status).toBe(303);
});
