// The APIs for existing ACME clients: lego's httpreq and the acme-dns protocol, tested over HTTP and DNS.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const limited = await startTestService({ limits: true });

const VALUE = '-HDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM';
const value = (seed: string | number) => createHash('sha256').update(String(seed)).digest('base64url');
const basic = (key: string, user = 'zonestead') => `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;

async function post(path: string, body: unknown, headers: Record<string, string>, url = service.url) {
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(`${url}/acme${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, string> };
}
const httpreq = (verb: string, body: unknown, key = service.admin.text) =>
  post(`/httpreq/${verb}`, body, { authorization: basic(key) });
const txt = async (name: string, { lookup } = service.dns as Pick<typeof service.dns, 'lookup'>) =>
  (await lookup(name, 'TXT')).answers.map((line) => line.split('"')[1]).sort();
/** The time that the api waits for the name server at most. */
const SERVED_MS = 5_000;
/**
 * Sends, and returns the values at the name server at the moment of the answer; or later, if the api did not wait so
 * long.
 */
async function txtAfter(name: string, send: () => Promise<{ status: number }>): Promise<(string | undefined)[]> {
  const since = performance.now();
  expect((await send()).status).toBe(200);
  const isInTime = performance.now() - since < SERVED_MS - 500;
  return txt(name, isInTime ? service.dns.raw : service.dns);
}

