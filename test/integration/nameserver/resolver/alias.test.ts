// ALIAS (contract S4): the addresses of the target are served, signed, at the alias's name, refreshed, and kept if
// resolution fails. The resolver is a scripted one; answers are read from a real name server and validated by delv.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from 'dns-packet';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Reply, startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

type World = Record<string, Answer[] | number | 'silent'>;
const SERVFAIL = 2;
const IPV6_ONLY = 'six.target.example';
/** The answers of the resolver: addresses, or an rcode. */
const world: World = {};
const upstream = await startNameServer(({ packet }): Reply | undefined => {
  const [question] = packet.questions;
  const known = world[question?.name ?? ''];
  if (known === 'silent') return undefined;
  if (typeof known === 'number') return { aa: false, rcode: known };
  const wanted = (known ?? []).filter(({ type }) => type === question?.type || type === 'CNAME');
  return { aa: false, rcode: known === undefined ? 3 : 0, answers: wanted };
});
/** The resolver that is asked if the other one fails. It knows one name, which has no IPv4 address. */
const ipv6Resolver = await startNameServer(
  ({ packet }): Reply => {
    const [question] = packet.questions;
    if (question?.name !== IPV6_ONLY) return { aa: false, rcode: SERVFAIL };
    const answers = question.type === 'AAAA' ? [aaaa(IPV6_ONLY, '2001:db8::6'), aaaa(IPV6_ONLY, '2001:db8::7')] : [];
    return { aa: false, answers };
  },
  { address: '::1' },
);
afterAll(() => Promise.all([upstream.close(), ipv6Resolver.close()]));
const service = await startTestService({ resolvers: ['own', upstream, ipv6Resolver], writesBehind: true });
const { request, dns, sql } = service;

const a = (name: string, data: string, ttl = 300): Answer => ({ name, type: 'A', ttl, data });
const aaaa = (name: string, data: string, ttl = 300): Answer => ({ name, type: 'AAAA', ttl, data });
const asked = (name: string) => upstream.queries.filter(({ packet }) => packet.questions[0]?.name === name).length;
/** Makes a target due now, as the end of its TTL would. */
const expire = (target: string) => sql`update alias_answers set due_at = now() where target = ${`${target}.`}`;
/** The time in which a target is resolved before its record is committed. */
const PREPARE_MS = 1_000;

afterEach(() => {
  for (const name of Object.keys(world)) delete world[name];
});

async function until(condition: () => Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !(await condition()); await sleep(20)) {
    if (performance.now() > end) throw new Error('it did not come true');
  }
}

async function serves(name: string, type: string, ...wanted: string[]): Promise<void> {
  await until(async () => {
    const { answers } = await dns.lookup(name, type);
    return JSON.stringify(answers.map((line) => line.split(' ').at(-1))) === JSON.stringify(wanted);
  });
}

test('an ALIAS at the apex is served at once, as signed A and AAAA', async () => {
  world['www.target.example'] = [a('www.target.example', '192.0.2.2'), a('www.target.example', '192.0.2.1')];
  world['www.target.example'].push(aaaa('www.target.example', '2001:db8::1'));
  const zone = await service.zone('apex.example');
  const since = performance.now();
  const record = await service.record(zone, '@', 'ALIAS', 'www.target.example', { ttl: 120 });
  const isInTime = performance.now() - since < PREPARE_MS - 100;
  expect(record).toMatchObject({ name: '@', type: 'ALIAS', content: 'www.target.example', ttl: 120 });
  // There is no wait, because the target was resolved before the record was committed: within a second.
  if (!isInTime) await serves('apex.example', 'A', '192.0.2.1', '192.0.2.2');
  const { answers } = await dns.lookup('apex.example', 'A');
  expect(answers).toEqual(['apex.example 120 A 192.0.2.1', 'apex.example 120 A 192.0.2.2']);
  expect((await dns.delv('apex.example', 'apex.example', 'A')).state).toBe('secure');
  expect(await dns.delv('apex.example', 'apex.example', 'AAAA')).toMatchObject({
    state: 'secure',
    records: ['apex.example. 120 IN AAAA 2001:db8::1'],
  });
  // The bitmap of the apex lists A and AAAA, and no type that does not exist.
  const negative = await dns.delv('apex.example', 'apex.example', 'MX');
  expect(negative).toMatchObject({ state: 'secure', negative: 'nodata' });
  expect(await dns.dig('apex.example', 'MX', '+dnssec')).toMatch(
    /NSEC\s+\S+ A NS SOA AAAA RRSIG NSEC DNSKEY CDS CDNSKEY/,
  );
});

