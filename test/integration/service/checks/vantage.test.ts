// Name servers that probe decide by majority, where three of them do; otherwise the api decides. Real web servers, and
// a real name server that answers.
import { afterEach, expect, test } from 'vitest';
import { ADDRESS_MS } from '#base/probes/lines.ts';
import { startWebServers, type WebServer } from '../../../support/http/web-servers.ts';
import { startTestService } from '../../../support/service/service.ts';
import { startVantage, type TestVantage } from '../../../support/service/vantages.ts';

const service = await startTestService({
  settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' },
});
const { request, dns, sql } = service;
const FAST = { type: 'http', interval: 1, timeout: 1, retryInterval: 0.5, failures: 2, successes: 1 };
const PATIENCE = { timeout: 20_000, interval: 50 };

let count = 0;
const running: TestVantage[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((vantage) => vantage.stop()));
  // Their votes must not count in the next test.
  await sql`delete from check_vantages`;
});

async function start(options: Partial<Parameters<typeof startVantage>[0]> = {}): Promise<TestVantage> {
  const vantage = await startVantage({ url: service.url, database: service.database.url, ...options });
  running.push(vantage);
  return vantage;
}

/** @param length how many */
async function startVantages(length: number): Promise<TestVantage[]> {
  return Promise.all(Array.from({ length }, () => start()));
}

/** A name `www` with the addresses of two web servers. */
async function newSite(definition: object = {}) {
  count += 1;
  const check = `vantage-${count}`;
  const { port, servers } = await startWebServers(2);
  const [one, two] = servers as [WebServer, WebServer];
  expect(await request('PUT', `/../checks/${check}`, { ...FAST, port, ...definition })).toMatchObject({ status: 200 });
  const zone = await service.zone(`vantage-${count}.example`);
  for (const { address } of servers) await service.record(zone, 'www', 'A', address, { check });
  const served = async () => {
    const { answers } = await dns.lookup(`www.${zone.zoneName}`, 'A');
    return answers.map((line) => line.split(' ').at(-1) ?? '').sort();
  };
  const target = async ({ address }: WebServer) => {
    const { body } = await request('GET', `/../checks/${check}`);
    return (body.targets as { address: string; state: string; reason: string | null; nameServers: unknown }[]).find(
      (each) => each.address === address,
    );
  };
  /** The changes of states for the worse, and those that follow them. */
  const flips = () => sql`select * from check_changes where check_name = ${check} and before <> 'Unknown'`;
  return { check, one, two, both: [one.address, two.address], served, target, flips } as const;
}

const idOf = ({ key }: TestVantage) => key.split('_')[1] ?? '';

type Site = Awaited<ReturnType<typeof newSite>>;

/** Waits until the name servers decide about both addresses. */
async function decided({ one, two, target }: Site, total = 3): Promise<void> {
  for (const server of [one, two])
    await expect
      .poll(() => target(server), PATIENCE)
      .toMatchObject({ state: 'Healthy', nameServers: { total, unhealthy: 0 } });
}

test('one name server that cannot reach an address takes it from no answer, and two do', async () => {
  const site = await newSite();
  const { one, two, both, served, target, flips } = site;
  const [first, second] = (await startVantages(3)) as [TestVantage, TestVantage];
  await decided(site);
  first.unreachable.add(one.address);
  await expect.poll(() => target(one), PATIENCE).toMatchObject({ nameServers: { total: 3, unhealthy: 1 } });
  expect(await target(one)).toMatchObject({ state: 'Healthy' });
  expect(await served()).toEqual(both);
  expect(await flips()).toEqual([]);
  second.unreachable.add(one.address);
  await expect.poll(served, PATIENCE).toEqual([two.address]);
  expect(await target(one)).toMatchObject({
    state: 'Unhealthy',
    reason: '2 of 3 name servers say that it fails: No route leads to the address.',
    nameServers: { total: 3, unhealthy: 2 },
  });
  first.unreachable.clear();
  await expect.poll(served, PATIENCE).toEqual(both);
});

