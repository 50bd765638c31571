// Health checks over REST and DNS: a real name server answers without the addresses that do not work.
import { expect, test } from 'vitest';
import { ok, startWebServers, type WebServer } from '../../../support/http/web-servers.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' },
});
const { request, dns, admin } = service;
const FAST = { type: 'http', port: 8080, interval: 1, timeout: 1, retryInterval: 0.5, failures: 2, successes: 1 };
let count = 0;

const put = (name: string, body: object = FAST, key = admin.text) => request('PUT', `/../checks/${name}`, body, key);
const get = async (name: string) => (await request('GET', `/../checks/${name}`)).body;
const targets = async (name: string) => {
  const { targets } = (await get(name)) as { targets: { address: string; state: string; reason: string | null }[] };
  return Object.fromEntries(targets.map(({ address, state }) => [address, state]));
};

/**
 * Web servers, and a zone whose name `www` has their addresses, all with one check.
 * @param records the fields of the record of each server besides its address
 */
async function newSite(records: readonly object[], definition: object = {}) {
  count += 1;
  // The tests run at the same time, so the number may grow before the next line that waits.
  const number = count;
  const check = `web-${number}`;
  const { port, servers } = await startWebServers(records.length);
  const body = { ...FAST, port, ...definition };
  expect(await put(check, body)).toMatchObject({ status: 200 });
  const zone = await service.zone(`checks-${number}.example`);
  const addresses = servers.map(({ address }) => address);
  for (const [at, more] of records.entries())
    await service.record(zone, 'www', 'A', addresses[at] ?? '', { check, ...more });
  const served = async () => {
    const { answers } = await dns.lookup(`www.${zone.zoneName}`, 'A');
    return answers.map((line) => line.split(' ').at(-1) ?? '').sort();
  };
  /** Waits until all addresses have this state. */
  const become = (state: string) =>
    expect.poll(() => targets(check)).toEqual(Object.fromEntries(addresses.map((address) => [address, state])));
  return { zone, check, body, port, addresses, servers, served, become } as const;
}

test('an address that refuses connections leaves the answers, and comes back', async () => {
  const { check, served, zone, servers, addresses, become } = await newSite([{}, {}]);
  const [ONE, TWO] = addresses;
  await become('Healthy');
  await servers[0]?.stop();
  await expect.poll(served).toEqual([TWO]);
  expect((await get(check)).targets).toContainEqual(
    expect.objectContaining({ address: ONE, state: 'Unhealthy', down: true, reason: 'The connection is refused.' }),
  );
  const { body } = await request('GET', `/zones/${zone.id}/records?name=www`);
  const records = body.records as { content: string; check?: string; failing?: boolean }[];
  expect(records.find(({ content }) => content === ONE)).toMatchObject({ check, failing: true });
  expect(records.find(({ content }) => content === TWO)).not.toHaveProperty('failing');
  await servers[0]?.start();
  await expect.poll(served).toEqual([ONE, TWO]);
  // A TTL longer than a minute would outlive the failover.
  expect((await dns.lookup(`www.${zone.zoneName}`, 'A')).answers[0]?.split(/\s+/)[1]).toBe('60');
});

test('while all addresses fail, all are answered, or none if they all want that', async () => {
  const none = { whenAllFail: 'ServeNone' };
  for (const [more, left] of [
    [{}, 2],
    [none, 0],
  ] as const) {
    const { served, become, servers, addresses, check, zone } = await newSite([more, more]);
    await become('Healthy');
    for (const server of servers) server.answer = (response) => response.writeHead(500).end();
    await become('Unhealthy');
    expect(await served()).toEqual(addresses.slice(0, left));
    expect((await dns.lookup(`www.${zone.zoneName}`, 'A')).rcode).toBe('NOERROR');
    expect((await get(check)).targets).toContainEqual(
      expect.objectContaining({ reason: 'The answer has the status 500.' }),
    );
    for (const server of servers) server.answer = (response) => response.writeHead(204).end();
    await become('Healthy');
    expect(await served()).toEqual(addresses);
  }
});

test('records of a higher tier are answered while those of the lower tier fail', async () => {
  const { served, addresses, servers, become } = await newSite([{}, {}, { tier: 1 }]);
  const [one, two, spare] = addresses;
  await become('Healthy');
  expect(await served()).toEqual([one, two]);
  for (const server of servers.slice(0, 2)) server.answer = (response) => response.destroy();
  await expect.poll(served).toEqual([spare]);
  for (const server of servers) server.answer = ok;
  await expect.poll(served).toEqual([one, two]);
});

test('a server that accepts and never answers has failed after the timeout', async () => {
  const { check, served, servers, addresses, become } = await newSite([{}, {}], { timeout: 0.2 });
  const [one, two] = addresses;
  await become('Healthy');
  if (servers[1]) servers[1].answer = () => undefined;
  await expect.poll(served).toEqual([one]);
  expect((await get(check)).targets).toContainEqual(
    expect.objectContaining({ address: two, reason: 'The server does not answer within 0.2 s.' }),
  );
});