test("an ALIAS is served under its own ttl or the target's, whichever is shorter, and the target's is at least 30 s", async () => {
  world['short.target.example'] = [a('short.target.example', '192.0.2.3', 5)];
  world['long.target.example'] = [a('long.target.example', '192.0.2.4', 100_000)];
  const zone = await service.zone();
  await service.record(zone, 'short', 'ALIAS', 'short.target.example', { ttl: 3600 });
  await service.record(zone, 'long', 'ALIAS', 'long.target.example', { ttl: 86_400 });
  await serves(`short.${zone.zoneName}`, 'A', '192.0.2.3');
  await serves(`long.${zone.zoneName}`, 'A', '192.0.2.4');
  expect((await dns.lookup(`short.${zone.zoneName}`, 'A')).answers).toEqual([`short.${zone.zoneName} 30 A 192.0.2.3`]);
  expect((await dns.lookup(`long.${zone.zoneName}`, 'A')).answers).toEqual([`long.${zone.zoneName} 3600 A 192.0.2.4`]);
});

test('an ALIAS follows CNAMEs, works below the apex and as a wildcard, next to other types', async () => {
  world['cname.target.example'] = [
    { name: 'cname.target.example', type: 'CNAME', ttl: 60, data: 'Real.Target.example' },
    a('real.target.example', '192.0.2.5'),
  ];
  const zone = await service.zone();
  await service.record(zone, '*.apps', 'ALIAS', 'cname.target.example', { ttl: 3600 });
  await service.record(zone, '*.apps', 'TXT', 'beside');
  const name = `any.apps.${zone.zoneName}`;
  await serves(name, 'A', '192.0.2.5');
  expect(await dns.delv(zone.zoneName, name, 'A')).toMatchObject({
    state: 'secure',
    records: [`${name}. 60 IN A 192.0.2.5`],
  });
  expect((await dns.lookup(name, 'TXT')).answers).toEqual([`${name} 3600 TXT "beside"`]);
});

test('an ALIAS to a name of a zone that is hosted here is resolved by the same resolvers', async () => {
  const zone = await service.zone('hosted.example');
  await service.record(zone, 'www', 'A', '192.0.2.6');
  await service.record(zone, '@', 'ALIAS', 'www.hosted.example');
  await serves('hosted.example', 'A', '192.0.2.6');
});

test('an ALIAS follows a hosted name out of its zone, which the name server itself does not', async () => {
  world['out.target.example'] = [a('out.target.example', '192.0.2.7')];
  const zone = await service.zone('leaving.example');
  await service.record(zone, 'www', 'CNAME', 'out.target.example');
  await service.record(zone, '@', 'ALIAS', 'www.leaving.example');
  await serves('leaving.example', 'A', '192.0.2.7');
});

test('an ALIAS that was never resolved gets a signed empty answer, not NXDOMAIN', async () => {
  world['broken.target.example'] = SERVFAIL;
  const zone = await service.zone();
  await service.record(zone, 'app', 'ALIAS', 'broken.target.example');
  const name = `app.${zone.zoneName}`;
  expect(await dns.lookup(name, 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] });
  expect(await dns.delv(zone.zoneName, name, 'A')).toMatchObject({ state: 'secure', negative: 'nodata' });
  expect(await dns.delv(zone.zoneName, `b.${zone.zoneName}`, 'A')).toMatchObject({
    state: 'secure',
    negative: 'nxdomain',
  });
  // Once the target can be resolved, the answer appears by itself, although an empty answer was just served.
  world['broken.target.example'] = [a('broken.target.example', '192.0.2.8')];
  await expire('broken.target.example');
  await serves(name, 'A', '192.0.2.8');
});

test('an ALIAS serves a changed address soon after its refresh, with a new serial', async () => {
  world['moving.target.example'] = [a('moving.target.example', '192.0.2.10')];
  const zone = await service.zone();
  await service.record(zone, '@', 'ALIAS', 'moving.target.example');
  await serves(zone.zoneName, 'A', '192.0.2.10');
  const { serial } = (await request('GET', `/zones/${zone.id}`)).body as { serial: number };
  world['moving.target.example'] = [a('moving.target.example', '192.0.2.11')];
  await expire('moving.target.example');
  // Long before the end of its TTL of 300 s.
  await serves(zone.zoneName, 'A', '192.0.2.11');
  expect((await request('GET', `/zones/${zone.id}`)).body.serial).toBeGreaterThan(serial);
  expect((await dns.delv(zone.zoneName, zone.zoneName, 'A')).state).toBe('secure');
});

