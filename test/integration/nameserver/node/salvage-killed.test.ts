// The command that brings back zones from a name server is killed at several of its steps, and repeated: no zone is
// doubled or lost, each one that is there is complete, and no private key stays in the tables of the request.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, inject, test, vi } from 'vitest';
import { adminEnsureNodeKey, adminListNodes, adminMintNodeKey } from '#service/nodes/administration.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { startTestService } from '../../../support/service/service.ts';

vi.setConfig({ testTimeout: 240_000 });
const PATIENCE = { timeout: 60_000, interval: 20 };
const ZONES = 8;
const RECORDS = 5;

const [before, after, knot] = await Promise.all([
  startTestService({ nameserver: false }),
  startTestService({ nameserver: false, warnings: ['two instances report'] }),
  testKnot(),
]);
const { sql } = after;
const { text: key } = await adminMintNodeKey(before.database.url, 'ns1', {}, randomBytes, new Date());
await adminEnsureNodeKey(after.database.url, 'ns1', key, randomBytes, new Date());
const node = await nodeProcess(before.url, key, 'ns1', knot);
const dns = createResolver(knot, knot.folder.root);
const restored = await nodeProcess(after.url, key, 'ns1', knot, { ZONESTEAD_NODE_STATE: node.folder });

/** Zones with their keys and records, those of the history too. */
const read = async (service: typeof before) => {
  const rows =
    await service.sql`select z.id, z.name, (select array_agg(k.public_key) from zone_keys k where k.zone_id = z.id) as key,
      (select array_agg(r.name || ' ' || r.content order by r.name, r.content) from records r where r.zone_no = z.no) as records
    from zones z order by z.name`;
  return rows.map((row) => ({ ...row }));
};
const counts = async () => {
  const [row] =
    await sql`select (select count(*)::int from zones) as zones, (select count(*)::int from salvage_parts) as parts,
    (select count(*)::int from salvage_requests) as requests`;
  return row as unknown as { zones: number; parts: number; requests: number };
};
const isLocked = async () =>
  (
    await sql`select from pg_locks where locktype = 'advisory' and objid = ${0x73616c76}
    and database = (select oid from pg_database where datname = current_database())`
  ).length > 0;

function run() {
  const env = { PATH: process.env.PATH, DATABASE_URL: after.database.url };
  const words = [inject('program'), 'admin', 'nodes', 'salvage', '--all', '--yes'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep);
  return { child, ended: once(child, 'exit'), output: () => output };
}

test('a command that is killed while it brings back zones is repeated, and nothing is doubled, lost or left behind', async () => {
  await node.start();
  for (let n = 0; n < ZONES; n += 1) {
    const zone = await before.zone();
    for (let at = 0; at < RECORDS; at += 1) await before.record(zone, `host${at}`, 'A', `192.0.2.${at}`);
  }
  const original = await read(before);
  const names = original.map(({ name }) => name).sort();
  const secrets = await before.sql`select seal_secret as secret from service`;
  await sql`update service set seal_secret = ${secrets[0]?.secret}`;
  await sql`insert into teams (id, name) values (${before.admin.team}, 'restored')`;
  const lastRecords = () =>
    Promise.all(names.map(async (name) => (await dns.lookup(`host${RECORDS - 1}.${name}`, 'A')).answers.length));
  await expect.poll(lastRecords, PATIENCE).toEqual(names.map(() => 1));
  await node.stop();
  await restored.start();
  const held = async () =>
    (await adminListNodes(after.database.url)).flatMap((row) => row.held?.zones.map(({ name }) => name) ?? []).sort();
  await expect.poll(held, PATIENCE).toEqual(names);

  const steps: ((now: Awaited<ReturnType<typeof counts>>) => boolean)[] = [
    ({ requests }) => requests > 0,
    ({ parts }) => parts > 0,
    ...[1, 3, 6].map(
      (many) =>
        ({ zones }: { zones: number }) =>
          zones >= many,
    ),
  ];
  for (const isReached of steps) {
    const { child, ended } = run();
    while (child.exitCode === null && !isReached(await counts()));
    child.kill('SIGKILL');
    await ended;
    // Postgres ends the statement under way, and then the session with its lock.
    await expect.poll(isLocked, PATIENCE).toBe(false);
    const there = await read(after);
    expect(there).toEqual(original.filter(({ name }) => there.some((zone) => zone.name === name)));
  }
  const last = run();
  const [code] = await last.ended;
  expect([code, last.output()]).toEqual([0, expect.stringContaining('0 not brought back')]);
  expect(await read(after)).toEqual(original);
  expect(await counts()).toEqual({ zones: ZONES, parts: 0, requests: 0 });
  const created = await sql`select count(*)::int as n from changes where action = 'zone.create' group by zone_id`;
  expect(created.map(({ n }) => n)).toEqual(Array.from({ length: ZONES }, () => 1));
  await expect.poll(held, PATIENCE).toEqual([]);
});

test('a request whose command was killed ends automatically, with the private keys that were sent for it', async () => {
  await sql`insert into salvage_requests (token, zones, until) values ('left', '{}', now() - interval '1 second')`;
  await sql`insert into salvage_parts (instance, zone, part, node, content) values (gen_random_uuid(), 'left.test', 0, 'ns1', '{}')`;
  await expect.poll(counts, PATIENCE).toMatchObject({ parts: 0, requests: 0 });
});
