// Secondaries over REST: their offers, the choices of zone owners, and their states as the source reported them.
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Change } from '#contract/change.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import {
  adminChangeListedZones,
  adminPutSecondary,
  adminRemoveSecondary,
  adminShowSecondary,
} from '#service/secondaries/administration.ts';
import { refusal } from '../../../../support/http/requests.ts';
import type { TestKey } from '../../../../support/service/keys.ts';
import { addPerson } from '../../../../support/service/people.ts';
import { startTestService } from '../../../../support/service/service.ts';

// Choices wait for each other on a busy machine.
const service = await startTestService({ nameserver: false, busyAfterMs: 60_000 });
const { request, sql } = service;
const { url: database } = service.database;
const OWN = ['ns1.zonestead.test', 'ns2.zonestead.test'];

type Input = Partial<Parameters<typeof adminPutSecondary>[1]>;
const put = (name: string, input: Input = {}) =>
  adminPutSecondary(database, { name, addresses: ['192.0.2.53'], ...input }, randomBytes, new Date());
const list = (name: string, change: { add?: string[]; remove?: string[] }) =>
  adminChangeListedZones(database, name, { add: [], remove: [], ...change }, new Date());
const choose = (zone: { id: string }, secondaries: unknown, key?: TestKey) =>
  request('PUT', `/zones/${zone.id}/secondaries`, { secondaries }, key?.text);
const secondariesOf = async (zone: { id: string }) =>
  (await request('GET', `/zones/${zone.id}/secondaries`)).body.secondaries as ZoneSecondary[];
const namesOf = async (zone: { id: string }) =>
  (await secondariesOf(zone)).map(({ name, listedBy }) => [name, listedBy]);
const offeredTo = async (key: TestKey) => (await request('GET', '/secondaries', undefined, key.text)).body.secondaries;
const shown = async (zone: { id: string }) => (await request('GET', `/zones/${zone.id}`)).body as Zone;
const planVersion = async () => (await sql`select version from transfer_plan`)[0]?.version as string;

const second = await service.key({ team: 'second' });

beforeEach(async () => {
  await sql`delete from secondaries`;
  await sql`update service set secondary_nameservers = '{}'`;
  await sql`update zones set secondary_nameservers = '{}'`;
});

test('an offer is for all teams, for teams, or for namespaces of a team; without one no owner may choose', async () => {
  await put('all', { zones: 'all', nameservers: ['ns.all.test'], offer: { all: true } });
  await put('team', { offer: { teams: ['second'] } });
  await put('spaces', { offer: { namespaces: ['second/shop', 'second/blog', 'first/x'] } });
  await put('both', { offer: { teams: ['second'], namespaces: ['second/shop'] } });
  await put('nobody');
  const all = { name: 'all', nameservers: ['ns.all.test'], allZones: true, namespaces: null };
  const hidden = { nameservers: [], allZones: false };
  expect(await offeredTo(second)).toEqual([
    all,
    { name: 'both', ...hidden, namespaces: null },
    { name: 'spaces', ...hidden, namespaces: ['blog', 'shop'] },
    { name: 'team', ...hidden, namespaces: null },
  ]);
  expect(await offeredTo(service.admin)).toEqual([all, { name: 'spaces', ...hidden, namespaces: ['x'] }]);
});

test('an offer names a team and a namespace that can exist', async () => {
  await expect(put('eu', { offer: { teams: ['none'] } })).rejects.toThrow('there is no team none');
  await expect(put('eu', { offer: { namespaces: ['shop'] } })).rejects.toThrow('such as platform/shop');
  expect(await sql`select name from secondaries`).toEqual([]);
});