test.each<[string, World[string]]>([
  ['answers SERVFAIL', SERVFAIL],
  ['says that the name is gone', 3],
  ['does not answer', 'silent'],
  ['has no address any more', []],
])('an ALIAS keeps its last good answer when the resolver %s, for 30 s at a time', async (_, trouble) => {
  const target = `kept${String(trouble)}.target.example`;
  world[target] = [a(target, '192.0.2.20')];
  const zone = await service.zone();
  await service.record(zone, '@', 'ALIAS', target, { ttl: 600 });
  await serves(zone.zoneName, 'A', '192.0.2.20');
  world[target] = trouble as World[string];
  await expire(target);
  await until(async () => {
    const [row] = await sql`select failures, error from alias_answers where target = ${`${target}.`}`;
    return row?.failures >= 1 && row?.error.length > 10;
  });
  // The first answer may stay in the packet cache for 5 s. Nothing else changed, so nothing was purged.
  const name = `fresh${Math.random().toString(36).slice(2)}`;
  await service.record(zone, name, 'TXT', 'purges the zone');
  await until(async () => {
    const { answers } = await dns.lookup(zone.zoneName, 'A');
    return answers[0] === `${zone.zoneName} 30 A 192.0.2.20`;
  });
});

test('an ALIAS loses the addresses of one family if the target no longer has any', async () => {
  world['half.target.example'] = [a('half.target.example', '192.0.2.30'), aaaa('half.target.example', '2001:db8::30')];
  const zone = await service.zone();
  await service.record(zone, '@', 'ALIAS', 'half.target.example');
  await serves(zone.zoneName, 'AAAA', '2001:db8::30');
  world['half.target.example'] = [a('half.target.example', '192.0.2.31')];
  await expire('half.target.example');
  await serves(zone.zoneName, 'A', '192.0.2.31');
  await serves(zone.zoneName, 'AAAA');
});

test('an ALIAS to a name without IPv4 addresses is resolved by a resolver that has an IPv6 address alone', async () => {
  world[IPV6_ONLY] = SERVFAIL;
  const zone = await service.zone();
  await service.record(zone, '@', 'ALIAS', IPV6_ONLY, { ttl: 60 });
  await serves(zone.zoneName, 'AAAA', '2001:db8::6', '2001:db8::7');
  expect((await dns.delv(zone.zoneName, zone.zoneName, 'AAAA')).state).toBe('secure');
  expect(await dns.delv(zone.zoneName, zone.zoneName, 'A')).toMatchObject({ state: 'secure', negative: 'nodata' });
  expect(await dns.dig(zone.zoneName, 'MX', '+dnssec')).toMatch(/NSEC\s+\S+ NS SOA AAAA RRSIG/);
});

test('an ALIAS shared by many zones is resolved once', async () => {
  world['shared.target.example'] = [a('shared.target.example', '192.0.2.40')];
  const zones = await Promise.all(Array.from({ length: 20 }, () => service.zone()));
  for (const zone of zones) await service.record(zone, '@', 'ALIAS', 'Shared.Target.example.');
  for (const zone of zones) await serves(zone.zoneName, 'A', '192.0.2.40');
  // One query for each address family, and a few more if an answer came late; each zone for itself would be 40.
  expect(asked('shared.target.example')).toBeLessThan(10);
  world['shared.target.example'] = [a('shared.target.example', '192.0.2.41')];
  await expire('shared.target.example');
  for (const zone of zones) await serves(zone.zoneName, 'A', '192.0.2.41');
  expect(asked('shared.target.example')).toBeLessThan(20);
});

