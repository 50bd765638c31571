// The brakes of health checks: a failure in masses, another process that takes over, and records that an undo
// or a restore brings back.
import { expect, test } from 'vitest';
import { withDatabase } from '#store/admin.ts';
import { writeTargetState } from '#store/check-targets.ts';
import { ok, startWebServers, type WebServer } from '../../../support/http/web-servers.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' },
  warnings: ['most checked addresses fail at once'],
});
const { request, dns, sql } = service;
const FAST = { type: 'http', interval: 1, timeout: 1, retryInterval: 0.5, failures: 2, successes: 2 };
let count = 0;

const targets = async (check: string) => {
  const { body } = await request('GET', `/../checks/${check}`);
  return body.targets as { address: string; state: string; reason: string | null }[];
};
const states = async (check: string) => [...new Set((await targets(check)).map(({ state }) => state))];

async function newSite(servers: readonly WebServer[], port: number, more: object = {}) {
  count += 1;
  const check = `brake-${count}`;
  expect(await request('PUT', `/../checks/${check}`, { ...FAST, port, ...more })).toMatchObject({ status: 200 });
  const zone = await service.zone(`brakes-${count}.example`);
  for (const { address } of servers) await service.record(zone, 'www', 'A', address, { check });
  const answers = async (name: string) => {
    const { answers: lines } = await dns.lookup(`${name}.${zone.zoneName}`, 'A');
    return lines.map((line) => line.split(' ').at(-1) ?? '').sort();
  };
  return { check, zone, answers, served: () => answers('www') };
}

test('an unhealthy address stays so for the next process until it has succeeded often enough, and only one process probes', async () => {
  const { port, servers } = await startWebServers(2);
  const [one, two] = servers as [WebServer, WebServer];
  const { check, served } = await newSite(servers, port);
  await expect.poll(() => states(check)).toEqual(['Healthy']);
  one.answer = (response) => response.writeHead(503).end();
  await expect.poll(served).toEqual([two.address]);
  // Another process has the lease for four seconds: this one must not probe, and forgets its probes.
  await sql`update check_lease set holder = 'another', until = clock_timestamp() + interval '4 seconds'`;
  await expect.poll(async () => (await service.metrics()).includes('zonestead_checks_probing 0')).toBe(true);
  const before = one.requests;
  one.answer = ok;
  await expect.poll(async () => (await service.metrics()).includes('\nzonestead_checks_probing 1')).toBe(true);
  expect(one.requests - before).toBeLessThanOrEqual(1);
  expect(await served()).toEqual([two.address]);
  await expect.poll(served).toEqual([one.address, two.address]);
  expect(one.requests - before).toBeGreaterThanOrEqual(2);
});

test('a record that is written while its address is unhealthy is not answered from the start', async () => {
  const { port, servers } = await startWebServers(2);
  const [one, two] = servers as [WebServer, WebServer];
  const { check, zone, served, answers } = await newSite(servers, port);
  await one.stop();
  await expect.poll(served).toEqual([two.address]);
  for (const address of [one.address, two.address]) await service.record(zone, 'new', 'A', address, { check });
  expect(await answers('new')).toEqual([two.address]);
  const { body } = await request('GET', `/zones/${zone.id}/records?name=new`);
  expect(body.records).toContainEqual(expect.objectContaining({ content: one.address, failing: true }));
});

test('one address under many names leaves all of them', async () => {
  const { port, servers } = await startWebServers(1);
  const [one] = servers as [WebServer];
  const { check, zone } = await newSite(servers, port);
  await expect.poll(() => states(check)).toEqual(['Healthy']);
  const changes = Array.from({ length: 300 }, (_, at) => [
    { action: 'create', record: { name: `n${at}`, type: 'A', content: one.address, check } },
    { action: 'create', record: { name: `n${at}`, type: 'A', content: '192.0.2.1' } },
  ]).flat();
  for (let at = 0; at < changes.length; at += 200) {
    const { status } = await request('POST', `/zones/${zone.id}/records:batch`, {
      changes: changes.slice(at, at + 200),
    });
    expect(status).toBe(200);
  }
  await one.stop();
  const answers = () => Promise.all([0, 150, 299].map((at) => dns.lookup(`n${at}.${zone.zoneName}`, 'A')));
  await expect.poll(async () => (await answers()).map((answer) => answer.answers.length)).toEqual([1, 1, 1]);
});

