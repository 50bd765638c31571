// The administrator's commands before planned work: cordons of name servers, and the check before an upgrade.
import { expect, test, vi } from 'vitest';
import { zonestead as command, type Ended } from '../../support/program/command-line.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { sql } = service;

/** Runs `zonestead admin …` in this process. */
async function admin(...words: string[]): Promise<Ended> {
  vi.stubEnv('DATABASE_URL', service.database.url);
  try {
    return await command('admin', ...words);
  } finally {
    vi.unstubAllEnvs();
  }
}

test('admin nameservers cordons a name server for a time, and the nodes of a zone tell it', async () => {
  const zone = await service.zone('cordon.example');
  const [name = ''] = NAMESERVERS;
  const cordons = async () => (await service.request('GET', `/zones/${zone.id}/nodes`)).body.cordons;
  expect(await cordons()).toBeUndefined();
  const set = await admin('nameservers', 'cordon', `${name.toUpperCase()}.`, '--for', '4h', '--reason', 'new disk');
  expect(set.out).toMatch(
    new RegExp(`^cordoned ${name} until \\S+Z; to end it before: zonestead admin nameservers uncordon`),
  );
  expect(set.out).toContain('\nproofs still ask the nodes of a cordoned name server');
  expect((await admin('nameservers', 'list')).out).toMatch(new RegExp(`^${name} +\\S+Z +new disk$`, 'm'));
  const [cordon] = (await cordons()) as [{ until: string }];
  expect(cordon).toMatchObject({ name, reason: 'new disk' });
  const hours = (Date.parse(cordon.until) - Date.now()) / 3_600_000;
  expect([hours > 3.9, hours < 4.1]).toEqual([true, true]);
  // The second one replaces the first one.
  expect((await admin('nameservers', 'cordon', name, '--for', '1m')).code).toBe(0);
  expect(await cordons()).toHaveLength(1);
  await sql`update nameserver_cordons set until = now()`;
  expect(await cordons()).toBeUndefined();
  expect((await admin('nameservers', 'uncordon', name)).err).toContain('is not cordoned');
  expect((await admin('nameservers', 'cordon', '192.0.2.53', '--for', '2d')).code).toBe(0);
  expect((await admin('nameservers', 'uncordon', '192.0.2.53')).code).toBe(0);
  expect(await cordons()).toBeUndefined();
});

test.each([
  [
    ['ns1.wrong.test', '--for', '4h'],
    /"ns1\.wrong\.test" is neither an address nor a name server of this service; it has .*ns1\.zonestead\.test/,
  ],
  [[NAMESERVERS[0] ?? '', '--for', '8d'], /a cordon lasts from 1 minute to 7 days/],
  [[NAMESERVERS[0] ?? '', '--for', '4'], /"4" is not a time; write a number with m, h or d/],
  [[NAMESERVERS[0] ?? '', '--for', '1h', '--reason', 'x'.repeat(201)], /the reason has more than 200 characters/],
])('admin nameservers cordon %j is refused', async (words, message) => {
  const { code, err } = await admin('nameservers', 'cordon', ...words);
  expect([code, err]).toEqual([expect.any(Number), expect.stringMatching(message)]);
  expect(code).not.toBe(0);
});

test('admin nameservers cordons twenty name servers at most', async () => {
  const cordon = (at: number) => admin('nameservers', 'cordon', `192.0.2.${at}`, '--for', '1h');
  await sql`insert into nameserver_cordons (name, until) select 'n' || n, now() + interval '1 hour' from generate_series(1, 19) n`;
  expect((await cordon(1)).code).toBe(0);
  expect((await cordon(2)).err).toContain('20 name servers are cordoned already');
  expect((await cordon(1)).code).toBe(0);
  await sql`delete from nameserver_cordons`;
});

test('admin upgrade-check names the versions of all parts, and exits with 1 if an index is unusable', async () => {
  const version = '\\d+\\.\\d+\\.\\S+';
  const { code, out } = await admin('upgrade-check');
  expect(out).toContain('ok    the database has all migrations of this version');
  expect(out).toMatch(new RegExp(`^ok    replica of the api \\S+: version ${version}$`, 'm'));
  expect(out).toMatch(new RegExp(`^ok    name server ns1\\S*: version ${version}$`, 'm'));
  expect(out).toContain('warn  the database archives no WAL');
  expect(out).toContain('warn  the CRDs and the edges were not checked: No kubeconfig was found');
  expect([code, out.match(/FAIL/g)]).toEqual([0, null]);
  await sql`create table twice as select 1 as a from generate_series(1, 2)`;
  // The build fails, and leaves an index that no query uses.
  await expect(sql`create unique index concurrently twice_idx on twice (a)`).rejects.toThrow(/unique/);
  const failed = await admin('upgrade-check', '-o', 'json');
  await sql`drop table twice`;
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.out).findings).toContainEqual({
    subject: 'service',
    level: 'fail',
    what: 'the build of these indexes has failed: twice_idx',
    nextStep: {
      words: 'Build each of them again before the upgrade, with SQL:',
      commands: ['reindex index concurrently twice_idx'],
    },
  });
});

test('admin upgrade-check names the version of the operator that holds a cluster, and migrations that it does not know', async () => {
  const key = await service.key({ clusters: 'write' });
  const headers = { authorization: `Bearer ${key.text}`, 'user-agent': 'zonestead-operator/0.0.1' };
  const beat = await fetch(`${service.url}/v1/clusters/old`, { method: 'PUT', headers });
  expect(beat.status).toBe(200);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`;
  const { code, out } = await admin('upgrade-check');
  await sql`delete from drizzle.__drizzle_migrations where hash = 'later'`;
  expect(code).toBe(1);
  expect(out).toContain('warn  operator of cluster old: version 0.0.1');
  expect(out).toContain('FAIL  the database has 1 migrations of a newer version than this program');
});
