// The pages of health checks over HTTP, without JavaScript, with real web servers that the service probes.
import { expect, test } from 'vitest';
import { readStoredRecords, startConsoleService, visit, words } from '../../support/console/console.ts';
import { startWebServers } from '../../support/http/web-servers.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({
  nameserver: false,
  settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' },
});
const ada = await addPerson(service, { team: 'red' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });
const OWNER = `org:${ada.team}`;
const FAST = { interval: '1', timeout: '1', failures: '2', retryInterval: '0.5', successes: '1' };

async function browserOf(person: { text: string }) {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
}
const addressOf = (name: string) => `/console/checks/${encodeURIComponent(OWNER)}/${name}`;
const definitionOf = async (name: string) => {
  const { body } = await service.request('GET', `/../checks/${name}`, undefined, red.text);
  return body.definition;
};

test('a person creates a check, gives it to records, sees a failing address, and pins one', async () => {
  const browser = await browserOf(ada);
  const { port, servers } = await startWebServers(2);
  const [one, two] = servers;
  const zone = await service.zone('console-checks.example', red);
  const home = `/console/zones/${zone.id}`;
  expect(words((await browser.get('/console/checks')).text)).toContain('You and your teams have no checks yet.');
  await browser.get('/console/checks/new');
  const created = await browser.post('/console/checks', {
    ...{ name: 'web', owner: OWNER, type: 'http', port: String(port), path: '/healthz', expect: '200, 3xx' },
    ...FAST,
  });
  expect(created.location).toBe(addressOf('web'));
  expect(await definitionOf('web')).toMatchObject({ type: 'http', port, path: '/healthz', expect: [200, '3xx'] });

  const form = await browser.get(`${home}/records/new?type=A`);
  expect(form.text).toMatch(/<datalist id="checks"><option value="web">/);
  for (const server of servers) {
    const record = { name: 'www', type: 'A', 'f-address': server.address, check: 'web', tier: '0' };
    expect((await browser.post(`${home}/records`, { ...record, whenAllFail: 'ServeNone' })).location).toBe(home);
  }
  expect(await readStoredRecords(service, zone, red)).toMatchObject([
    { check: 'web', whenAllFail: 'ServeNone' },
    { check: 'web', whenAllFail: 'ServeNone' },
  ]);
  const read = async () => words((await browser.get(addressOf('web'))).text);
  await expect.poll(read).toContain(`${one?.address} Healthy`);
  await one?.stop();
  await expect.poll(read).toContain(`${one?.address} Unhealthy`);
  expect(await read()).toContain('The connection is refused.');
  expect(await read()).toContain(`Changes ${one?.address} became Unhealthy The connection is refused.`);
  const bands = (await browser.get(addressOf('web'))).text;
  expect(bands).toMatch(/aria-label="Unhealthy now; became unhealthy once in the last 24 hours"/);
  expect(bands).toMatch(/<rect class="unhealthy" [^>]*><title>Unhealthy since /);
  expect(words((await browser.get('/console/')).text)).toContain('The check web has 1 address that does not work.');
  expect(words((await browser.get('/console/checks')).text)).toContain('1 unhealthy 1 healthy');
  const rows = (await browser.get(home)).text;
  expect(rows).toMatch(
    /class="tag health failed"[^>]*>[^<]*<span class="unseen">health check <\/span>web, ServeNone: failing/,
  );
  expect(rows).toMatch(/class="tag health"[^>]*>/);

  const pinPage = `${addressOf('web')}/targets/${two?.address}/pin`;
  await browser.get(pinPage);
  const wrong = await browser.post(pinPage, { state: 'Unhealthy', reason: '', seconds: '30x' });
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringContaining('id="reason-error">Must be a line of text'),
  ]);
  expect(wrong.text).toContain('id="seconds-error"');
  await browser.post(pinPage, { state: 'Unhealthy', reason: 'kernel <update>', seconds: '30m' });
  const pinned = await browser.get(addressOf('web'));
  expect(words(pinned.text)).toContain('pinned Unhealthy');
  expect(pinned.text).toContain('kernel &lt;update&gt;');
  await browser.post(`${addressOf('web')}/targets/${two?.address}/unpin`);
  expect(await read()).toContain('The pin of ');
  expect(await read()).not.toContain('pinned Unhealthy');
});

test('an edit of a record keeps its check, and the history shows who took it off', async () => {
  const browser = await browserOf(ada);
  const zone = await service.zone('edit-checks.example', red);
  await service.request('PUT', '/../checks/edit', { type: 'tcp', port: 5432 }, red.text);
  const { body } = await service.request(
    ...(['POST', `/zones/${zone.id}/records`] as const),
    { name: 'db', type: 'A', content: '127.0.0.9', check: 'edit', tier: 2 },
    red.text,
  );
  const record = `/console/zones/${zone.id}/records/${body.id}`;
  const { text } = await browser.get(`${record}/edit`);
  expect(text).toMatch(/name="check"[^>]*value="edit"/);
  expect(text).toMatch(/<option value="2" selected>/);
  // A program without checks sends no field of them.
  await browser.post(record, { 'f-address': '127.0.0.9', ttl: '60' });
  expect(await readStoredRecords(service, zone, red)).toMatchObject([{ ttl: 60, check: 'edit', tier: 2 }]);
  const unknown = await browser.post(record, { 'f-address': '127.0.0.9', check: 'nothing', tier: '0' });
  expect([unknown.status, unknown.text]).toEqual([
    400,
    expect.stringMatching(/id="check-\w+-error">[^<]*has no check/),
  ]);
  await browser.post(record, { 'f-address': '127.0.0.9', check: '', tier: '0' });
  expect((await readStoredRecords(service, zone, red))[0]).not.toHaveProperty('check');
  const history = words((await browser.get(`/console/zones/${zone.id}/history`)).text);
  expect(history).toMatch(/check edit/);
});

