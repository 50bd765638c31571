// Signing in to the console and out, and what its cookie, its forms and its headers hold against.
import { describe, expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console.ts';
import { addPerson } from '../../support/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });

describe('signing in', () => {
  test('with a key leads to the page that was asked for, and signing out ends it', async () => {
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

  test('is refused at the field with anything but the valid key of a person, without telling which part was wrong', async () => {
    const app = await service.key({ team: 'red' });
    const sentences = new Set<string>();
    for (const key of ['', 'hello', app.text, ada.text.slice(0, -1) + (ada.text.endsWith('0') ? '1' : '0')]) {
      const browser = visit(service);
      await browser.get('/console/sign-in');
      const { status, text } = await browser.post('/console/sign-in', { key });
      expect(status).toBe(400);
      sentences.add(/<small class="error" id="key-error">([^<]+)</.exec(text)?.[1] ?? 'none');
      expect(text).not.toContain('value="yu_');
      expect((await browser.get('/console/teams')).status).toBe(303);
    }
    expect(sentences).toEqual(new Set([expect.stringContaining('no valid key of a person')]));
  });

  test('leads nowhere outside of the console, whatever the link says', async () => {
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
});

describe('a session', () => {
  test('begins with a cookie of its own: one that was put under somebody before is worth nothing after', async () => {
    const attacker = visit(service);
    const { csrf } = await attacker.get('/console/sign-in');
    const victim = visit(service, attacker.cookie);
    await victim.get('/console/sign-in');
    await victim.post('/console/sign-in', { key: ada.text });
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect((await attacker.get('/console/teams')).location).toMatch(/sign-in/);
    // Nor does the token that the attacker has seen belong to the new session.
    expect((await victim.post('/console/teams', { name: 'forged', _csrf: csrf })).status).toBe(403);
    expect((await victim.get('/console/teams')).text).not.toContain('forged');
  });

  test('is over everywhere after signing out, also for a copy of its cookie', async () => {
    const browser = visit(service);
    await browser.signIn(ada.text);
    const copy = visit(service, browser.cookie);
    expect((await copy.get('/console/teams')).status).toBe(200);
    await browser.get('/console/teams');
    await browser.post('/console/sign-out');
    expect((await copy.get('/console/teams')).location).toMatch(/sign-in/);
  });

  test('ends with the key that it was begun with', async () => {
    const eve = await addPerson(service, { team: 'blue' });
    const browser = visit(service);
    await browser.signIn(eve.text);
    await service.sql`update api_keys set revoked_at = now() where id = ${eve.keyId}`;
    expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
  });

  test('ends after twelve hours', async () => {
    const browser = visit(service);
    await browser.signIn(ada.text);
    const [row] = await service.sql`
      select id, extract(epoch from expires_at - now())::int as left from api_keys where name = 'console' order by created_at desc limit 1`;
    expect(row?.left).toBeGreaterThan(12 * 3600 - 60);
    expect(row?.left).toBeLessThanOrEqual(12 * 3600);
    await service.sql`update api_keys set expires_at = now() where id = ${row?.id}`;
    expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
  });

  test('is in a cookie that scripts cannot read, other sites cannot send along, and plain HTTP does not carry', async () => {
    const { headers } = await visit(service).get('/console/sign-in');
    const attributes = headers.getSetCookie().join().split('; ').slice(1);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  test('whose cookie somebody wrote or changed is none', async () => {
    const browser = visit(service);
    await browser.signIn(ada.text);
    const [name = '', sealed = ''] = browser.cookie.split('=');
    const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1);
    for (const value of ['', 'x', ';', '%00', 'AAAA%3BAAAA', changed, sealed.slice(0, 40)]) {
      expect((await visit(service, `${name}=${value}`).get('/console/teams')).location).toMatch(/sign-in/);
    }
  });
});

describe('a form', () => {
  test('without its token, with a wrong one, or with that of another session changes nothing (CSRF)', async () => {
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

  test('is nothing but a form: JSON and files are refused', async () => {
    const browser = visit(service);
    await browser.signIn(ada.text);
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const { status } = await browser.post('/console/teams', { name: 'x' }, { 'content-type': type });
      expect(status).toBe(415);
    }
  });
});

describe('every page', () => {
  test('may not be framed, runs no script of others, is kept by nobody (clickjacking, XSS, shared caches)', async () => {
    const browser = visit(service);
    const pages = [await browser.get('/console/sign-in'), await browser.get('/console/nowhere')];
    await browser.signIn(ada.text);
    pages.push(await browser.get('/console/teams'), await browser.get(`/console/teams/${ada.team}/apps/new`));
    for (const { headers, text } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      // Whatever is loaded comes from here.
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)].map(
        ([, address]) => address,
      );
      expect(loaded.length).toBeGreaterThan(3);
      for (const address of loaded) expect(address).toMatch(/^\/console\/assets\//);
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:/i);
    }
  });

  test('that there is not, or that breaks off, is a page too', async () => {
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

  test('is no part of the description of the API', async () => {
    const { paths } = (await (await fetch(`${service.url}/v1/dns/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.includes('console'))).toEqual([]);
  });
});

test('with an address of HTTPS, the cookie is bound to this host and HTTPS is promised', async () => {
  const safe = await service.anotherConsole({ ZONESTEAD_CONSOLE_URL: 'https://dns.example.net' });
  const { headers } = await visit(safe).get('/console/sign-in');
  expect(headers.getSetCookie().join()).toMatch(/^__Host-zonestead=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}$/);
});

test('with one session key, a session holds at every replica; without one, at the process that began it', async () => {
  const shared = { ZONESTEAD_SESSION_KEY: 'the same long text for all of the replicas' };
  const [one, other] = [await service.anotherConsole(shared), await service.anotherConsole(shared)];
  const browser = visit(one);
  await browser.signIn(ada.text);
  expect((await visit(other, browser.cookie).get('/console/teams')).status).toBe(200);
  expect((await visit(service, browser.cookie).get('/console/teams')).status).toBe(303);
});
