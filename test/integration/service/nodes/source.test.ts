// Whole zones in pages, the RRsets of some names, and the list of zones: each of one snapshot, however large the zone
// is.
import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { createServedSource } from '#service/nodes/source.ts';
import { openDatabase } from '#store/database.ts';
import { listHeads, readZone } from '../../../support/feed/follower.ts';
import { servedByModel, sorted } from '../../../support/feed/served-model.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  nameserver: false,
  writesBehind: true,
  settings: { ZONESTEAD_QUOTA_ZONES: '5000' },
});
const { sql } = service;
// One connection: a test that keeps it fails the next one.
const { db, close } = openDatabase(service.database.url, { max: 1, name: 'source' });
const source = createServedSource({ db });
afterAll(() => close());

const CHILDREN = 700;
const { signal } = new AbortController();
let large: { id: string };

const collect = async (pages: AsyncIterable<ServedSet[]>) => {
  const all: ServedSet[][] = [];
  for await (const page of pages) all.push(page);
  return all;
};

/**
 * More names than a page, a name with more records than a page, long contents, and hosted zones between and below each
 * other.
 */
beforeAll(async () => {
  large = await service.zone('large.test');
  await sql`
    insert into records (id, zone_no, name, ordername, type, content, rdata, digest, ttl)
    select 'r' || i, z.no, n.name, n.name, n.type, n.rdata, n.rdata, sha256(convert_to(n.name || i, 'UTF8')), 30 + i
    from zones z, generate_series(1, 2000) i, lateral (
      select case when i <= 600 then 'many' else 'n' || i end as name, case when i % 50 = 0 and i > 600 then 'ALIAS' else 'TXT' end as type,
        case when i % 50 = 0 and i > 600 then 't' || i % 4 || '.example.' else '"' || repeat('x', case when i > 600 and i % 9 = 0 then 60000 else 20 end) || i || '"' end as rdata
    ) n where z.id = ${large.id}`;
  await sql`update alias_answers set ipv4 = '{192.0.2.1,192.0.2.2}', ipv6 = '{2001:db8:0:0:0:0:0:1}' where target <> 't3.example.'`;
  await sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_' || i || suffix, z.team_id, prefix || 'n' || i || '.large.test', z.tree || ' n' || i || rest, 'active', 60, 1,
      array[i || ' 13 2 aa']
    from zones z, generate_series(1, ${CHILDREN}) i, (values ('a', '', ''), ('b', 'deep.', ' deep')) v(suffix, prefix, rest)
    where z.id = ${large.id}`;
});

test('a whole zone comes in pages of at most 500 RRsets', async () => {
  const zone = await source.zone(large.id, signal);
  const pages = await collect(zone?.pages ?? (async function* () {})());
  expect(pages.length).toBeGreaterThan(4);
  for (const page of pages) {
    expect(page.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(page).length).toBeLessThan(400_000);
  }
  const sets = pages.flat();
  expect(sets[0]).toMatchObject({ name: '@', type: 'NS' });
  expect(sets.find(({ name }) => name === 'many')?.rdata).toHaveLength(600);
  expect(sets.filter(({ type }) => type === 'DS')).toHaveLength(CHILDREN);
  expect(sorted(sets)).toEqual((await servedByModel(sql)).get(large.id));
});

test('the RRsets of names are those of the whole zone, also where a zone between takes the delegation', async () => {
  const whole = (await readZone(source, large.id))?.sets ?? new Map();
  const names = ['@', 'many', 'n650', 'n701', 'n1', 'deep.n1', 'n1500', 'none', 'x.n1'];
  const rendered = await source.render(large.id, names);
  const wanted = [...whole.values()].filter(({ name }) => names.includes(name));
  expect(sorted(rendered?.sets ?? [])).toEqual(sorted(wanted));
  expect(wanted.map(({ name }) => name)).not.toContain('deep.n1');
  await sql`delete from zones where id = 'zone_1a'`;
  expect((await source.render(large.id, ['n1', 'deep.n1']))?.sets.map(({ name }) => name)).toEqual([
    'deep.n1',
    'deep.n1',
  ]);
});

test('a zone without records has its NS records', async () => {
  const zone = await service.zone();
  expect([...((await readZone(source, zone.id))?.sets.keys() ?? [])]).toEqual(['@ NS']);
});

test('the settings of a zone are its SOA and the key of its DS', async () => {
  const { id } = await service.zone();
  const { settings, pages } = (await source.zone(id, signal)) ?? {};
  await collect(pages as AsyncIterable<ServedSet[]>);
  // Negative answers live for the shorter of ttl and minimum (RFC 2308 section 5).
  expect(settings?.soa).toEqual({
    mname: `${NAMESERVERS[0]}.`,
    rname: 'hostmaster.zonestead.test.',
    refresh: 10_800,
    retry: 3_600,
    expire: 604_800,
    minimum: 60,
    ttl: 300,
  });
  const { privateKey = '', algorithm, state } = settings?.keys[0] ?? {};
  expect([privateKey.split('\n')[0], algorithm, state]).toEqual(['-----BEGIN PRIVATE KEY-----', 13, 'active']);
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  expect(await sql`select public_key from zone_keys where zone_id = ${id}`).toEqual([
    { public_key: point.toString('base64') },
  ]);
});

test('all zones are listed, and those that do not exist are null', async () => {
  const [count] = await sql`select count(*)::integer as zones from zones`;
  const heads = await listHeads(source);
  expect([heads.length, new Set(heads.map(({ id }) => id)).size]).toEqual([count?.zones, count?.zones]);
  for (const id of ['zone_gone', 'zone\0', '']) {
    expect(await source.zone(id, signal)).toBe(null);
    expect(await source.render(id, ['@'])).toBe(null);
  }
});

test('the version of a zone changes with the settings, also when their transaction began before the last change of the zone', async () => {
  const zone = await service.zone('between.test');
  const versionOf = async () => (await source.render(zone.id, ['@']))?.head.version;
  let before: string | undefined;
  await sql.begin(async (settings) => {
    await settings`select pg_current_xact_id()`;
    await sql`update zones set changed_xid = pg_current_xact_id() where id = ${zone.id}`;
    before = await versionOf();
    await settings`update service set hostmaster = 'other.example'`;
  });
  expect(before).toBeDefined();
  expect(await versionOf()).not.toBe(before);
});

test('more than 1,000 names are refused', async () => {
  const names = Array.from({ length: 1_001 }, (_, at) => `n${at}`);
  await expect(source.render(large.id, names)).rejects.toThrow('1001 names; at most 1000');
  expect((await source.render(large.id, names.slice(1)))?.sets.length).toBeGreaterThan(1_000);
});

test('a read that is aborted or left gives its connection back', async () => {
  const stop = new AbortController();
  const idle = await source.zone(large.id, stop.signal);
  stop.abort(new Error('enough'));
  // No page is requested.
  expect(await source.position()).toMatch(/:[0-9]/);
  await expect(collect(idle?.pages as AsyncIterable<ServedSet[]>)).rejects.toThrow('enough');

  const second = new AbortController();
  const reading = await source.zone(large.id, second.signal);
  const all = (async () => {
    for await (const _ of reading?.pages ?? []) second.abort(new Error('in the middle'));
  })();
  await expect(all).rejects.toThrow('in the middle');
  for await (const _ of (await source.zone(large.id, signal))?.pages ?? []) break;
  for await (const _ of source.list(signal)) break;
  expect(await source.position()).toMatch(/:[0-9]/);
});
