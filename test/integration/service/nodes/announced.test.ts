// Every change of the answers of a zone is announced with its names, over HTTP and by the workers; and the positions
// from which a reader cannot continue.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createServedSource, type ServedChange } from '#service/nodes/source.ts';
import { retentionRound } from '#service/retention.ts';
import { keepAliasAnswer, markOwnedZones, unmarkedTargets } from '#store/alias-answers.ts';
import { openDatabase } from '#store/database.ts';
import { migrateDatabase } from '#store/migrate.ts';
import { setService } from '#store/zones.ts';
import { listHeads } from '../../../support/feed/follower.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, writesBehind: true, retentionEveryMs: 3_600_000 });
const { sql, request } = service;
const { db, close } = openDatabase(service.database.url, { max: 4, lockTimeoutMs: 1_000, name: 'announced' });
const source = createServedSource({ db });
afterAll(() => close());

const { signal } = new AbortController();
const HOUR_MS = 3_600_000;
const hostmaster = 'hostmaster.zonestead.test';
const owner = service.admin.team;

let cursor = '';
let seen: string | undefined;
let versions = new Map<string, string>();
const versionsNow = async () => new Map((await listHeads(source)).map(({ id, version }) => [id, version]));
beforeEach(async () => {
  await beginHere();
});

/**
 * Waits until the position of the database has passed everything that was written. Transactions of other test files
 * hold it back, because the transaction ids are those of the whole cluster. @returns the position
 */
async function settled(): Promise<string> {
  const [last] = await sql`select pg_current_xact_id()::text as xid`;
  const horizon = async () => Number((await source.position()).split(':')[1]);
  await expect.poll(horizon, { timeout: 60_000 }).toBeGreaterThan(Number(last?.xid));
  return source.position();
}

async function beginHere(): Promise<void> {
  const look = await source.changesSince(await source.position());
  [cursor, seen] = [look?.cursor ?? '', look?.seen];
  versions = await versionsNow();
}

type Told = readonly [kind: 'changed' | 'gone' | 'all', zone?: { id: string }, names?: readonly string[] | null];

/**
 * Since the begin of the test, or the last call, exactly these changes were told, and exactly their zones have other
 * versions.
 */
async function expectTold(...expected: readonly Told[]): Promise<void> {
  const found = await source.changesSince(cursor, seen);
  const told = found?.changes.map(({ xid: _, no: __, ...change }: ServedChange & { xid: string; no: number }) => {
    if (change.kind === 'all') return ['all'];
    return [change.kind, change.zoneId, ...(change.kind === 'changed' ? [change.names?.toSorted() ?? null] : [])];
  });
  const order = (rows: readonly unknown[] | undefined) => rows?.map((row) => JSON.stringify(row)).sort();
  const wanted = expected.map(([kind, zone, names]) => [
    kind,
    ...(zone ? [zone.id] : []),
    ...(kind === 'changed' ? [names?.toSorted() ?? null] : []),
  ]);
  expect(order(told)).toEqual(order(wanted));
  const now = await versionsNow();
  const others = [...now.keys()].filter((id) => versions.get(id) !== now.get(id));
  const all = expected.some(([kind]) => kind === 'all');
  const changed = expected.flatMap(([kind, zone]) => (kind === 'changed' && zone ? [zone.id] : []));
  expect(others.sort()).toEqual(all ? [...now.keys()].sort() : [...new Set(changed)].sort());
  [cursor, seen] = [found?.cursor ?? '', found?.seen];
  versions = now;
}

async function expectStatus(status: number, ...[method, path, body, headers]: [string, string, unknown?, object?]) {
  const reply = await request(method as 'GET', path, body, undefined, headers as Record<string, string>);
  expect([reply.status, reply.text]).toEqual([status, reply.text]);
  return reply.body;
}

const importFile = (zone: { id: string }, lines: readonly string[]) =>
  expectStatus(200, 'PUT', `/zones/${zone.id}/zonefile`, `${lines.join('\n')}\n`, { 'content-type': 'text/dns' });