test('another method than POST is 405 with Allow', async () => {
  for (const path of ['/httpreq/present', '/httpreq/cleanup', '/acme-dns/register', '/acme-dns/update']) {
    const answer = await fetch(`${service.url}/acme${path}`, { method: 'PUT', body: '{}' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await answer.json()).toMatchObject({ error: 'bad_request' });
  }
});

test("lego's httpreq adds a value that begins with a hyphen, repeats without harm, and removes only that value", async () => {
  const { zoneName } = await service.zone();
  const fqdn = `_acme-challenge.www.${zoneName}.`;
  for (let time = 0; time < 2; time += 1) {
    const done = await httpreq('present', { fqdn, value: VALUE });
    expect(done).toMatchObject({ status: 200, body: { fqdn, value: VALUE } });
  }
  await httpreq('present', { fqdn, value: value('other') });
  await expect.poll(() => txt(fqdn)).toEqual([VALUE, value('other')].sort());
  for (let time = 0; time < 2; time += 1) {
    expect((await httpreq('cleanup', { fqdn, value: VALUE })).status).toBe(200);
  }
  await expect.poll(() => txt(fqdn)).toEqual([value('other')]);
});

test("lego's httpreq answers when the name server has the value", async () => {
  const { zoneName } = await service.zone();
  const fqdn = `_acme-challenge.${zoneName}.`;
  for (const count of [1, 2, 3, 4]) {
    expect(await txtAfter(fqdn, () => httpreq('present', { fqdn, value: value(count) }))).toHaveLength(count);
  }
});

test("lego's httpreq computes name and value in raw mode, according to RFC 8555 section 8.4", async () => {
  const { zoneName } = await service.zone();
  const keyAuth = 'token.thumbprint';
  const done = await httpreq('present', { domain: `*.${zoneName}`, token: 'token', keyAuth });
  expect(done.status).toBe(200);
  await expect.poll(() => txt(`_acme-challenge.${zoneName}`)).toEqual([value(keyAuth)]);
});

test("lego's httpreq follows the CNAME of a delegated challenge to another zone, and back out again", async () => {
  const zone = await service.zone();
  const target = await service.zone();
  await service.record(zone, '_acme-challenge', 'CNAME', `one.${target.zoneName}`);
  const fqdn = `_acme-challenge.${zone.zoneName}`;
  expect((await httpreq('present', { fqdn, value: VALUE })).status).toBe(200);
  await expect.poll(() => txt(`one.${target.zoneName}`)).toEqual([VALUE]);
  expect((await httpreq('cleanup', { fqdn, value: VALUE })).status).toBe(200);
  await expect.poll(() => txt(`one.${target.zoneName}`)).toEqual([]);
});

test("lego's httpreq names the target of a CNAME that leaves the account", async () => {
  const zone = await service.zone();
  await service.record(zone, '_acme-challenge', 'CNAME', 'x.elsewhere.example');
  const refused = await httpreq('present', { fqdn: `_acme-challenge.${zone.zoneName}`, value: VALUE });
  expect(refused).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(refused.body.message).toContain('x.elsewhere.example');
});

test("lego's httpreq loses none of 100 values that arrive at one name at once", async () => {
  const { zoneName } = await service.zone();
  const fqdn = `_acme-challenge.many.${zoneName}`;
  const values = Array.from({ length: 100 }, (_, index) => value(index));
  const answers = await Promise.all(values.map((each) => httpreq('present', { fqdn, value: each })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => txt(fqdn)).toEqual(values.toSorted());
  await Promise.all(values.map((each) => httpreq('cleanup', { fqdn, value: each })));
  await expect.poll(() => txt(fqdn)).toEqual([]);
}, 300_000);

test("lego's httpreq applies the permissions of the key, and asks for a key with the scheme of the client", async () => {
  const { zoneName } = await service.zone();
  const fqdn = `www.${zoneName}`;
  const narrow = await service.key({ manageZones: 'none', onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] });
  expect((await httpreq('present', { fqdn, value: VALUE }, narrow.text)).status).toBe(403);
  expect((await httpreq('present', { fqdn: `_acme-challenge.${fqdn}`, value: VALUE }, narrow.text)).status).toBe(200);
  const stranger = await service.key({ team: 'second' });
  expect((await httpreq('present', { fqdn, value: VALUE }, stranger.text)).body.error).toBe('not_found');
  const nobody = await httpreq('present', { fqdn, value: VALUE }, 'yk_wrong');
  expect(nobody).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  expect(nobody.headers.get('www-authenticate')).toMatch(/^Basic /);
  expect((await httpreq('present', { fqdn, value: 'a b' })).body.error).toBe('bad_request');
  expect((await httpreq('present', { fqdn })).body.error).toBe('bad_request');
});

describe('for a key that is held to some names', async () => {
  const zone = await service.zone('narrow.example');
  await service.record(zone, 'secret', 'CNAME', 'internal.elsewhere.example');
  await service.record(zone, '_acme-challenge.gone', 'CNAME', 'x.elsewhere.example');
  await service.record(zone, '_acme-challenge.leads', 'CNAME', 'secret.narrow.example');
  await service.record(zone, '_acme-challenge.own', 'CNAME', '_acme-challenge.there.narrow.example');
  const names = ['_acme-challenge.*'];
  const byName = await service.key({ manageZones: 'none', onlyNames: names });
  const byBoth = await service.key({ manageZones: 'none', onlyNames: names, onlyTypes: ['TXT'] });

  test.each([
    ['has a CNAME', 'secret'],
    ['has none', 'nothing'],
  ])(
    'for a key that is held to some names, a name outside of these that %s is the same 403 without a target',
    async (_, name) => {
      for (const verb of ['present', 'cleanup']) {
        const refused = await httpreq(verb, { fqdn: `${name}.narrow.example`, value: VALUE }, byName.text);
        expect(refused).toEqual({
          status: 403,
          headers: expect.anything(),
          body: { error: 'forbidden', message: 'This key may only write records named _acme-challenge.*.' },
        });
      }
    },
  );

  test('for a key that is held to some names, a CNAME of its own is not followed to a name outside', async () => {
    const refused = await httpreq(
      'present',
      { fqdn: '_acme-challenge.leads.narrow.example', value: VALUE },
      byName.text,
    );
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain('internal');
  });

  test('for a key that is held to some names, the error names the target of a CNAME only to a key that may read CNAME records', async () => {
    const fqdn = '_acme-challenge.gone.narrow.example';
    const told = await httpreq('present', { fqdn, value: VALUE }, byName.text);
    expect([told.status, told.body.message?.includes('x.elsewhere.example')]).toEqual([404, true]);
    const untold = await httpreq('present', { fqdn, value: VALUE }, byBoth.text);
    expect([untold.status, untold.body.message?.includes('elsewhere')]).toEqual([404, false]);
  });

  test('for a key that is held to some names, a CNAME between two of its names is followed', async () => {
    const fqdn = '_acme-challenge.own.narrow.example';
    expect((await httpreq('present', { fqdn, value: VALUE }, byBoth.text)).status).toBe(200);
    await expect.poll(() => txt('_acme-challenge.there.narrow.example')).toEqual([VALUE]);
  });
});

test("lego's httpreq counts as a record write", async () => {
  const { zoneName } = await limited.zone('limited.example');
  const key = await limited.key({ recordWrites: 1 });
  const send = () =>
    post('/httpreq/present', { fqdn: zoneName, value: VALUE }, { authorization: basic(key.text) }, limited.url);
  expect((await send()).status).toBe(200);
  const refused = await send();
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the challenges of httpreq and acme-dns have a window that other record writes of the key do not empty', async () => {
  const { zoneName } = await limited.zone('window.example');
  const key = await limited.key({ recordWrites: 1, zoneWrites: 1 });
  const authorization = basic(key.text);
  const present = (fqdn: string) =>
    post('/httpreq/present', { fqdn, value: VALUE }, { authorization }, limited.url).then(({ status }) => status);
  expect(await present(zoneName)).toBe(200);
  expect(await present(`other.${zoneName}`)).toBe(429);
  expect(await present(`_acme-challenge.${zoneName}`)).toBe(200);
  expect(await present(`_acme-challenge.other.${zoneName}`)).toBe(429);

  const { body: account } = await post(
    '/acme-dns/register',
    undefined,
    { authorization: basic(limited.admin.text, zoneName) },
    limited.url,
  );
  const { username = '', password = '' } = account;
  const headers = { 'x-api-user': username, 'x-api-key': password };
  const update = (txt: string) => post('/acme-dns/update', { subdomain: account.subdomain, txt }, headers, limited.url);
  for (let index = 0; index < 60; index += 1) await update(value(index % 2));
  expect((await update(VALUE)).status).toBe(429);
  const buckets = await limited.sql`select bucket from write_windows where key_id = ${username}`;
  expect(buckets).toEqual([{ bucket: 'challenges' }]);
});

describe('acme-dns', () => {
  let account: Record<string, string>;
  let zone: { id: string; zoneName: string };
  const update = (body: unknown, { username, password }: Record<string, string>) =>
    post('/acme-dns/update', body, {
      'x-api-user': username as string,
      'x-api-key': password as string,
      // The content type that curl sends by default.
      'content-type': 'application/x-www-form-urlencoded',
    });
  beforeAll(async () => {
    zone = await service.zone('auth.example');
    const user = { authorization: basic(service.admin.text, 'challenges.auth.example') };
    const answer = await post('/acme-dns/register', undefined, user);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    account = answer.body;
  });

  test('acme-dns registers an account for a fresh name below the one that the user name says', () => {
    expect(account.subdomain).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(account.fulldomain).toBe(`${account.subdomain}.challenges.auth.example`);
    expect(account.allowfrom).toEqual([]);
  });

  test('acme-dns keeps the two newest values of the name, and repeats without harm', async () => {
    const values = [VALUE, value(1), value(2), value(2)];
    for (const each of values) {
      const send = async () => {
        const answer = await update({ subdomain: account.subdomain, txt: each }, account);
        expect(answer.body).toEqual({ txt: each });
        return answer;
      };
      expect(await txtAfter(account.fulldomain as string, send)).toContain(each);
    }
    expect(await txt(account.fulldomain as string)).toEqual([value(1), value(2)].sort());
  });

  test('acme-dns gives the account no other permission', async () => {
    const { password = '' } = account;
    const other = { subdomain: '00000000-0000-4000-8000-000000000000', txt: VALUE };
    expect((await update(other, account)).status).toBe(403);
    expect((await update({ subdomain: account.subdomain, txt: 'short' }, account)).status).toBe(400);
    expect((await update({ subdomain: account.subdomain, txt: VALUE }, { ...account, username: 'x' })).status).toBe(
      401,
    );
    const record = { name: 'www', type: 'TXT', content: 'x' };
    expect((await service.request('POST', `/zones/${zone.id}/records`, record, password)).status).toBe(403);
    const again = { authorization: basic(password, zone.zoneName) };
    expect((await post('/acme-dns/register', undefined, again)).status).toBe(403);
  });

  test('acme-dns registers only for keys that manage zones, within one zone or a named one', async () => {
    await service.zone('auth2.example');
    const unnamed = await post('/acme-dns/register', {}, { authorization: `Bearer ${service.admin.text}` });
    expect(unnamed).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    const writer = await service.key({ manageZones: 'none' });
    const refused = await post('/acme-dns/register', {}, { authorization: basic(writer.text, 'auth.example') });
    expect(refused.status).toBe(403);
    const lone = await service.key({ team: 'lone' });
    await service.zone('lone.example', lone);
    const only = await post(
      '/acme-dns/register',
      { allowfrom: ['192.0.2.0/24'] },
      { authorization: `Bearer ${lone.text}` },
    );
    expect(only).toMatchObject({ status: 201, body: { allowfrom: ['192.0.2.0/24'] } });
    expect(only.body.fulldomain).toMatch(/\.lone\.example$/);
    expect((await update({ subdomain: only.body.subdomain, txt: VALUE }, only.body)).status).toBe(401);
  });

  test('the account of acme-dns inherits networks and expiry of the registering key, and the history shows it', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const bound = await service.key({ networks: ['127.0.0.0/8'], expiresAt });
    const user = { authorization: basic(bound.text, 'auth.example') };
    expect((await post('/acme-dns/register', { allowfrom: ['0.0.0.0/0'] }, user)).status).toBe(400);
    const { body } = await post('/acme-dns/register', undefined, user);
    const [row] = await service.sql`
      select networks::text[] as networks, expires_at, secret_hash from api_keys where id = ${body.username as string}`;
    expect(row).toMatchObject({ networks: ['127.0.0.0/8'], expires_at: expiresAt });
    expect(Buffer.from(row?.secret_hash).toString('latin1')).not.toContain(body.password);
    const [change] =
      await service.sql`select action, key_id from account_changes where subject = ${body.username as string}`;
    expect(change).toEqual({ action: 'key.mint', key_id: bound.id });
  });
});