test('a choice adds the names of the secondary to the zone and its delegation, and is in the history', async () => {
  const parent = await service.zone('parent.example');
  const zone = await service.zone('child.parent.example');
  await put('eu', { nameservers: ['ns4.eu.test'], offer: { teams: ['first'] } });
  const before = { zone: await shown(zone), parent: await shown(parent), plan: await planVersion() };
  const reply = await choose(zone, ['eu', 'eu']);
  expect(reply.body).toEqual({
    secondaries: [
      {
        name: 'eu',
        nameservers: ['ns4.eu.test'],
        listedBy: 'owner',
        chosen: true,
        state: 'unknown',
        reason: 'no name server has reported about it yet',
      },
    ],
  });
  const after = await shown(zone);
  expect(after.nameservers).toEqual([...OWN, 'ns4.eu.test']);
  expect(after.serial).toBeGreaterThan(before.zone.serial);
  expect((await shown(parent)).serial).toBeGreaterThan(before.parent.serial);
  expect(Number(await planVersion())).toBeGreaterThan(Number(before.plan));
  const [change] = (await request('GET', `/zones/${zone.id}/changes`)).body.changes as Change[];
  expect(change).toMatchObject({
    action: 'zone.change',
    keyId: service.admin.id,
    before: { secondaries: [] },
    after: { secondaries: ['eu'] },
    serial: after.serial,
  });
  // Once more changes nothing.
  expect((await choose(zone, ['eu'])).body).toEqual(reply.body);
  expect((await shown(zone)).serial).toBe(after.serial);
  expect((await choose(zone, [])).body).toEqual({ secondaries: [] });
  expect((await shown(zone)).nameservers).toEqual(OWN);
});

test('a choice that is a hidden secondary changes no answer, and nodes read the list of its zones again', async () => {
  const zone = await service.zone();
  await put('hidden', { offer: { all: true } });
  const [{ serial }, plan] = [await shown(zone), await planVersion()];
  expect((await choose(zone, ['hidden'])).status).toBe(200);
  expect((await shown(zone)).serial).toBe(serial);
  expect(Number(await planVersion())).toBeGreaterThan(Number(plan));
  expect((await adminShowSecondary(database, 'hidden')).zones).toMatchObject([{ id: zone.id, byOwner: true }]);
});

test('a choice comes back with a deleted zone that is restored, without secondaries and keys that are gone', async () => {
  const zone = await service.zone();
  const key = await service.key({ grants: { [zone.id]: 'write' } });
  for (const name of ['stays', 'goes']) await put(name, { offer: { all: true } });
  await choose(zone, ['stays', 'goes']);
  expect(await namesOf(zone)).toHaveLength(2);
  await request('DELETE', `/zones/${zone.id}`);
  await sql`delete from secondaries where name = 'goes'`;
  await sql`delete from api_keys where id = ${key.id}`;
  expect((await request('POST', '/zones:restore', { zoneName: zone.zoneName })).status).toBe(201);
  expect(await secondariesOf(zone)).toMatchObject([{ name: 'stays', chosen: true }]);
});

test('a choice is kept apart from the list of the administrator', async () => {
  const zone = await service.zone();
  await put('eu', { nameservers: ['ns.eu.test'], offer: { all: true } });
  await list('eu', { add: [zone.zoneName] });
  expect(await secondariesOf(zone)).toMatchObject([{ listedBy: 'administrator', chosen: false }]);
  await choose(zone, ['eu']);
  expect(await secondariesOf(zone)).toMatchObject([{ listedBy: 'administrator', chosen: true }]);
  await choose(zone, []);
  expect(await namesOf(zone)).toEqual([['eu', 'administrator']]);
  await choose(zone, ['eu']);
  await list('eu', { remove: [zone.zoneName] });
  expect(await namesOf(zone)).toEqual([['eu', 'owner']]);
  // An empty list of the administrator is not a choice of the owner either.
  await put('eu', { nameservers: ['ns.eu.test'], zones: [] });
  expect(await namesOf(zone)).toEqual([['eu', 'owner']]);
  expect((await shown(zone)).nameservers).toContain('ns.eu.test');
  await choose(zone, []);
  expect(await namesOf(zone)).toEqual([]);
  expect((await shown(zone)).nameservers).toEqual(OWN);
});

test('a choice stays when the offer ends, and cannot be made again', async () => {
  const zone = await service.zone();
  await put('eu', { offer: { all: true } });
  await put('us', { offer: { all: true } });
  await choose(zone, ['eu']);
  await put('eu', { offer: {} });
  expect((await choose(zone, ['eu', 'us'])).status).toBe(200);
  expect((await choose(zone, ['us'])).status).toBe(200);
  const reply = await choose(zone, ['eu', 'us']);
  expect(refusal(reply)).toBe('403 forbidden');
  expect(reply.text).toContain('the secondary eu is not offered to the owner of this zone. Offered: us.');
  expect(await namesOf(zone)).toEqual([['us', 'owner']]);
  await adminRemoveSecondary(database, 'us', new Date());
  expect(await namesOf(zone)).toEqual([]);
});

