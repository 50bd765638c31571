// Dangling names (contract S8): targets of records are looked up, and a target that provably does not exist, three
// times in a row, is listed until it exists again. Nothing else counts as a proof. The resolver is a scripted one
// behind the real name server of the service.
import type { Answer } from 'dns-packet';
import { afterAll, expect, test } from 'vitest';
import type { DanglingName } from '#contract/dangling.ts';
import { type Reply, startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { startTestService } from '../../../support/service/service.ts';

const NXDOMAIN = 3;
/** The answers of the resolver: records, an rcode, or none. Other names do not exist. */
const world: Record<string, Answer[] | number | 'silent'> = {};
const upstream = await startNameServer(({ packet }): Reply | undefined => {
  const known = world[packet.questions[0]?.name ?? ''] ?? NXDOMAIN;
  if (known === 'silent') return undefined;
  if (typeof known === 'number') return { aa: false, rcode: known };
  // As a resolver does: the answer has the whole chain, and the rcode is that of its end.
  const end = known.at(-1);
  const isBroken = end?.type === 'CNAME' && world[String(end.data)] === undefined;
  return { aa: false, rcode: isBroken ? NXDOMAIN : 0, answers: known };
});
afterAll(() => upstream.close());
const service = await startTestService({
  resolvers: ['own', upstream],
  targetTimes: { everyMs: 60_000, confirmMs: 200, pollMs: 50, walkMs: 100 },
});
const { sql, request } = service;
const other = await service.key({ team: 'other' });

const asked = (name: string) => upstream.queries.filter(({ packet }) => packet.questions[0]?.name === name).length;
/** Makes a target due now, as the end of a day would. A lookup that is under way sets the time again. */
const expire = (target: string) => sql`update record_targets set due_at = now() where target = ${`${target}.`}`;
async function askedAgain(target: string): Promise<void> {
  const before = asked(target);
  await expect
    .poll(async () => {
      await expire(target);
      return asked(target);
    })
    .toBeGreaterThan(before);
}

async function add(zone: { id: string }, name: string, type: string, content: string, key = service.admin) {
  const reply = await request('POST', `/zones/${zone.id}/records`, { name, type, content }, key.text);
  expect(reply.status, reply.text).toBe(201);
  return reply.body as { id: string };
}

async function list(query = '', key = service.admin): Promise<DanglingName[]> {
  const reply = await request('GET', `/dangling-names${query}`, undefined, key.text);
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { danglingNames: DanglingName[] }).danglingNames;
}

/** The dangling names of a zone, in a short form. */
const shown = async (zone: { id: string }, key = service.admin) =>
  (await list(`?zone=${zone.id}`, key)).map(
    ({ name, type, target, missing }) => `${name} ${type} ${target} ${missing}`,
  );

/** Waits until the target has this number of absences in the database, or was found to exist. */
async function judged(target: string, wanted: 'exists' | 'unknown' | number): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await sql`select absences, failures, checked_at from record_targets where target = ${`${target}.`}`;
      if (row === undefined) return 'not found yet';
      if (row.failures > 0) return 'unknown';
      return row.checked_at !== null && row.absences === 0 ? 'exists' : row.absences;
    })
    .toBe(wanted);
}

test('targets of five types that do not exist are listed, and those that exist in any way are not', async () => {
  const zone = await service.zone('types.example');
  world['host.gone.example'] = NXDOMAIN;
  world['gone.example'] = [];
  world['there.example'] = [{ name: 'there.example', type: 'A', ttl: 60, data: '192.0.2.1' }];
  world['nodata.example'] = [];
  await add(zone, 'c', 'CNAME', 'host.gone.example');
  await add(zone, 'm', 'MX', 'host.gone.example');
  await add(zone, 'n', 'NS', 'host.gone.example');
  await add(zone, '_sip._tcp', 'SRV', '1 2 5060 host.gone.example');
  await add(zone, 'a', 'ALIAS', 'host.gone.example');
  await add(zone, 'd', 'CNAME', 'never-registered.example');
  await add(zone, 'ok', 'CNAME', 'there.example');
  await add(zone, 'mail', 'CNAME', 'nodata.example');
  await judged('host.gone.example', 3);
  await judged('never-registered.example', 3);
  await judged('there.example', 'exists');
  await judged('nodata.example', 'exists');
  expect((await shown(zone)).sort()).toEqual([
    '_sip._tcp SRV host.gone.example name',
    'a ALIAS host.gone.example name',
    'c CNAME host.gone.example name',
    'd CNAME never-registered.example domain',
    'm MX host.gone.example name',
    'n NS host.gone.example name',
  ]);
});

test('a null MX and an SRV record of a service that is not offered are never looked up', async () => {
  const zone = await service.zone('null.example');
  const nullMx = { name: '@', type: 'MX', content: '.', priority: 0 };
  expect((await request('POST', `/zones/${zone.id}/records`, nullMx)).status).toBe(201);
  await add(zone, '_imap._tcp', 'SRV', '0 0 0 .');
  await add(zone, 'later', 'CNAME', 'zz-after-the-root.example');
  await judged('zz-after-the-root.example', 3);
  expect(await sql`select from record_targets where target = '.'`).toEqual([]);
  expect((await shown(zone)).map((line) => line.split(' ')[0])).toEqual(['later']);
});

test.each([
  ['does not answer', 'silent' as const],
  ['answers SERVFAIL', 2],
  ['answers REFUSED', 5],
])('a target is not dangling while its resolver %s', async (_, trouble) => {
  const target = `trouble-${trouble}.example`;
  world[target] = trouble;
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', target);
  await judged(target, 'unknown');
  for (let times = 0; times < 4; times += 1) await askedAgain(target);
  expect(await sql`select absences from record_targets where target = ${`${target}.`}`).toEqual([{ absences: 0 }]);
  expect(await shown(zone)).toEqual([]);
});

