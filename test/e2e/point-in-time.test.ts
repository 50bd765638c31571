// A restore to a point in time from an archive of the WAL, with the commands of docs/how-to/back-up-and-restore.md,
// while the name servers and a secondary are ahead of the database: zones that were made after the target are
// answered all the time, and come back with their keys and later serials.
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, chown, cp, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { Agent } from 'undici';
import { afterAll, expect, inject, test } from 'vitest';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { isLater } from '#dns/serial.ts';
import { adminRevokeKey } from '#service/credentials/administration.ts';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { ensureDatabase } from '#store/admin.ts';
import { startCommand } from '../../deploy/local/parts/command.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startPostgres } from '../../deploy/local/parts/postgres.ts';
import { createResolver, type Resolver } from '../support/dns/resolver.ts';
import { readPage } from '../support/docs/document.ts';
import { scenario } from '../support/docs/scenario.ts';
import { createRequest } from '../support/http/requests.ts';
import { testKnot } from '../support/knot/knot.ts';
import { nodeProcess } from '../support/knot/node-process.ts';
import { serialAt, startRunning } from '../support/knot/secondaries.ts';
import { debianPostgres } from '../support/postgres/debian-postgres.ts';
import { temporaryFolder } from '../support/runner/temporary.ts';
import { mintTestKey } from '../support/service/keys.ts';

const LIMIT = { timeout: 120_000, interval: 100 };
const { signal } = new AbortController();
const programs = await debianPostgres();
const folder = await temporaryFolder('point-in-time');
const backup = join(folder, 'backup');
const page = await readPage('docs/how-to/back-up-and-restore.md');
const [archive = '', recovery = ''] = page.blocks.filter(({ language }) => language === 'ini').map(({ text }) => text);
const ports = await allocatePorts(
  [{ name: 'postgres' }, { name: 'api' }, { name: 'health' }, { name: 'secondary', dns: true }],
  { stateDir: folder },
);
const knot = await testKnot();
const dns = createResolver({ address: '127.0.0.1', port: knot.port }, folder);
const running = new Map<string, { stop(): Promise<unknown> }>();
const agent = new Agent();
afterAll(async () => {
  for (const part of [...running.values()].reverse()) await part.stop();
  await agent.close();
});

/** `name = value` lines, with the folder of this test in place of /backup. */
function readSettings(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes(' = '));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.trim().split(/ = (.*)/);
      return [name, value.replace(/^'|'$/g, '').replaceAll('/backup', backup)];
    }),
  );
}

async function startDatabase(): Promise<string> {
  const settings = { ...readSettings(archive), max_wal_senders: '2', archive_timeout: '0' };
  const options = { binDir: programs, stateDir: folder, port: ports.postgres as number, settings, durable: false };
  const started = await startPostgres({ ...options, signal });
  running.set('postgres', started);
  return started.url;
}