test.each([
  ['too many', Array.from({ length: 9 }, (_, at) => `s${at}`)],
  ['no list', 'eu'],
  ['a number', [1]],
  ['an empty name', ['']],
  ['a long name', ['a'.repeat(33)]],
])('a choice is refused: %s', async (_, secondaries) => {
  const reply = await choose(await service.zone(), secondaries);
  expect(refusal(reply)).toBe('400 bad_request');
  expect(reply.text).toContain('must be a list of at most 8 names');
});

test('another team can neither read nor change the secondaries of a zone', async () => {
  const zone = await service.zone();
  await put('eu', { offer: { all: true } });
  const get = await request('GET', `/zones/${zone.id}/secondaries`, undefined, second.text);
  const absent = await request('GET', '/zones/zone_00000000000000000000/secondaries', undefined, second.text);
  expect(refusal(get)).toBe('404 no_zone');
  expect(get.text).toBe(absent.text);
  expect(refusal(await choose(zone, ['eu'], second))).toBe('404 no_zone');
  expect(await namesOf(zone)).toEqual([]);
});

test('another team learns nothing about a secondary that is offered to others only', async () => {
  const zone = await service.zone(undefined, second);
  await put('eu', { offer: { teams: ['first'] } });
  await put('us', { offer: { namespaces: ['first/shop'] } });
  const tried = async (name: string) => (await choose(zone, [name], second)).text.replaceAll(name, 'NAME');
  expect(await tried('eu')).toContain('Offered: none.');
  expect(await tried('eu')).toBe(await tried('xx'));
  expect(await tried('us')).toBe(await tried('xx'));
  expect(await offeredTo(second)).toEqual([]);
});

test('a person chooses for a zone only what is offered to its owner, also if another team of the person has more', async () => {
  const both = await addPerson(service, { team: 'first', email: 'both@example.org' });
  await addPerson(service, { team: 'second', email: 'both@example.org' });
  const zone = await service.zone(undefined, second);
  const { body } = await request('POST', '/zones', { zoneName: 'own.example', owner: 'personal' }, both.text);
  const own = body as { id: string };
  await put('eu', { offer: { teams: ['first'] } });
  await put('us', { offer: { all: true } });
  const by = async (of: { id: string }, name: string) =>
    (await request('PUT', `/zones/${of.id}/secondaries`, { secondaries: [name] }, both.text)).status;
  expect([await by(zone, 'eu'), await by(zone, 'us')]).toEqual([403, 200]);
  expect([await by(own, 'eu'), await by(own, 'us')]).toEqual([403, 200]);
});

test.each([
  ['that may not manage zones', { manageZones: 'read' }, '403 forbidden'],
  ['with a grant on records alone', { manageZones: 'none' }, '403 forbidden'],
] as const)('a key %s reads, and does not choose', async (_, options, expected) => {
  const zone = await service.zone();
  const key = await service.key(options);
  await put('eu', { offer: { all: true } });
  expect((await request('GET', `/zones/${zone.id}/secondaries`, undefined, key.text)).status).toBe(200);
  expect(refusal(await choose(zone, ['eu'], key))).toBe(expected);
  // Also when nothing would change.
  expect(refusal(await choose(zone, [], key))).toBe(expected);
});

test.each([
  ['a choice', () => service.zone().then((zone) => choose(zone, ['eu']))],
  ['a change of the administrator', () => put('eu', { nameservers: ['ns2.eu.test'] })],
] as const)('choices and changes of the administrator exclude each other: %s waits', async (_, start) => {
  await put('eu', { nameservers: ['ns1.eu.test'], offer: { all: true } });
  const LOCK = 0x73656364;
  let started: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`;
    started = start();
    const waiting = async () =>
      (
        await tx`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      ).length;
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  });
  await started;
});

test('choices at the same time as changes of the administrator end with the names of the secondaries', async () => {
  const zones = await Promise.all(Array.from({ length: 4 }, () => service.zone()));
  await put('eu', { nameservers: ['ns0.eu.test'], offer: { all: true } });
  const changes = Array.from({ length: 4 }, (_, at) => put('eu', { nameservers: [`ns${at}.eu.test`] }));
  const chosen = zones.map((zone) => choose(zone, ['eu']));
  await Promise.all(changes);
  for (const reply of await Promise.all(chosen)) expect(reply.status).toBe(200);
  const { nameservers } = await adminShowSecondary(database, 'eu');
  for (const zone of zones) expect((await shown(zone)).nameservers).toEqual([...OWN, ...nameservers]);
});