test('the check of a record comes back with it: by undo, and with a deleted zone whose check is gone', async () => {
  const { port, servers } = await startWebServers(1);
  const [one] = servers as [WebServer];
  const { check, zone } = await newSite(servers, port);
  const { body } = await request('GET', `/zones/${zone.id}/records?name=www`);
  const [stored] = body.records as { id: string }[];
  const path = `/zones/${zone.id}/records/${stored?.id}`;
  await request('PUT', path, { name: 'www', type: 'A', content: one.address, check, tier: 2 });
  const { headers } = await request('PUT', path, { name: 'www', type: 'A', content: one.address, check: null });
  expect((await request('GET', path)).body).not.toHaveProperty('check');
  const undone = await request('POST', `/zones/${zone.id}/changes:undo`, { requestId: headers['x-request-id'] });
  expect(undone).toMatchObject({ status: 200 });
  expect((await request('GET', path)).body).toMatchObject({ check, tier: 2 });
  expect(await request('DELETE', `/zones/${zone.id}`)).toMatchObject({ status: 204 });
  expect(await request('DELETE', `/../checks/${check}`)).toMatchObject({ status: 204 });
  const restored = await request('POST', '/zones:restore', { zoneName: zone.zoneName });
  expect(restored).toMatchObject({ status: 201 });
  const { body: record } = await request('GET', path);
  expect(record).toMatchObject({ content: one.address, tier: 2 });
  expect(record).not.toHaveProperty('check');
});

test('a process without the lease changes no state, although its probe ended', async () => {
  const { port, servers } = await startWebServers(1);
  const { check } = await newSite(servers, port);
  await expect.poll(() => states(check)).toEqual(['Healthy']);
  const [row] = await sql`select owner, address from check_targets where check_name = ${check}`;
  const key = { owner: row?.owner as string, checkName: check, address: row?.address as string };
  const late = { state: 'Unhealthy', reason: 'The connection is refused.' } as const;
  await withDatabase(service.database.url, async (db) => {
    expect(await writeTargetState(db, key, 'another process', late)).toBe(false);
  });
  expect(await states(check)).toEqual(['Healthy']);
});

test('an owner has at most 1,000 checks', async () => {
  const key = await service.key({ team: 'many', records: 'write' });
  await sql`insert into checks (owner, name, definition)
    select ${key.team}, 'c' || n, '{"type": "tcp", "port": 80}' from generate_series(1, 1000) n`;
  const body = { ...FAST, port: 80 };
  const put = (name: string) => request('PUT', `/../checks/${name}`, body, key.text);
  expect(await put('one-more')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  // A check that exists can still be changed.
  expect(await put('c1')).toMatchObject({ status: 200 });
  await sql`delete from checks where owner = ${key.team}`;
});

test('when most addresses fail at once, all of them stay in the answers until fewer do', async () => {
  const { port, servers } = await startWebServers(12);
  const { check, served } = await newSite(servers, port);
  const all = servers.map(({ address }) => address).sort();
  await expect.poll(() => states(check)).toEqual(['Healthy']);
  await Promise.all(servers.slice(0, 5).map((server) => server.stop()));
  const unhealthy = async () => (await targets(check)).filter(({ state }) => state === 'Unhealthy').length;
  await expect.poll(unhealthy).toBe(5);
  // Those that failed just before come back.
  await Promise.all(servers.slice(5, 8).map((server) => server.stop()));
  await expect
    .poll(async () => (await targets(check)).filter(({ reason }) => reason?.startsWith('Most addresses fail')).length)
    .toBe(8);
  expect(await served()).toEqual(all);
  expect(await service.metrics()).toContain('zonestead_checks_frozen 1');
  await Promise.all(servers.slice(0, 6).map((server) => server.start()));
  await expect
    .poll(served)
    .toEqual(all.filter((address) => ![servers[6], servers[7]].some((s) => s?.address === address)));
  expect(await service.metrics()).toContain('zonestead_checks_frozen 0');
});
