// The bounds of the lookups that find dangling names: no domain and no owner gets more of them than its share, replicas
// share the work, and a process that died leaves nothing behind.
import { afterAll, expect, test } from 'vitest';
import { type Reply, startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { startTestService } from '../../../support/service/service.ts';

const POLL_MS = 200;
const upstream = await startNameServer(({ packet }): Reply | undefined => {
  const name = packet.questions[0]?.name ?? '';
  if (name.endsWith('silent.example')) return undefined;
  return { aa: false, rcode: name.endsWith('there.example') ? 0 : 3 };
});
afterAll(() => upstream.close());
const targetTimes = { everyMs: 3_600_000, confirmMs: 3_600_000, pollMs: POLL_MS, walkMs: 100 };
const service = await startTestService({ resolvers: [upstream], targetTimes, writesBehind: true });
const { sql, request } = service;
const [attacker, accomplice, victim, unlucky] = [
  await service.key({ team: 'attacker' }),
  await service.key({ team: 'accomplice' }),
  await service.key({ team: 'victim' }),
  await service.key({ team: 'unlucky' }),
];
const names = () => upstream.queries.map(({ packet }) => packet.questions[0]?.name ?? '');
const asked = (pattern: RegExp) => names().filter((name) => pattern.test(name)).length;
let records = 0;

/** Writes records past the api, as an import of many would. */
async function addMany(zone: { id: string }, count: number, target: (number: string) => string): Promise<void> {
  records += 1;
  const prefix = `rec_many${records}_`;
  const text = target('N');
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select ${prefix} || n, no, 'n' || n, 'n' || n, 'CNAME', replace(${text}, 'N', n::text), replace(${text}, 'N', n::text) || '.',
      sha256((${prefix} || n)::bytea)
    from zones, generate_series(1, ${count}::int) n where zones.id = ${zone.id}`;
}
const rows = async (like: string) => {
  const [row] =
    await sql`select count(*)::int as all, count(checked_at)::int as checked from record_targets where target like ${like}`;
  return row as { all: number; checked: number };
};

test('many names of one domain are looked up one at a time, and do not delay the target of another team', async () => {
  const zones = [await service.zone('attack1.example', attacker), await service.zone('attack2.example', accomplice)];
  const begin = performance.now();
  for (const [at, zone] of zones.entries()) await addMany(zone, 2_500, (number) => `h${number}-${at}.weapon.example`);
  // The walk takes several steps.
  await expect.poll(async () => (await rows('%.weapon.example.')).all).toBe(5_000);
  const quiet = await service.zone('quiet.example', victim);
  const body = { name: 'www', type: 'CNAME', content: 'host.there.example' };
  expect((await request('POST', `/zones/${quiet.id}/records`, body, victim.text)).status).toBe(201);
  await expect.poll(async () => (await rows('host.there.example.')).checked).toBe(1);
  // Nor its target of the same domain, which has been due for less time than thousands of others.
  const same = { name: 'same', type: 'CNAME', content: 'own.weapon.example' };
  expect((await request('POST', `/zones/${quiet.id}/records`, same, victim.text)).status).toBe(201);
  await expect.poll(async () => (await rows('own.weapon.example.')).checked).toBe(1);
  // One for each look at the table, although two teams have thousands that are due.
  const most = (performance.now() - begin) / POLL_MS + 2;
  const lookups = asked(/^h.*\.weapon\.example$/);
  expect(lookups).toBeGreaterThan(2);
  expect(lookups).toBeLessThan(most);
  await sql`delete from records where id like 'rec_many%'`;
  await sql`delete from record_targets where target like '%.weapon.example.'`;
});

test('one owner has four lookups at a time, also of domains that do not answer', async () => {
  const zone = await service.zone('slow.example', unlucky);
  await addMany(zone, 40, (number) => `slow${number}silent.example`);
  await expect.poll(async () => (await rows('slow%silent.example.')).all).toBe(40);
  await expect.poll(() => asked(/^slow.*silent/)).toBeGreaterThan(3);
  const [row] = await sql`select count(*)::int as leased from record_targets
    where target like 'slow%silent.example.' and checked_at is null and failures = 0 and due_at > now()`;
  expect(row?.leased).toBeLessThanOrEqual(4);
  await sql`delete from records where id like 'rec_many%'`;
  await sql`delete from record_targets where target like 'slow%silent.example.'`;
});

test('two replicas look up each target once', async () => {
  await service.anotherApi();
  const zone = await service.zone('shared.example', victim);
  await addMany(zone, 30, (number) => `once${number}.example`);
  await expect.poll(async () => (await rows('once%.example.')).checked).toBe(30);
  for (let number = 1; number <= 30; number += 1) {
    // The name is its own registrable domain, so one question tells both.
    expect(names().filter((name) => name === `once${number}.example`)).toHaveLength(1);
  }
  await sql`delete from records where id like 'rec_many%'`;
});

test('the targets and the step of a process that died are taken again, with the known results', async () => {
  const zone = await service.zone('restart.example', victim);
  await addMany(zone, 1, () => 'died.example');
  await expect.poll(async () => (await rows('died.example.')).checked).toBe(1);
  // The lease of a dead process has ended, after two absences; so has its step of the walk, in the middle.
  await sql`update record_targets set absences = 2, absent_since = '2026-01-01T00:00:00Z', due_at = now() + interval '1 s'
    where target = 'died.example.'`;
  await sql`update target_walk set target = 'm', zone_no = 0, due_at = now() + interval '1 s'`;
  const state = async () =>
    (await sql`select absences, absent_since from record_targets where target = 'died.example.'`)[0];
  await expect.poll(state).toEqual({ absences: 3, absent_since: new Date('2026-01-01T00:00:00Z') });
  await sql`delete from record_targets where target = 'died.example.'`;
  // The next walk begins at the first target again.
  await expect.poll(async () => (await rows('died.example.')).all).toBe(1);
  await sql`delete from records where id like 'rec_many%'`;
});