async function startApi(databaseUrl: string): Promise<void> {
  const env = {
    DATABASE_URL: databaseUrl,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.api}`,
    ZONESTEAD_NAMESERVERS: 'ns1.zonestead.test',
    ZONESTEAD_LIMITS: 'off',
  };
  const main = inject('program');
  const part = await startCommand({
    name: 'api',
    env,
    main,
    healthPort: ports.health as number,
    stateDir: folder,
    signal,
  });
  running.set('api', part);
}

/** A command of the page. @returns its code and output */
async function type(text: string, env: Record<string, string>): Promise<{ code: number; out: string }> {
  const [program, ...words] = text.trim().split(/\s+/);
  const command =
    program === 'zonestead'
      ? { command: process.execPath, args: [inject('program'), ...words] }
      : { command: '/bin/sh', args: ['-ec', text.replaceAll('/backup', backup)] };
  const path = `${programs}:${process.env.PATH}`;
  const { code, out, tail } = await runCommand({ ...command, env: { PATH: path, ...env }, timeoutMs: 200_000, signal });
  return { code: code ?? -1, out: `${out}${code === 0 ? '' : tail}` };
}

interface Watched {
  zoneName: string;
  anchor: { zone: string; ds: string };
}

/** Asks without a pause: the answers of the name server, validated, and the serials of the secondary. */
function watch(zones: readonly Watched[], resolver: Resolver, port: number) {
  const failures: string[] = [];
  const serials = new Map<string, number>();
  let [isGoing, rounds] = [true, 0];
  const done = (async () => {
    while (isGoing) {
      for (const { zoneName, anchor } of zones) {
        const answer = await resolver.delv(anchor.zone, `www.${zoneName}`, 'A', { ds: anchor.ds });
        if (answer.state !== 'secure' || answer.negative !== null)
          failures.push(`${zoneName}: ${JSON.stringify(answer)}`);
        const serial = await serialAt(port, zoneName);
        const before = serials.get(zoneName);
        if (serial === null) failures.push(`${zoneName}: the secondary has no serial`);
        else if (before !== undefined && isLater(before, serial)) failures.push(`${zoneName}: ${before} → ${serial}`);
        if (serial !== null) serials.set(zoneName, serial);
      }
      rounds += 1;
    }
  })();
  return {
    failures,
    rounds: () => rounds,
    stop: async () => {
      isGoing = false;
      await done;
      return { failures, rounds };
    },
  };
}

test('a database restored to a time before five zones were made gets them back, and none is bogus or goes back', {
  timeout: 900_000,
}, async () => {
  await mkdir(join(backup, 'wal'), { recursive: true });
  for (const each of [folder, backup, join(backup, 'wal')]) await chmod(each, 0o777);
  const superuser = await startDatabase();
  await ensureDatabase(superuser, 'zonestead');
  const url = new URL(superuser);
  url.pathname = '/zonestead';
  const database = url.href;
  await startApi(database);
  const api = `http://127.0.0.1:${ports.api}`;
  const nodeKey = await adminEnsureNodeKey(database, 'ns1', undefined, randomBytes, new Date());
  const node = await nodeProcess(api, nodeKey, 'ns1', knot);
  await node.start();
  const key = await mintTestKey(database, {});
  const leaked = await mintTestKey(database, {});
  const input = { name: 'nsd', addresses: [`127.0.0.1:${ports.secondary}`], zones: 'all' as const };
  const secondary = (await adminPutSecondary(database, input, randomBytes, new Date())).key;
  const request = createRequest(api, agent, key.text);
  const make = async (zoneName: string) => {
    const { body, text, status } = await request('POST', '/zones', { zoneName, owner: `org:${key.team}` });
    if (status >= 300) throw new Error(text);
    await put(body.id as string, 'www', '192.0.2.1');
    return body as {
      id: string;
      zoneName: string;
      serial: number;
      ds: { keyTag: number; algorithm: number; digestType: number; digest: string }[];
    };
  };
  const put = async (id: string, name: string, content: string) => {
    const { status, text } = await request('POST', `/zones/${id}/records`, { name, type: 'A', content });
    if (status !== 201) throw new Error(text);
  };
  const parent = await make('parent.test');

  await mkdir(join(backup, 'base'), { mode: 0o700 });
  const [takeBase] = (await scenario('point in time')).map(({ text }) => text);
  expect(await type(takeBase as string, { SUPERUSER_URL: superuser })).toMatchObject({ code: 0 });
  await put(parent.id, 'before', '192.0.2.2');
  const sql = postgres(database, { max: 1 });
  const [{ now: target }] = (await sql`select clock_timestamp()::text as now`) as unknown as [{ now: string }];

  // After the target: a change of an old zone, five zones, one of them with a DS at a zone of this service, and a
  // revocation.
  await put(parent.id, 'lost', '192.0.2.3');
  const names = ['child.parent.test', 'a.test', 'b.test', 'c.test', 'd.test'];
  const made: Awaited<ReturnType<typeof make>>[] = [];
  for (const name of names) made.push(await make(name));
  await adminRevokeKey(database, leaked.id, new Date());
  const view = {
    primaries: [{ address: knot.address, port: knot.port }],
    key: secondary,
    zones: ['parent.test', ...names],
    catalog: catalogName('nsd'),
  };
  const nsd = await startRunning('nsd', ports.secondary as number, view);
  const dsOf = ({ ds: [ds] }: (typeof made)[number]) =>
    `${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}`;
  const watched = made.map((zone) => {
    const top = zone.zoneName.endsWith('.parent.test') ? parent : zone;
    return { zoneName: zone.zoneName, anchor: { zone: top.zoneName, ds: dsOf(top) } };
  });
  for (const { zoneName, anchor } of watched) {
    const state = async () => (await dns.delv(anchor.zone, `www.${zoneName}`, 'A', { ds: anchor.ds })).state;
    await expect.poll(state, LIMIT).toBe('secure');
    await expect.poll(async () => (await nsd.resolver.lookup(`www.${zoneName}`, 'A')).answers.length, LIMIT).toBe(1);
  }
  await expect.poll(async () => (await nsd.resolver.lookup('child.parent.test', 'DS')).answers.length, LIMIT).toBe(2);
  await expect.poll(() => node.log(), LIMIT).toMatch(/the node remembers revocations/);
  await sql`select pg_switch_wal()`;
  const archived = async () =>
    (
      await sql`select last_archived_wal is not null and last_failed_wal is null as ok,
    pg_walfile_name(pg_current_wal_lsn()) > last_archived_wal as done from pg_stat_archiver`
    )[0];
  await expect.poll(archived, LIMIT).toMatchObject({ ok: true, done: true });
  await sql.end();

  const questions = watch(watched, dns, ports.secondary as number);
  const begin = performance.now();
  await running.get('api')?.stop();
  await running.get('postgres')?.stop();
  const data = join(folder, 'postgres', 'data');
  const { uid, gid } = await stat(data);
  await rename(data, `${data}.damaged`);
  await cp(join(backup, 'base'), data, { recursive: true });
  const lines = recovery
    .replaceAll('/backup', backup)
    .replace(/recovery_target_time = '.*'/, `recovery_target_time = '${target}'`);
  await appendFile(join(data, 'postgresql.auto.conf'), `\n${lines}\n`);
  await writeFile(join(data, 'recovery.signal'), '');
  await runCommand({ command: 'chown', args: ['-R', `${uid}:${gid}`, data], timeoutMs: 60_000, signal });
  await chmod(data, 0o700);
  await chown(data, uid, gid);
  await startDatabase();
  await startApi(database);
  const restoredMs = performance.now() - begin;

  const heldNames = async () => {
    const { out } = await type('zonestead admin nodes list -o json', { DATABASE_URL: database });
    return (JSON.parse(out).nodes as { held: { zones: { name: string }[] } | null }[]).flatMap(
      ({ held }) => held?.zones.map(({ name }) => name) ?? [],
    );
  };
  // The service makes no zone in place of one that the name servers hold.
  const early = await request('POST', '/zones', { zoneName: 'a.test', owner: `org:${key.team}` });
  expect([409, 503]).toContain(early.status);
  await expect.poll(async () => (await heldNames()).sort(), LIMIT).toEqual([...names].sort());
  const refused = await request('POST', '/zones', { zoneName: 'a.test', owner: `org:${key.team}` });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('nodes salvage --zone a.test')]);
  const rounds = questions.rounds();
  await expect.poll(() => questions.rounds(), LIMIT).toBeGreaterThan(rounds + 1);

  const commands = (await scenario('point in time')).slice(1).map(({ text }) => text);
  const outputs = new Map<string, string>();
  const salvageBegin = performance.now();
  for (const text of commands) {
    // The time of the example is before everything here; only the revoked key may be revoked again.
    const typed = text.replace(
      /--revoke-since \S+/,
      `--revoke-since ${new Date(Date.now() + 3_600_000).toISOString()}`,
    );
    const { code, out } = await type(typed, { DATABASE_URL: database });
    expect([text, code, out]).toEqual([text, 0, expect.anything()]);
    outputs.set(text, out);
  }
  const salvagedMs = performance.now() - salvageBegin;
  const listed = outputs.get('zonestead admin after-restore') ?? '';
  expect(listed).toMatch(new RegExp(`^key +${leaked.id} .*is valid again`, 'm'));
  expect(listed).toContain('5 zones are missing');
  expect([...outputs.values()].join('')).toContain('5 zones brought back, 0 there already, 0 not brought back');
  await expect.poll(heldNames, LIMIT).toEqual([]);

  for (const zone of made) {
    const { body } = await request('GET', `/zones/${zone.id}`);
    expect(body).toMatchObject({ zoneName: zone.zoneName, ds: zone.ds });
    const serial = body.serial as number;
    expect(isLater(serial, zone.serial)).toBe(true);
    const served = async () => {
      const at = await serialAt(ports.secondary as number, zone.zoneName);
      return at !== null && !isLater(serial, at);
    };
    await expect.poll(served, LIMIT).toBe(true);
  }
  await put(made[1]?.id as string, 'new', '192.0.2.4');
  await expect.poll(async () => (await nsd.resolver.lookup('new.a.test', 'A')).answers.length, LIMIT).toBe(1);
  expect((await dns.lookup('before.parent.test', 'A')).answers).toHaveLength(1);
  await expect.poll(async () => (await dns.lookup('lost.parent.test', 'A')).rcode, LIMIT).toBe('NXDOMAIN');
  expect((await nsd.resolver.lookup('child.parent.test', 'DS')).answers).toHaveLength(2);
  const end = await questions.stop();
  expect(end.failures).toEqual([]);
  // The page has the figures of a run on two cores.
  expect(restoredMs).toBeLessThan(60_000);
  expect(salvagedMs).toBeLessThan(60_000);
  process.stderr.write(
    `restored in ${Math.round(restoredMs)} ms; commands in ${Math.round(salvagedMs)} ms; ${end.rounds} rounds\n`,
  );
});