test('a change is announced: a record that is created, changed in its content or TTL, and deleted, by its name', async () => {
  const zone = await service.zone();
  await expectTold(['changed', zone, null]);
  const { id } = await service.record(zone, 'www', 'A', '192.0.2.1');
  await expectTold(['changed', zone, ['www']]);
  const path = `/zones/${zone.id}/records/${id}`;
  for (const change of [{ content: '192.0.2.2' }, { content: '192.0.2.2', ttl: 60 }]) {
    await expectStatus(200, 'PUT', path, { name: 'www', type: 'A', ...change });
    await expectTold(['changed', zone, ['www']]);
  }
  await expectStatus(200, 'PUT', path, { name: 'www', type: 'A', content: '192.0.2.2', ttl: 60 });
  await expectTold();
  await expectStatus(204, 'DELETE', path);
  await expectTold(['changed', zone, ['www']]);
});

test('a change is announced: a batch, by the names of the changes that were made, once each', async () => {
  const zone = await service.zone();
  await expectTold(['changed', zone, null]);
  const record = (name: string, content: string) => ({ action: 'create', record: { name, type: 'A', content } });
  const changes = [record('@', '192.0.2.1'), record('*.a', '192.0.2.1'), record('@', '192.0.2.2'), record('b', 'no')];
  await expectStatus(200, 'POST', `/zones/${zone.id}/records:batch`, { atomic: false, changes });
  await expectTold(['changed', zone, ['*.a', '@']]);
});

test('a change is announced: a zone file, by the names that it changes; as a whole with more than 1,000 names', async () => {
  const zone = await service.zone();
  await importFile(zone, ['@ IN A 192.0.2.1', 'kept IN A 192.0.2.1', 'ttl 60 IN A 192.0.2.1', 'gone.b IN A 192.0.2.1']);
  await expectTold(['changed', zone, null], ['changed', zone, ['@', 'kept', 'ttl', 'gone.b']]);
  await importFile(zone, ['@ IN A 192.0.2.2', 'kept IN A 192.0.2.1', 'ttl 90 IN A 192.0.2.1', 'new IN A 192.0.2.1']);
  await expectTold(['changed', zone, ['@', 'ttl', 'gone.b', 'new']]);
  await importFile(
    zone,
    Array.from({ length: 1_001 }, (_, at) => `n${at} IN A 192.0.2.1`),
  );
  await expectTold(['changed', zone, null]);
});

test('a change is announced: a zone as a whole that is parked, unparked, or gets another default TTL; and nothing when nothing changes', async () => {
  const zone = await service.zone();
  await expectTold(['changed', zone, null]);
  for (const [method, path, body] of [
    ['POST', '/park'],
    ['POST', '/unpark'],
    ['PATCH', '', { defaultTtl: 60 }],
  ] as const) {
    for (const told of [[['changed', zone, null]] as const, [] as const]) {
      await expectStatus(200, method, `/zones/${zone.id}${path}`, body);
      await expectTold(...told);
    }
  }
});

test('a change is announced: a hosted child zone, and at its parent the delegations that move with it', async () => {
  const top = await service.zone('family.test');
  const low = await service.zone('x.low.mid.family.test');
  await expectTold(['changed', top, null], ['changed', low, null], ['changed', top, ['x.low.mid']]);
  const mid = await service.zone('mid.family.test');
  await expectTold(['changed', mid, null], ['changed', top, ['mid', 'x.low.mid']]);
  await expectStatus(204, 'DELETE', `/zones/${mid.id}`);
  await expectTold(['gone', mid], ['changed', top, ['mid', 'x.low.mid']]);
  await expectStatus(204, 'DELETE', `/zones/${low.id}`);
  await expectTold(['gone', low], ['changed', top, ['x.low.mid']]);
});

test('a change is announced: a change by a version without names, as one of the whole zone', async () => {
  const zone = await service.zone();
  await expectTold(['changed', zone, null]);
  await sql`update zones set changed_xid = pg_current_xact_id(), serial = serial + 1 where id = ${zone.id}`;
  await expectTold(['changed', zone, null]);
  await sql`update zones set record_room = record_room + 1 where id = ${zone.id}`;
  await expectTold();
});

test('a change is announced: the settings of the service, only if they change', async () => {
  for (const [settings, told] of [
    [{ nameservers: NAMESERVERS, hostmaster }, []],
    [{ nameservers: NAMESERVERS.toReversed(), hostmaster }, [['all']]],
    [{ nameservers: NAMESERVERS, hostmaster: 'dns.zonestead.test' }, [['all']]],
    [{ nameservers: NAMESERVERS, hostmaster: 'dns.zonestead.test' }, []],
    [{ nameservers: NAMESERVERS, hostmaster }, [['all']]],
  ] as const) {
    await setService(db, { ...settings, nameservers: [...settings.nameservers] });
    await expectTold(...(told as readonly Told[]));
  }
});