describe('the state of a secondary', () => {
  const report = async (fields: object = {}, at = new Date()) => {
    const row = { zones: 3, current: 3, silent: null, behind: [], ...fields };
    await sql`update transfer_plan set source = 'ns1'`;
    await sql`insert into secondary_reports ${sql({ secondary: 'eu', node: 'ns1', at, ...row, behind: sql.json(row.behind) })}
      on conflict (secondary) do update set at = excluded.at, silent = excluded.silent, behind = excluded.behind`;
  };
  const listed = async () => {
    const zone = await service.zone();
    await put('eu', { zones: [zone.zoneName] });
    await sql`update zone_secondaries set listed_at = now() - interval '1 min'`;
    return zone;
  };
  const since = '2026-11-22T20:00:00.000Z';

  test.each([
    ['current', {}, { state: 'current' }],
    [
      'behind with its serial',
      { behind: [{ zone: 'ID', state: 'behind', serial: 7, since }] },
      { state: 'behind', serial: 7, since, reason: 'it has an older version of the zone' },
    ],
    [
      'behind without one',
      { behind: [{ zone: 'ID', state: 'absent', reason: 'answers REFUSED', since }] },
      { state: 'behind', since, reason: 'it answers REFUSED' },
    ],
    [
      'behind without the address of a server',
      { behind: [{ zone: 'ID', state: 'absent', reason: '10.0.0.1:53 does not answer over UDP', since }] },
      { state: 'behind', since, reason: 'it does not answer' },
    ],
    [
      'current when other zones are behind',
      { behind: [{ zone: 'other', state: 'behind', serial: 7, since }] },
      { state: 'current' },
    ],
    [
      'silent',
      { silent: '10.0.0.1:53 does not answer over UDP' },
      { state: 'silent', reason: 'one of its addresses does not answer' },
    ],
    [
      'unknown if the report does not name all zones',
      { behind: Array.from({ length: 100 }, (_, at) => ({ zone: `z${at}`, state: 'behind', serial: 1, since })) },
      { state: 'unknown', since: expect.any(String), reason: expect.stringContaining('does not name all') },
    ],
  ])('the state of a secondary is %s', async (_, fields, expected) => {
    const zone = await listed();
    await report(JSON.parse(JSON.stringify(fields).replaceAll('"ID"', JSON.stringify(zone.id))));
    const view = { name: 'eu', nameservers: [], listedBy: 'administrator', chosen: false, ...expected };
    expect(await secondariesOf(zone)).toEqual([view]);
    expect((await request('GET', `/zones/${zone.id}/nodes`)).body.secondaries).toEqual([view]);
  });

  test('the state of a secondary is unknown when the source is silent, or another node reported', async () => {
    const zone = await listed();
    await report({}, new Date(Date.now() - 31_000));
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'unknown', since: expect.any(String) }]);
    await report();
    await sql`update transfer_plan set source = 'ns2'`;
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'unknown' }]);
  });

  test('the state of a secondary is behind until the source compared the serials with the last change, whenever its report was stored', async () => {
    const zone = await listed();
    await report();
    await sql`update secondary_reports set position = pg_current_snapshot()`;
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'current' }]);
    await service.record(zone, 'www', 'A', '192.0.2.1');
    await report();
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'behind' }]);
    await sql`update secondary_reports set position = pg_current_snapshot()`;
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'current' }]);
  });

  test('the state of a secondary is behind until a report was made after the last change, and after the zone was listed', async () => {
    const zone = await listed();
    await report();
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'current' }]);
    await service.record(zone, 'www', 'A', '192.0.2.1');
    expect(await secondariesOf(zone)).toMatchObject([
      { state: 'behind', reason: expect.stringContaining('last change') },
    ]);
    await report();
    expect(await secondariesOf(zone)).toMatchObject([{ state: 'current' }]);
    await sql`update zone_secondaries set listed_at = now()`;
    expect(await secondariesOf(zone)).toMatchObject([
      { state: 'behind', reason: expect.stringContaining('a moment ago') },
    ]);
  });
});