test('while name servers decide, the api does not probe, and all of them together send two probes a second', async () => {
  const site = await newSite();
  const vantages = await startVantages(3);
  await decided(site);
  // The last probe of the api may be under way.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const of = ({ address }: WebServer) =>
    vantages.flatMap(({ probes }) => probes).filter((each) => each.address === address).length;
  const before = { requests: site.one.requests, probes: of(site.one) };
  const beganAt = performance.now();
  await expect.poll(() => of(site.one) - before.probes, PATIENCE).toBeGreaterThanOrEqual(12);
  const [sent, seconds] = [of(site.one) - before.probes, (performance.now() - beganAt) / 1_000];
  // One of them may be under way.
  expect(Math.abs(site.one.requests - before.requests - sent)).toBeLessThanOrEqual(1);
  expect(sent).toBeLessThanOrEqual((seconds * 1_000) / ADDRESS_MS + vantages.length);
});

test('a name server that is cut off changes nothing, and neither does the api that takes over', async () => {
  const site = await newSite();
  const { one, two, both, served, target, flips } = site;
  const [first, second] = (await startVantages(3)) as [TestVantage, TestVantage];
  await decided(site);
  second.unreachable.add(one.address);
  await expect.poll(() => target(one), PATIENCE).toMatchObject({ nameServers: { unhealthy: 1 } });
  first.isCutOff = true;
  await expect.poll(() => target(one), PATIENCE).toMatchObject({ nameServers: null });
  // It stops its probes, because the api probes again.
  const before = first.probes.length;
  const requests = one.requests;
  await expect.poll(() => one.requests, PATIENCE).toBeGreaterThan(requests + 3);
  expect(first.probes.length).toBe(before);
  expect(await served()).toEqual(both);
  first.isCutOff = false;
  await expect.poll(() => target(one), PATIENCE).toMatchObject({ nameServers: { total: 3, unhealthy: 1 } });
  expect(await flips()).toEqual([]);
  // The state stays when the api decides in place of the name servers.
  await two.stop();
  await expect.poll(served, PATIENCE).toEqual([one.address]);
  for (const vantage of running) vantage.isCutOff = true;
  await expect.poll(() => target(two), PATIENCE).toMatchObject({ state: 'Unhealthy', nameServers: null });
  expect(await flips()).toHaveLength(1);
  await two.start();
  await expect.poll(served, PATIENCE).toEqual(both);
});

test('two name servers are too few, so the api decides and they do not probe', async () => {
  const site = await newSite();
  const vantages = await startVantages(2);
  await expect.poll(async () => (await sql`select from check_vantages`).length, PATIENCE).toBe(2);
  await expect.poll(() => site.target(site.one), PATIENCE).toMatchObject({ state: 'Healthy', nameServers: null });
  await site.one.stop();
  await expect.poll(site.served, PATIENCE).toEqual([site.two.address]);
  expect(vantages.flatMap(({ probes }) => probes)).toEqual([]);
});

test('a key has one vote, however many nodes use it, and none when it is revoked', async () => {
  const site = await newSite();
  const [first, , third] = (await startVantages(3)) as [TestVantage, TestVantage, TestVantage];
  await decided(site);
  // A thief with the key of one node plays three others, and the node itself.
  const others = await Promise.all([1, 2, 3].map(() => start({ key: first.key })));
  const same = await start({ key: first.key, name: first.name });
  for (const thief of [...others, same]) thief.unreachable.add(site.one.address);
  await expect.poll(() => Math.min(...others.map(({ reports }) => reports)), PATIENCE).toBeGreaterThan(4);
  expect(others.flatMap(({ probes }) => probes)).toEqual([]);
  expect((await sql`select from check_vantages`).length).toBe(3);
  expect(await site.flips()).toEqual([]);
  await Promise.all([...others, same].map((thief) => thief.stop()));
  await decided(site);
  await sql`update node_keys set revoked_at = now() where id = ${idOf(third)}`;
  // Sooner than its votes end.
  await expect.poll(() => site.target(site.one), { timeout: 1_500 }).toMatchObject({ nameServers: null });
});