const target = 'target.example.';
const answer = { ipv4: ['192.0.2.1'], ipv6: [], ttl: 60, error: null, failures: 0, nextMs: HOUR_MS };
const mark = (at: string) => markOwnedZones(db, { target, owner }, at, 1);
async function zones() {
  const [one, two, other] = [await service.zone(), await service.zone(), await service.zone()];
  await service.record(one, '@', 'ALIAS', target);
  await service.record(one, 'www', 'ALIAS', target);
  await service.record(two, 'w', 'ALIAS', target);
  await service.record(other, '@', 'ALIAS', 'other.example.');
  await beginHere();
  return [one, two] as const;
}
const clear = () => sql`delete from records where type = 'ALIAS'`;

test('the zones of an ALIAS target are announced with the names of their ALIAS records', async () => {
  const [one, two] = await zones();
  await mark((await keepAliasAnswer(db, { target, owner }, answer, true)) as string);
  await expectTold(['changed', one, ['@', 'www']], ['changed', two, ['w']]);
  expect(await keepAliasAnswer(db, { target, owner }, answer, false)).toBe(null);
  await expectTold();
  expect(await unmarkedTargets(db, 0)).toEqual([]);
  await clear();
});

test('the zones of an ALIAS target are announced even if one was being changed meanwhile', async () => {
  const [one, two] = await zones();
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = service.database.connect();
  const holding = holder.begin(async (tx) => {
    await tx`select from zones where id = ${one.id} for no key update`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  const at = (await keepAliasAnswer(db, { target, owner }, answer, true)) as string;
  await expect(mark(at)).rejects.toThrow();
  await expectTold(['changed', two, ['w']]);
  // Another process does it later, also when the first one has ended.
  const [left] = await unmarkedTargets(db, 0);
  expect(left).toEqual({ target, owner, mark: at });
  released.resolve();
  await holding;
  await mark(at);
  await holder.end();
  await expectTold(['changed', one, ['@', 'www']], ['changed', two, ['w']]);
  expect(await unmarkedTargets(db, 0)).toEqual([]);
  await clear();
});

test('the zones of an ALIAS target stay to be marked if the addresses change again meanwhile', async () => {
  await zones();
  const first = (await keepAliasAnswer(db, { target, owner }, answer, true)) as string;
  const second = await keepAliasAnswer(db, { target, owner }, answer, true);
  await mark(first);
  expect(await unmarkedTargets(db, 0)).toEqual([{ target, owner, mark: second }]);
  expect(await unmarkedTargets(db, HOUR_MS)).toEqual([]);
  await clear();
});

const withPart = (text: string, part: number, other: string) => {
  const [epoch = '', ...rest] = text.split(':');
  return [epoch.split('.').with(part, other).join('.'), ...rest].join(':');
};
const later = (xid: string) => String(Number(xid) + 1_000_000);
test.each<[string, (cursor: string) => string]>([
  ['with the cursor of another cluster', (text) => withPart(text, 0, '1')],
  ['with the cursor of another timeline', (text) => withPart(text, 1, '000000FF')],
  ['with the cursor of another database', (text) => withPart(text, 2, '1')],
  ['with the cursor of a table that was restored', (text) => withPart(text, 3, '1')],
  ['with a cursor of before a restart of Postgres', (text) => withPart(text, 4, '1')],
  ['ahead of the database', (text) => text.replace(/:([0-9]+):([0-9]+):.*/, (_, a, b) => `:${later(a)}:${later(b)}:`)],
  ['with a snapshot ahead of the database', (text) => text.replace(/:([0-9]+):[0-9,]*$/, (_, b) => `:${later(b)}:`)],
  ['with a number that is none', (text) => `${text.split(':')[0]}:99999999999999999999999`],
  ['without a number', (text) => `${text.split(':')[0]}:`],
  ['with another text', () => 'nothing'],
])('a reader cannot continue %s', async (_, change) => {
  const now = await source.position();
  expect(change(now)).not.toBe(now);
  expect(await source.changesSince(change(now))).toBe(null);
  expect(await source.changesSince(now)).not.toBe(null);
});

test('a reader cannot continue behind changes that were pruned, and they are pruned after an hour', {
  timeout: 300_000,
}, async () => {
  const zone = await service.zone();
  const round = (now: number) => {
    const settings = { historyMs: 24 * HOUR_MS, historyBytes: 2 ** 30, answersMs: 24 * HOUR_MS };
    return retentionRound({ db, settings, now: () => new Date(now), rows: 50, pauseMs: 0 }, signal);
  };
  const start = Date.now();
  await settled();
  await round(start - 1);
  const old = await settled();
  for (let at = 0; at < 10; at += 1) await service.record(zone, `n${at}`, 'A', '192.0.2.1');
  await settled();
  await round(start);
  const young = await source.position();
  await service.record(zone, 'young', 'A', '192.0.2.1');
  await settled();
  await round(start + 30 * 60_000);
  await round(start + HOUR_MS);
  // Nothing is pruned yet.
  expect((await source.changesSince(old))?.changes.length).toBeGreaterThanOrEqual(11);
  await round(start + HOUR_MS + 1);
  expect(await source.changesSince(old)).toBe(null);
  expect((await source.changesSince(young))?.changes).toMatchObject([{ zoneId: zone.id, names: ['young'] }]);
  expect(await sql`select names from feed_changes`).toEqual([{ names: ['young'] }]);
  await sql`delete from feed_positions`;
});

test('a reader cannot continue behind more changes than a list of all zones costs', async () => {
  await sql`delete from feed_changes`;
  const before = await source.position();
  await sql`insert into feed_changes (kind, zone_id, names) select 'changed', 'zone_gone', '{a}' from generate_series(1, 10000)`;
  expect((await source.changesSince(before))?.changes).toHaveLength(10_000);
  await sql`insert into feed_changes (kind, zone_id, names) values ('changed', 'zone_gone', '{a}')`;
  expect(await source.changesSince(before)).toBe(null);
  await sql`delete from feed_changes`;
  const names = Array.from({ length: 999 }, (_, at) => `n${at}`);
  await sql`insert into feed_changes (kind, zone_id, names) select 'changed', 'zone_gone', ${names} from generate_series(1, 100)`;
  expect((await source.changesSince(before))?.changes).toHaveLength(100);
  await sql`insert into feed_changes (kind, zone_id, names) values ('changed', 'zone_gone', '{a}')`;
  expect(await source.changesSince(before)).toBe(null);
  await sql`delete from feed_changes`;
});

test('a dump from a cluster with higher transaction ids brings no changes and no positions of the future', async () => {
  const zone = await service.zone();
  await sql`insert into feed_changes (xid, kind, zone_id) values ('9000000000000', 'changed', ${zone.id})`;
  await sql`insert into feed_positions (horizon) values ('9000000000000')`;
  await sql`update service set changed_xid = '9000000000000'`;
  await migrateDatabase(service.database.url);
  await beginHere();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await expectTold(['changed', zone, ['www']]);
  for (const [, version] of versions) expect(Number(version.split('.')[0])).toBeLessThan(9e12);
});

test('a reader that gives its snapshot back gets each row once, also while a long transaction holds the horizon back', async () => {
  const zone = await service.zone();
  let start: string | undefined;
  const holder = service.database.connect();
  try {
    const late = await holder.reserve();
    await late`begin`;
    await late`insert into feed_changes (kind, zone_id, names) values ('changed', ${zone.id}, '{late}')`;
    const [own] = await late<{ xid: string }[]>`select pg_current_xact_id()::text as xid`;
    let look = await source.changesSince(await source.position());
    const next = async () => {
      look = await source.changesSince(look?.cursor ?? '', look?.seen);
      return look?.changes.map((change) => (change.kind === 'changed' ? change.names?.join() : change.kind));
    };
    start = look?.cursor;
    await service.record(zone, 'a', 'A', '192.0.2.1');
    expect(await next()).toEqual(['a']);
    await service.record(zone, 'b', 'A', '192.0.2.1');
    expect(await next()).toEqual(['b']);
    // Other databases of the server have transactions, too, so the horizon may move, but not beyond this one.
    expect(Number(look?.cursor.split(':')[1])).toBeLessThanOrEqual(Number(own?.xid));
    await late`commit`;
    late.release();
    expect(await next()).toEqual(['late']);
    expect(await next()).toEqual([]);
  } finally {
    await holder.end({ timeout: 1 });
  }
  // So does one that comes back with an old cursor, which holds the snapshot.
  const again = await source.changesSince(start ?? '');
  const names = again?.changes.map((change) => change.kind === 'changed' && change.names?.join());
  expect(names?.sort()).toEqual(['a', 'b', 'late']);
});