test('an ALIAS is deleted with its record, and another target can replace it', async () => {
  world['first.target.example'] = [a('first.target.example', '192.0.2.50')];
  world['second.target.example'] = [a('second.target.example', '192.0.2.51')];
  const zone = await service.zone();
  const record = await service.record(zone, 'app', 'ALIAS', 'first.target.example');
  const name = `app.${zone.zoneName}`;
  await serves(name, 'A', '192.0.2.50');
  const path = `/zones/${zone.id}/records/${record.id}`;
  await request('PUT', path, { name: 'app', type: 'ALIAS', content: 'second.target.example' });
  await serves(name, 'A', '192.0.2.51');
  expect((await request('DELETE', path)).status).toBe(204);
  await until(async () => (await dns.lookup(name, 'A')).rcode === 'NXDOMAIN');
  // The rows of the targets are deleted when they are due, because no record needs them any more.
  await sql`update alias_answers set due_at = now(), created_at = now() - interval '2 minutes' where target like '%.target.example.'`;
  await until(async () => {
    const rows =
      await sql`select from alias_answers where target in ('first.target.example.', 'second.target.example.')`;
    return rows.length === 0;
  });
});

test('an ALIAS is written by a key with write access on records, together with the row of its target', async () => {
  const zone = await service.zone();
  world['direct.target.example'] = [a('direct.target.example', '192.0.2.60')];
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select 'rec_direct', no, 'app', 'app', 'ALIAS', 'direct.target.example', 'direct.target.example.', 'x'
    from zones where id = ${zone.id}`;
  await serves(`app.${zone.zoneName}`, 'A', '192.0.2.60');
});

test('an ALIAS is hidden while its zone is parked', async () => {
  world['parked.target.example'] = [a('parked.target.example', '192.0.2.70')];
  const zone = await service.zone();
  await service.record(zone, '@', 'ALIAS', 'parked.target.example');
  await serves(zone.zoneName, 'A', '192.0.2.70');
  await request('POST', `/zones/${zone.id}/park`);
  await serves(zone.zoneName, 'A');
  expect(await dns.delv(zone.zoneName, zone.zoneName, 'A')).toMatchObject({ state: 'secure', negative: 'nodata' });
});

// Contract X5.
test.each([
  ['A', '192.0.2.1'],
  ['AAAA', '2001:db8::1'],
  ['CNAME', 'other.example'],
  ['ALIAS', 'other.example'],
])('an ALIAS excludes %s at its name, in both orders', async (type, content) => {
  const zone = await service.zone();
  await service.record(zone, 'app', 'ALIAS', 'x5.target.example');
  const body = { name: 'app', type, content };
  expect(refusal(await request('POST', `/zones/${zone.id}/records`, body))).toBe('409 conflict');
  await service.record(zone, 'other', type, content);
  const alias = { name: 'other', type: 'ALIAS', content: 'x5.target.example' };
  expect(refusal(await request('POST', `/zones/${zone.id}/records`, alias))).toBe('409 conflict');
});

test('an ALIAS that the key may not write causes no query and no row', async () => {
  const zone = await service.zone();
  const app = await service.record(zone, 'app', 'ALIAS', 'kept.target.example');
  const path = `/zones/${zone.id}/records`;
  const keys = [
    await service.key({ manageZones: 'none', onlyTypes: ['TXT'] }),
    await service.key({ manageZones: 'none', onlyNames: ['_acme-challenge*'] }),
    await service.key({ manageZones: 'none', grants: { [zone.id]: 'read' } }),
    await service.key({ team: 'second' }),
  ];
  for (const [index, key] of keys.entries()) {
    const content = `forbidden${index}.target.example`;
    world[content] = [a(content, '192.0.2.80')];
    const body = { name: 'app', type: 'ALIAS', content };
    const changes = [{ action: 'create', record: { ...body, name: 'other' } }];
    expect((await request('POST', path, { ...body, name: 'other' }, key.text)).status).toBeGreaterThanOrEqual(403);
    expect((await request('PUT', `${path}/${app.id}`, body, key.text)).status).toBeGreaterThanOrEqual(403);
    expect((await request('POST', `${path}:batch`, { changes, atomic: true }, key.text)).status).not.toBe(200);
    await request('POST', `${path}:batch`, { changes, atomic: false }, key.text);
    expect([index, asked(content)]).toEqual([index, 0]);
    expect(await sql`select target from alias_answers where target = ${`${content}.`}`).toEqual([]);
  }
});

test('an ALIAS is counted', async () => {
  const text = await service.metrics();
  expect(text).toMatch(/zonestead_alias_resolutions_total\{result="ok"\} [1-9]/);
  expect(text).toMatch(/zonestead_alias_resolutions_total\{result="failed"\} [1-9]/);
});