test('a redirect is not followed, and a body without an end is not read', async () => {
  const {
    port,
    servers: [spare],
  } = await startWebServers(1);
  const { servers, become } = await newSite([{}, {}], { expect: ['3xx'] });
  const [redirects, streams] = servers as [WebServer, WebServer];
  redirects.answer = (response) => response.writeHead(302, { location: `http://${spare?.address}:${port}/` }).end();
  streams.answer = (response) => {
    response.writeHead(301);
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 5);
    response.on('close', () => clearInterval(timer));
  };
  await become('Healthy');
  expect(spare?.requests).toBe(0);
  for (const server of servers) server.answer = ok;
  await become('Unhealthy');
});

test('a pin counts instead of the probes until it ends', async () => {
  const { check, served, addresses, become } = await newSite([{}, {}]);
  const [one, two] = addresses;
  await become('Healthy');
  const path = `/../checks/${check}/targets/${one}/pin`;
  const pin = { state: 'Unhealthy', reason: 'kernel update', seconds: 600 };
  const { body } = await request('PUT', path, pin);
  expect(body).toMatchObject({ address: one, down: true, pin: { state: 'Unhealthy', reason: 'kernel update' } });
  expect(await served()).toEqual([two]);
  await service.sql`update check_targets set pin_until = now() - interval '1 s' where check_name = ${check} and pin is not null`;
  await expect.poll(served).toEqual([one, two]);
  await request('PUT', path, pin);
  expect(await served()).toEqual([two]);
  expect(await request('DELETE', path)).toMatchObject({ status: 204 });
  expect(await request('DELETE', path)).toMatchObject({ status: 204 });
  expect(await served()).toEqual([one, two]);
  expect(await request('PUT', `/../checks/${check}/targets/127.9.9.9/pin`, pin)).toMatchObject({ status: 404 });
  expect(await request('PUT', `/../checks/${check}/targets/www/pin`, pin)).toMatchObject({ status: 400 });
});

test('a check with more than a thousand addresses shows those that are pinned, and the history has the end of a pin', async () => {
  const check = 'many-addresses';
  expect(await put(check, { type: 'signal' })).toMatchObject({ status: 200 });
  const zone = await service.zone();
  const last = '192.0.2.9';
  await service.record(zone, 'www', 'A', last, { check });
  await service.sql`insert into check_targets (owner, check_name, address)
    select ${admin.team}, ${check}, '10.1.' || n / 256 || '.' || n % 256 from generate_series(1, 1000) n`;
  const path = `/../checks/${check}/targets/${last}/pin`;
  expect(Object.keys(await targets(check))).not.toContain(last);
  expect(await request('PUT', path, { state: 'Unhealthy', reason: 'kernel update', seconds: 600 })).toMatchObject({
    status: 200,
  });
  const shown = Object.keys(await targets(check));
  expect(shown).toHaveLength(1_000);
  expect(shown.at(-1)).toBe(last);
  expect(await request('DELETE', path)).toMatchObject({ status: 204 });
  const history = await service.sql`select before ->> 'reason' as reason from account_changes
    where action = 'check.unpin' and subject = ${`${check} ${last}`}`;
  expect(history).toEqual([{ reason: 'kernel update' }]);
});

test('an address that is not allowed is not probed, counts as healthy, and says so', async () => {
  const { check, served, zone, addresses } = await newSite([{}]);
  const [one = ''] = addresses;
  await service.record(zone, 'www', 'A', '10.99.0.1', { check });
  await expect.poll(() => targets(check)).toEqual({ '10.99.0.1': 'Unknown', [one]: 'Healthy' });
  await expect
    .poll(async () => (await get(check)).targets)
    .toContainEqual(
      expect.objectContaining({ address: '10.99.0.1', reason: expect.stringContaining('ZONESTEAD_CHECK_NETWORKS') }),
    );
  expect(await served()).toEqual(['10.99.0.1', one]);
});

test('a record needs a check that exists, and a check that a record has is not deleted', async () => {
  const { check, zone, addresses } = await newSite([{}]);
  const record = { name: 'x', type: 'A', content: '127.0.0.1' };
  const post = (more: object) => request('POST', `/zones/${zone.id}/records`, { ...record, ...more });
  expect(await post({ check: 'no-such' })).toMatchObject({ status: 400, body: { field: 'check' } });
  expect(await post({ tier: 10 })).toMatchObject({ status: 400 });
  expect(await request('DELETE', `/../checks/${check}`)).toMatchObject({ status: 409 });
  const { body } = await request('GET', `/zones/${zone.id}/records?name=www`);
  const [stored] = body.records as { id: string; content: string }[];
  const write = (more: object) =>
    request('PUT', `/zones/${zone.id}/records/${stored?.id}`, {
      name: 'www',
      type: 'A',
      content: addresses[0],
      ...more,
    });
  // A client without checks leaves them as they are.
  expect(await write({ ttl: 60 })).toMatchObject({ status: 200, body: { check } });
  expect((await write({ check: null })).body).not.toHaveProperty('check');
  expect(await request('DELETE', `/../checks/${check}`)).toMatchObject({ status: 204 });
  expect(await request('DELETE', `/../checks/${check}`)).toMatchObject({ status: 404 });
});