test('a new check replaces none of the same name, and each wrong field has its sentence', async () => {
  const browser = await browserOf(ada);
  const body = { name: 'twice', owner: OWNER, type: 'tcp', port: '25', ...FAST };
  await browser.get('/console/checks/new');
  expect((await browser.post('/console/checks', body)).status).toBe(303);
  await browser.get('/console/checks/new');
  const again = await browser.post('/console/checks', { ...body, port: '26' });
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining('id="name-error">The owner has a check twice'),
  ]);
  expect(await definitionOf('twice')).toMatchObject({ port: 25 });
  const wrong = await browser.post('/console/checks', { ...body, name: 'Web_1', path: '/x', interval: 'often' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('id="name-error"');
  for (const [field, text] of [
    ['path', '/x'],
    ['interval', 'often'],
  ] as const) {
    const page = await browser.post('/console/checks', { ...body, name: 'other', [field]: text });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(`id="${field}-error"`)]);
  }
  const edit = `${addressOf('twice')}/edit`;
  expect((await browser.get(edit)).text).toMatch(/name="port"[^>]*value="25"/);
  expect((await browser.post(edit, { ...body, port: '587' })).location).toBe(addressOf('twice'));
  expect(await definitionOf('twice')).toMatchObject({ type: 'tcp', port: 587, interval: 1 });
  await browser.get(`${addressOf('twice')}/delete`);
  expect((await browser.post(`${addressOf('twice')}/delete`)).location).toBe('/console/checks');
  expect((await browser.get(addressOf('twice'))).status).toBe(404);
});

test('no other team sees a check, changes it, or pins its addresses', async () => {
  await service.request('PUT', '/../checks/secret', { type: 'tcp', port: 25 }, red.text);
  const stranger = await browserOf(eve);
  expect((await stranger.get('/console/checks')).text).not.toContain('secret');
  for (const path of ['', '/edit', '/delete', '/targets/127.0.0.9/pin'])
    expect((await stranger.get(`${addressOf('secret')}${path}`)).status).toBeGreaterThanOrEqual(403);
  for (const path of ['/edit', '/delete', '/targets/127.0.0.9/pin', '/targets/127.0.0.9/unpin'])
    expect(
      (await stranger.post(`${addressOf('secret')}${path}`, { type: 'tcp', port: '26' })).status,
    ).toBeGreaterThanOrEqual(403);
  expect(await definitionOf('secret')).toMatchObject({ port: 25 });
});

test('a person creates a check for a monitor and a key that sends its signals, and sees the signal on the page', async () => {
  const browser = await browserOf(ada);
  await browser.get('/console/checks/new');
  // The form has the fields of probes for every type.
  const created = await browser.post('/console/checks', {
    ...{ name: 'login', owner: OWNER, type: 'signal', port: '80', path: '/x', ...FAST },
  });
  expect(created.location).toBe(addressOf('login'));
  expect(await definitionOf('login')).toEqual({ type: 'signal' });
  const edit = await browser.get(`${addressOf('login')}/edit`);
  expect(edit.text).toMatch(/<option value="signal" selected/);
  const keys = `/console/teams/${ada.team}/apps`;
  await browser.get(`${keys}/new`);
  const wrong = await browser.post(keys, {
    ...{ name: 'monitor', records: 'none', manageZones: 'none', signals: 'Log in' },
  });
  expect(wrong.text).toContain('id="signals-error"');
  const made = await browser.post(keys, {
    ...{ name: 'monitor', records: 'none', manageZones: 'none', signals: 'login\nshop-*' },
  });
  const minted = await browser.follow(made);
  const secret = /yk_[a-z0-9]+_\w+/.exec(minted.text)?.[0] ?? '';
  const say = (name: string) =>
    service.request('PUT', `/../checks/${name}/signal`, { state: 'Unhealthy', reason: '5 <of> 6 failed' }, secret);
  expect(await say('login')).toMatchObject({ status: 200 });
  expect(await say('web')).toMatchObject({ status: 403 });
  expect(words((await browser.get(keys)).text)).toContain('and signals for login, shop-*');
  const page = (await browser.get(addressOf('login'))).text;
  expect(page).toContain('<bdi>5 &lt;of&gt; 6 failed</bdi>');
  expect(words(page)).toContain('Signal Unhealthy for all addresses');
  expect(words(page)).not.toContain('Rhythm');
});

test('a person asks for the PTR record of an address, and removes it again', async () => {
  const browser = await browserOf(ada);
  const zone = await service.zone('console-reverse.example', red);
  const reverse = await service.zone('2.0.192.in-addr.arpa', red);
  const home = `/console/zones/${zone.id}`;
  expect((await browser.get(`${home}/records/new?type=A`)).text).toContain('name="reverse"');
  const form = { name: 'www', type: 'A', 'f-address': '192.0.2.5', check: '', tier: '0', whenAllFail: 'ServeAll' };
  expect((await browser.post(`${home}/records`, { ...form, reverse: 'on' })).location).toBe(home);
  const [record] = await readStoredRecords(service, zone, red);
  expect(record).toMatchObject({ reverse: true });
  expect(await readStoredRecords(service, reverse, red)).toMatchObject([{ content: 'www.console-reverse.example' }]);
  expect((await browser.get(home)).text).toContain('The service writes the PTR record of this address.');
  const edit = await browser.get(`${home}/records/${record?.id}/edit`);
  expect(edit.text).toMatch(/<input type="checkbox"[^>]*name="reverse"[^>]*checked/);
  await browser.post(`${home}/records/${record?.id}`, form);
  expect(await readStoredRecords(service, reverse, red)).toEqual([]);
});