test('a vote about an address that the service did not give out is dropped, and reports are limited', async () => {
  const site = await newSite();
  const [first] = (await startVantages(3)) as [TestVantage];
  await decided(site);
  const session = '00000000-0000-4000-8000-000000000000';
  const report = (body: object, key = first.key) =>
    request('POST', '/../feed/probes/report', { node: 'thief', session, part: 0, votes: [], ...body }, key);
  // Another node with the key votes.
  expect((await report({})).body).toEqual({ known: false, probes: null });
  expect((await report({ part: 5 })).body).toEqual({ known: false, probes: null });
  const votes = Array.from({ length: 1_001 }, () => ({ probe: 'x', state: 'Unhealthy', reason: null }));
  expect(await report({ votes })).toMatchObject({ status: 400 });
  expect(await report({}, service.admin.text)).toMatchObject({ status: 403 });
  expect(await request('GET', '/../feed/probes', undefined, service.admin.text)).toMatchObject({ status: 403 });
  await first.stop();
  await sql`update check_vantages set session = ${session}, part = 7 where key_id = ${idOf(first)}`;
  expect((await report({ part: 7, votes: votes.slice(0, 1) })).body).toMatchObject({ known: true });
  // The answer was lost, so the part comes again; a part that is missing is noticed.
  expect((await report({ part: 7, votes: votes.slice(0, 1) })).body).toMatchObject({ known: true });
  expect((await report({ part: 9, votes: votes.slice(0, 1) })).body).toMatchObject({ known: false });
  expect(await sql`select part from check_vantages where key_id = ${idOf(first)}`).toMatchObject([{ part: 8 }]);
  expect(await sql`select from check_votes where part = 8`).toEqual([]);
});

test('after a restore of the database, name servers report all that they know again', async () => {
  const site = await newSite();
  await startVantages(3);
  await decided(site);
  await sql`delete from check_vantages`;
  await decided(site);
  await sql`delete from check_votes`;
  await sql`update check_vantages set part = 0`;
  await site.one.stop();
  await expect.poll(site.served, PATIENCE).toEqual([site.two.address]);
});

test('a name server probes only what its own settings permit, so the api decides about the rest', async () => {
  const site = await newSite();
  await startVantages(2);
  const strict = await start({ networks: [] });
  await expect.poll(async () => (await sql`select from check_vantages`).length, PATIENCE).toBe(3);
  await expect.poll(async () => (await sql`select from check_votes`).length, PATIENCE).toBeGreaterThanOrEqual(4);
  expect(await site.target(site.one)).toMatchObject({ nameServers: null });
  expect(strict.probes).toEqual([]);
  await site.one.stop();
  await expect.poll(site.served, PATIENCE).toEqual([site.two.address]);
});

test('a changed check is probed again, and votes about its former definition do not count', async () => {
  const site = await newSite();
  await startVantages(3);
  await decided(site);
  const { body } = await request('GET', `/../checks/${site.check}`);
  const definition = { ...(body.definition as object), expect: [418] };
  expect(await request('PUT', `/../checks/${site.check}`, definition)).toMatchObject({ status: 200 });
  // All addresses fail then, and all are served.
  await expect
    .poll(() => site.target(site.one), PATIENCE)
    .toMatchObject({ state: 'Unhealthy', nameServers: { total: 3, unhealthy: 3 } });
});

test('a server that ends leaves the answers within the time of the check', async () => {
  const site = await newSite({ failures: 3 });
  await startVantages(3);
  await decided(site);
  await site.one.stop();
  const beganAt = performance.now();
  await expect.poll(site.served, { timeout: 20_000, interval: 20 }).toEqual([site.two.address]);
  // At most 1.5 s until the second name server sees it, half a second until it is sure, and some for a busy machine.
  expect(performance.now() - beganAt).toBeLessThan(4_000);
});