test('the changes of an address are stored with their reasons, the newest hundred of them, and change the revision', async () => {
  const { check, addresses, servers, become } = await newSite([{}, {}]);
  const [one, two] = addresses;
  await become('Healthy');
  const { revision } = await get(check);
  const { body } = await request('GET', '/../checks');
  const listed = (body.checks as { name: string; revision: string; counts: object }[]).find(
    ({ name }) => name === check,
  );
  expect(listed).toMatchObject({ revision, counts: { healthy: 2, unhealthy: 0, unknown: 0 } });
  await servers[0]?.stop();
  await expect.poll(() => targets(check)).toMatchObject({ [one ?? '']: 'Unhealthy' });
  const view = await get(check);
  expect(view).toMatchObject({ counts: { healthy: 1, unhealthy: 1, unknown: 0 } });
  expect(view.revision).not.toBe(revision);
  const [newest, ...others] = view.changes as { address: string }[];
  const fall = { address: one, before: 'Healthy', state: 'Unhealthy', reason: 'The connection is refused.' };
  expect(newest).toMatchObject({ ...fall, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
  expect(others.map(({ address }) => address).sort()).toEqual([one, two].sort());
  // Two hundred changes of one address leave those of the other one.
  for (let at = 0; at < 200; at += 1) {
    const state = at % 2 === 0 ? 'Healthy' : 'Unhealthy';
    await service.sql`update check_targets set state = ${state} where address = ${one ?? ''} and check_name = ${check}`;
  }
  const rows = await service.sql`
    select address, count(*)::integer as count from check_changes where check_name = ${check} group by address`;
  const counts = Object.fromEntries(rows.map(({ address, count }) => [address, count]));
  expect(counts).toEqual({ [one ?? '']: 100, [two ?? '']: 1 });
  expect((await get(check)).changes).toHaveLength(100);
});

test('a check that is written again changes nothing, and another definition takes effect', async () => {
  const { check, body, become } = await newSite([{}]);
  const { updatedAt } = await get(check);
  expect((await put(check, body)).body.updatedAt).toBe(updatedAt);
  expect(await put(check, { ...body, expect: [404] })).toMatchObject({ status: 200 });
  await become('Unhealthy');
  expect(await put(check, { type: 'tcp' })).toMatchObject({ status: 400, body: { field: 'port' } });
  expect(await put(check, { type: 'tcp', port: 80, path: '/' })).toMatchObject({
    status: 400,
    body: { field: 'path' },
  });
  expect(await put('Bad_Name')).toMatchObject({ status: 400, body: { field: 'name' } });
});

test('only a key that may write all records of the owner writes a check, and no other team sees it', async () => {
  const { check, addresses } = await newSite([{}]);
  const reader = await service.key({ records: 'read' });
  const some = await service.key({ records: 'write', onlyNames: ['www'] });
  const stranger = await service.key({ team: 'second' });
  for (const key of [reader, some]) expect(await put(check, FAST, key.text)).toMatchObject({ status: 403 });
  expect(await request('GET', `/../checks/${check}`, undefined, reader.text)).toMatchObject({ status: 200 });
  expect(await request('GET', `/../checks/${check}`, undefined, some.text)).toMatchObject({ status: 403 });
  expect(await request('GET', `/../checks/${check}`, undefined, stranger.text)).toMatchObject({ status: 404 });
  expect(await request('DELETE', `/../checks/${check}`, undefined, stranger.text)).toMatchObject({ status: 404 });
  const pin = { state: 'Unhealthy', reason: 'x', seconds: 60 };
  expect(await request('PUT', `/../checks/${check}/targets/${addresses[0]}/pin`, pin, stranger.text)).toMatchObject({
    status: 404,
  });
  // Another team may have a check of the same name.
  expect(await put(check, FAST, stranger.text)).toMatchObject({ status: 200 });
  expect((await request('GET', '/../checks', undefined, stranger.text)).body.checks).toHaveLength(1);
});

test('a person has personal checks and those of the teams, and the history of the team tells who changed one', async () => {
  const owner = await addPerson(service, { team: 'first' });
  const account = accountApi(service);
  expect(await put('personal-web', FAST, owner.text)).toMatchObject({ status: 200, body: { owner: 'personal' } });
  const path = `/../checks/team-web?owner=org:${admin.team}`;
  expect(await request('PUT', path, FAST, owner.text)).toMatchObject({ status: 200 });
  const { body } = await request('GET', '/../checks', undefined, owner.text);
  const names = (body.checks as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['personal-web', 'team-web']));
  const { body: history } = await account.send(owner, 'GET', `/teams/${admin.team}/changes`);
  expect(history.changes).toContainEqual(expect.objectContaining({ action: 'check.put', subject: 'team-web' }));
  await request('PUT', path, { ...FAST, interval: 2 }, owner.text);
  const { body: later } = await account.send(owner, 'GET', `/teams/${admin.team}/changes`);
  expect(later.changes).toContainEqual(
    expect.objectContaining({ action: 'check.put', subject: 'team-web', before: expect.objectContaining(FAST) }),
  );
});
