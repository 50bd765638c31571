// A form takes effect once: a double click, a reload, the back button and a repeated request get the outcome of the
// first one.
import { expect, test } from 'vitest';
import { startConsoleService, type Visit, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

/** Milliseconds by which the clock of the api moves each time that it is read. */
let pace = 0;
let ahead = 0;
const time = () => {
  ahead += pace;
  return new Date(Date.now() + ahead);
};
const service = await startConsoleService({ nameserver: false, time });
const ada = await addPerson(service, { team: 'red' });
const ben = await addPerson(service, { team: 'red' });
const apps = `/console/teams/${ada.team}/apps`;
const KEY = { records: 'read', manageZones: 'none', tsig: 'hmac-sha256' };

async function entered(person = ada): Promise<Visit> {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
}
/** The text of the form of a page, which is its last one. */
const onceOf = async (browser: Visit, path: string) => (await browser.get(path)).once.at(-1) as string;
const keysNamed = async (name: string) =>
  (await service.sql`select id from api_keys where name = ${name}`).map(({ id }) => String(id));
const secretIn = (text: string) => /<code id="key">(yk_[^<]*)<\/code>/.exec(text)?.[1];

test('a form that makes a key leads to a page that shows the secret once', async () => {
  const browser = await entered();
  const sent = { name: 'reloaded', ...KEY, _once: await onceOf(browser, `${apps}/new`) };
  const first = await browser.post(apps, sent);
  expect(first.status).toBe(303);
  const page = await browser.follow(first);
  const secret = secretIn(page.text);
  expect(secret).toMatch(/^yk_/);
  expect(page.text).toContain('<code id="tsig">');
  // A reload of the page, and the form once more.
  for (const again of [await browser.follow(first), await browser.follow(await browser.post(apps, sent))]) {
    expect(again.text).toContain('was shown once');
    expect(again.text).not.toContain(secret);
  }
  expect(await keysNamed('reloaded')).toHaveLength(1);
});

test('a form that makes a key that is sent twice at the same time makes one key, and either answer leads to its secret', async () => {
  const browser = await entered();
  const sent = { name: 'double', ...KEY, _once: await onceOf(browser, `${apps}/new`) };
  const { csrf } = await browser.get(`${apps}/new`);
  const click = async () => {
    const body = new URLSearchParams({ ...sent, _csrf: csrf });
    const init = { method: 'POST', body, headers: { cookie: browser.cookie }, redirect: 'manual' } as const;
    return fetch(`${service.url}${apps}`, init);
  };
  const answers = await Promise.all([click(), click(), click()]);
  const [id] = await keysNamed('double');
  expect(await keysNamed('double')).toHaveLength(1);
  for (const answer of answers) expect(answer.headers.get('location')).toBe(`${apps}/${id}/created`);
  // The browser has the cookie of one answer only.
  const [, cookie = ''] = /^([^;]*)/.exec(answers[2]?.headers.getSetCookie().at(-1) ?? '') ?? [];
  const page = await visit(service, cookie).get(`${apps}/${id}/created`);
  expect(secretIn(page.text)).toMatch(new RegExp(`^yk_${id}_`));
});

test('a form that makes a key shows its secret on the page of this key, and on that of no other key', async () => {
  const browser = await entered();
  const send = async (name: string) =>
    browser.post(apps, { name, ...KEY, _once: await onceOf(browser, `${apps}/new`) });
  await browser.follow(await send('older'));
  const [older] = await keysNamed('older');
  const first = await send('newer');
  const other = await browser.get(`${apps}/${older}/created`);
  expect(other.status).toBe(200);
  expect(secretIn(other.text)).toBeUndefined();
  expect(other.text).not.toContain('<code id="tsig">');
  const [newer] = await keysNamed('newer');
  expect(secretIn((await browser.follow(first)).text)).toMatch(new RegExp(`^yk_${newer}_`));
});

test('a form that makes a key keeps its secret sealed: neither the database nor another person can open it', async () => {
  const browser = await entered();
  const _once = await onceOf(browser, `${apps}/new`);
  await browser.post(apps, { name: 'sealed', ...KEY, _once });
  const kept = JSON.stringify(await service.sql`select token, answer from idempotency where token like 'form:%'`);
  expect(kept).toContain('sealed');
  for (const text of ['yk_', _once, 'hmac', ...(await keysNamed('sealed'))]) expect(kept).not.toContain(text);
  const other = await entered(ben);
  await other.get(`${apps}/new`);
  const [id] = await keysNamed('sealed');
  expect((await other.get(`${apps}/${id}/created`)).text).toContain('was shown once');
  // The same form of another session is another form.
  const theirs = await other.post(apps, { name: 'sealed', ...KEY, _once });
  expect(theirs.location).not.toContain(id);
  expect(await keysNamed('sealed')).toHaveLength(2);
});

test('a form that makes a key with other fields is another form', async () => {
  const browser = await entered();
  const _once = await onceOf(browser, `${apps}/new`);
  for (const name of ['one', 'two']) expect((await browser.post(apps, { name, ...KEY, _once })).status).toBe(303);
  expect([await keysNamed('one'), await keysNamed('two')].map(({ length }) => length)).toEqual([1, 1]);
});

test('a form about records gives a repetition the same message, and a refused form can be sent again', async () => {
  const browser = await entered();
  const { id } = await service.zone('once.example', { ...ada, id: ada.keyId });
  const home = `/console/zones/${id}`;
  const count = async () => (await service.sql`select 1 from records`).length;
  const _once = await onceOf(browser, home);
  const record = { name: 'www', type: 'A', content: '192.0.2.1', _once };
  for (const _turn of [1, 2]) {
    const made = await browser.post(`${home}/records`, record);
    expect([made.status, await count()]).toEqual([303, 1]);
    expect((await browser.follow(made)).text).toContain('was created');
  }
  // Refused while the name is taken, and accepted later.
  const alias = { name: 'www', type: 'CNAME', content: 'x.example', _once };
  expect((await browser.post(`${home}/records`, alias)).status).toBe(409);
  const [{ id: recordId } = {}] = await service.sql`select id from records`;
  const remove = { _once: await onceOf(browser, `${home}/records/${recordId}/delete`) };
  for (const _turn of [1, 2]) {
    const removed = await browser.post(`${home}/records/${recordId}/delete`, remove);
    expect([removed.status, await count()]).toEqual([303, 0]);
  }
  expect((await browser.post(`${home}/records`, alias)).status).toBe(303);
  expect(await count()).toBe(1);
});

test('a form about records says so if the first request never ended', async () => {
  const browser = await entered();
  const { id } = await service.zone('crashed.example', { ...ada, id: ada.keyId });
  const home = `/console/zones/${id}`;
  const sent = { name: 'www', type: 'A', content: '192.0.2.1', _once: await onceOf(browser, home) };
  await browser.post(`${home}/records`, sent);
  await service.sql`update idempotency set answer = '{"state":"running"}' where token like 'form:%'`;
  pace = 3_000;
  const again = await browser.post(`${home}/records`, sent);
  pace = 0;
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('the outcome is not known')]);
});

test('each form of a page has a text of its own, which differs the next time', async () => {
  const browser = await entered();
  const { id } = await service.zone('forms.example', { ...ada, id: ada.keyId });
  const [first, second] = [
    await browser.get(`/console/zones/${id}/settings`),
    await browser.get(`/console/zones/${id}/settings`),
  ];
  expect(first.once.length).toBe([...first.text.matchAll(/<form method="post"/g)].length);
  expect(new Set([...first.once, ...second.once]).size).toBe(2 * first.once.length);
});