test('two absences are not enough, and one answer that the target exists ends the row', async () => {
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', 'flapping.example');
  await expect.poll(() => asked('flapping.example')).toBeGreaterThan(0);
  world['flapping.example'] = [];
  await askedAgain('flapping.example');
  await judged('flapping.example', 'exists');
  expect(await sql`select absent_since from record_targets where target = 'flapping.example.'`).toEqual([
    { absent_since: null },
  ]);
  delete world['flapping.example'];
  await askedAgain('flapping.example');
  await judged('flapping.example', 3);
  expect(await shown(zone)).toHaveLength(1);
  // It comes back, and goes from the list.
  world['flapping.example'] = [];
  await judged('flapping.example', 'exists');
  expect(await shown(zone)).toEqual([]);
});

test('a target that is known to be missing stays so while its authority is down', async () => {
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', 'down-later.example');
  await judged('down-later.example', 3);
  world['down-later.example'] = 2;
  await judged('down-later.example', 'unknown');
  expect(await shown(zone)).toHaveLength(1);
});

test('the end of a chain of CNAMEs that does not exist is named', async () => {
  world['first.example'] = [{ name: 'first.example', type: 'CNAME', ttl: 60, data: 'last.example' }];
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', 'first.example');
  await judged('first.example', 3);
  expect(await list(`?zone=${zone.id}`)).toMatchObject([{ target: 'first.example', missingName: 'last.example' }]);
});

test("targets in the team's own zones are judged by their records, wildcards and delegations included", async () => {
  const own = await service.zone('own.example');
  await add(own, 'host', 'A', '192.0.2.1');
  await add(own, 'deep.below', 'A', '192.0.2.1');
  await add(own, '*.wild', 'A', '192.0.2.1');
  await add(own, 'closer.wild', 'A', '192.0.2.1');
  await add(own, 'sub', 'NS', 'ns.there.example');
  world['x.sub.own.example'] = [];
  world['ns.there.example'] = [];
  const zone = await service.zone('points.example');
  const targets = [
    'own',
    'host.own',
    'below.own',
    'a.b.wild.own',
    'wild.own',
    'x.sub.own',
    'no.own',
    'x.closer.wild.own',
  ];
  for (const [at, target] of targets.entries()) await add(zone, `n${at}`, 'CNAME', `${target}.example`);
  await judged('no.own.example', 3);
  await judged('x.closer.wild.own.example', 3);
  for (const target of targets.slice(0, 6)) await judged(`${target}.example`, 'exists');
  expect((await shown(zone)).sort()).toEqual([
    'n6 CNAME no.own.example name',
    'n7 CNAME x.closer.wild.own.example name',
  ]);
  expect(asked('no.own.example')).toBe(0);
  // The record is created: no record is dangling any more.
  await add(own, 'no', 'A', '192.0.2.2');
  await judged('no.own.example', 'exists');
});

test("a target in another team's zone is judged by DNS alone, and not by the records of that zone", async () => {
  const theirs = await service.zone('theirs.example', other);
  await add(theirs, 'secret', 'A', '192.0.2.9', other);
  world['theirs.example'] = [];
  world['public.theirs.example'] = [];
  const zone = await service.zone();
  // Only the own name server could tell these apart: the public DNS says the opposite of their zone.
  await add(zone, 'a', 'CNAME', 'secret.theirs.example');
  await add(zone, 'b', 'CNAME', 'public.theirs.example');
  await judged('public.theirs.example', 'exists');
  await judged('secret.theirs.example', 3);
  // The same target is a row of its own for the team that has the zone.
  const theirZone = await service.zone(undefined, other);
  await add(theirZone, 'a', 'CNAME', 'secret.theirs.example', other);
  await expect
    .poll(
      () =>
        sql`select checked_at is not null as checked from record_targets where owner = ${other.team} and target = 'secret.theirs.example.'`,
    )
    .toEqual([{ checked: true }]);
  expect(await shown(theirZone, other)).toEqual([]);
  expect(await shown(zone)).toEqual(['a CNAME secret.theirs.example name']);
});

test('a name of private networks is not judged by the public DNS', async () => {
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', 'printer.local');
  await expect
    .poll(() => sql`select error from record_targets where target = 'printer.local.'`)
    .toEqual([{ error: 'is a name of private networks' }]);
  expect(asked('printer.local')).toBe(0);
  expect(await shown(zone)).toEqual([]);
});

test('the row of a target goes with its last record, when it is due', async () => {
  const zone = await service.zone();
  const { id } = await add(zone, 'x', 'CNAME', 'leaves.example');
  await judged('leaves.example', 3);
  await request('DELETE', `/zones/${zone.id}/records/${id}`);
  await sql`update record_targets set due_at = now(), created_at = now() - interval '2 minutes' where target = 'leaves.example.'`;
  await expect.poll(() => sql`select from record_targets where target = 'leaves.example.'`).toEqual([]);
});

test('metrics count the targets by state', async () => {
  const metric = async (name: string) => {
    const line = (await service.metrics()).split('\n').find((each) => each.startsWith(`zonestead_${name} `));
    return Number(line?.split(' ')[1]);
  };
  await expect.poll(() => metric('dangling_names{missing="domain"}')).toBeGreaterThan(0);
  expect(await metric('record_targets{state="missing"}')).toBe(
    (await metric('dangling_names{missing="domain"}')) + (await metric('dangling_names{missing="name"}')),
  );
  expect(await metric('record_target_lookups_total{result="absent"}')).toBeGreaterThan(0);
});
