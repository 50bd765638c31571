// Migrations under load: two versions of the api on one database while the newer one migrates it, and a migration that
// has to wait for a table. No write fails, and no acknowledged write is lost.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { openDatabase } from '#store/database.ts';
import { isMigrated, migrateDatabase } from '#store/migrate.ts';
import journal from '#store/migrations/meta/_journal.json' with { type: 'json' };
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { startKnot } from '../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import type { Part } from '../../../deploy/local/parts/process.ts';
import { createResolver, type Resolver } from '../../support/dns/resolver.ts';
import { createRequest, type Request } from '../../support/http/requests.ts';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.ts';
import { beforeNewestMigration, copyWithMigration, unpackVersion } from '../../support/program/previous-version.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { expectWholeHistory } from '../../support/service/history.ts';
import { startWriteLoad, type WriteLoad } from '../../support/service/write-load.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;
const WRITERS = 2;
const WRITES = 60;
/** The time that a writer waits for its zone before it is told `busy`. */
const BUSY_AFTER_MS = 8_000;
const READER_MS = BUSY_AFTER_MS + 1_000;
const { signal } = new AbortController();

const folder = await temporaryFolder('migration');
const agent = new Agent();
let database: TestDatabase;
let dns: Resolver;
const running: Part[] = [];

beforeAll(async () => {
  database = await cloneDatabase('template1');
});
afterAll(async () => {
  await Promise.all(running.map((part) => part.stop()));
  await agent.close();
  await database?.close();
});

async function startApi(name: string, main?: string): Promise<{ url: string; part: Part }> {
  const stateDir = join(folder, name);
  await mkdir(stateDir);
  const { port, healthPort } = await allocatePorts([{ name: 'port' }, { name: 'healthPort' }], { stateDir });
  const env = {
    DATABASE_URL: database.url,
    ZONESTEAD_LISTEN: `127.0.0.1:${port}`,
    ZONESTEAD_NAMESERVERS: 'ns1.zonestead.test',
    ZONESTEAD_LIMITS: 'off',
    ZONESTEAD_BUSY_AFTER_MS: String(BUSY_AFTER_MS),
  };
  const part = await startCommand({ name: 'api', env, healthPort, stateDir, signal, ...(main ? { main } : {}) });
  running.push(part);
  return { url: `http://127.0.0.1:${port}`, part };
}

interface Key {
  team: string;
  text: string;
}

/** By the command of that version, which knows its own tables. Older versions have no commands below "admin". */
async function mint(main: string, ...more: string[]): Promise<Key> {
  const hasAdmin = existsSync(join(dirname(main), 'cli/admin/admin.ts'));
  const words = [...(hasAdmin ? ['admin'] : []), 'keys', 'mint'];
  const rights = ['--records', 'write', '--manage-zones', 'write', ...more];
  const { out, tail } = await runCommand({
    command: process.execPath,
    args: [main, ...words, '--team', 'first', '--name', 'writer', ...rights],
    env: { ...process.env, DATABASE_URL: database.url },
    timeoutMs: 100_000,
    signal,
  });
  const [team, text] = [/team_\w+/.exec(out)?.[0], /yk_\S+/.exec(out)?.[0]];
  if (team === undefined || text === undefined) throw new Error(`no key was made: ${tail}`);
  return { team, text };
}

/** A name server that follows this api. */
async function startDns(url: string): Promise<void> {
  const { dns: port, healthPort } = await allocatePorts([{ name: 'dns', dns: true }, { name: 'healthPort' }], {
    stateDir: folder,
  });
  const programs = inject('knot');
  const knot = await startKnot({ programs, stateDir: folder, port, signal });
  running.push(knot.part);
  const env = {
    ZONESTEAD_FEED_URL: url,
    ZONESTEAD_NODE_KEY: await adminEnsureNodeKey(database.url, 'ns1', undefined, randomBytes, new Date()),
    ZONESTEAD_NODE_NAME: 'ns1',
    ZONESTEAD_NODE_STATE: join(folder, 'state'),
    ZONESTEAD_KNOT_FOLDER: knot.folder.root,
    ZONESTEAD_KNOT_LISTEN: knot.address,
    ZONESTEAD_KNOT_PORT: String(port),
    ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: '127.0.0.0/8',
    ZONESTEAD_KEYMGR: programs.keymgr,
  };
  running.push(await startCommand({ name: 'nameserver', env, healthPort, stateDir: folder, signal }));
  dns = createResolver({ address: '127.0.0.1', port }, folder);
}

async function makeZones(request: Request, key: Key, ...names: string[]) {
  const zones: { id: string; zoneName: string }[] = [];
  for (const zoneName of names) {
    const { body, status, text } = await request('POST', '/zones', { zoneName, owner: `org:${key.team}` });
    expect([status, text]).toEqual([200, expect.anything()]);
    zones.push({ id: body.id as string, zoneName });
  }
  return zones;
}

async function more(load: WriteLoad, writes: number): Promise<void> {
  const target = load.acknowledged() + writes;
  await expect.poll(() => load.acknowledged(), { timeout: 100_000 }).toBeGreaterThanOrEqual(target);
}

/** Asks without a pause; says how many questions went unanswered or wrong. */
function startQuestions(name: string): { stop(): Promise<{ answered: number; failed: string[] }> } {
  let [answered, going] = [0, true];
  const failed: string[] = [];
  const done = (async () => {
    while (going) {
      const { rcode, answers } = await dns.lookup(name, 'A').catch((error) => ({ rcode: String(error), answers: [] }));
      if (rcode === 'NOERROR' && answers.length === 1) answered += 1;
      else failed.push(rcode);
    }
  })();
  return {
    stop: async () => {
      going = false;
      await done;
      return { answered, failed };
    },
  };
}

/** The programs of the previous version and of the next one. */
async function versions(): Promise<{ previous: string; next: string }> {
  const commit = await beforeNewestMigration();
  const sources = join(folder, 'other');
  const other = join(sources, 'src/main.ts');
  if (commit === null) {
    await copyWithMigration(sources, 1, 'alter table zones add column remark text;');
    return { previous: MAIN, next: other };
  }
  await unpackVersion(commit, sources, ['src', 'package.json']);
  return { previous: other, next: MAIN };
}

test('a new version migrates under the writes of the old one, and both serve until the old one ends', {
  timeout: 300_000,
}, async () => {
  const { previous, next } = await versions();
  const old = await startApi('old', previous);
  const { db, close } = openDatabase(database.url, { max: 1 });
  const migrations = async () =>
    (await database.sql`select count(*)::integer as applied from drizzle.__drizzle_migrations`)[0]?.applied;
  try {
    const before = await migrations();
    const key = await mint(previous, '--create-team');
    const apis = [createRequest(old.url, agent, key.text)];
    let turn = 0;
    const request: Request = (...asked) => (apis[turn++ % apis.length] as Request)(...asked);
    const [asked, ...zones] = await makeZones(request, key, 'asked.test', 'one.test', 'two.test');
    await request('POST', `/zones/${asked?.id}/records`, { name: 'www', type: 'A', content: '192.0.2.1' });

    const load = startWriteLoad(request, zones, WRITERS);
    await more(load, WRITES);
    const young = await startApi('new', next);
    expect(await migrations()).toBeGreaterThan(before);
    expect(await isMigrated(db)).toBe(true);
    apis.push(createRequest(young.url, agent, key.text));
    await startDns(young.url);
    await expect.poll(async () => (await dns.lookup('www.asked.test', 'A')).answers.length).toBe(1);
    const questions = startQuestions('www.asked.test');
    await more(load, WRITES);
    apis.shift();
    // As a Service does it: no new requests, and an end when those under way are answered.
    await more(load, WRITERS * zones.length);
    await old.part.stop();
    await more(load, WRITES);
    await load.stop();
    const { answered, failed } = await questions.stop();
    expect([load.doubtful(), load.busy(), failed]).toEqual([0, 0, []]);
    expect(answered).toBeGreaterThan(20);
    await load.settle(dns);
    await expectWholeHistory(database.sql);
  } finally {
    await close();
  }
});

test('a migration that waits for a table lets the writers pass, and this version keeps working with the next schema', {
  timeout: 300_000,
}, async () => {
  const next = await copyWithMigration(join(folder, 'next'), 2, 'alter table records add column remark text;');
  const key = await mint(MAIN, '--create-team');
  const { url } = await startApi('current');
  const request = createRequest(url, agent, key.text);
  const load = startWriteLoad(request, await makeZones(request, key, 'next.test'), WRITERS);
  await more(load, WRITERS);
  const reader = database.connect();
  const reading = reader.begin(async (tx) => {
    await tx`select count(*) from records`;
    await new Promise((resolve) => setTimeout(resolve, READER_MS));
  });
  await more(load, WRITERS);
  const migrating = migrateDatabase(database.url, { folder: next });
  await reading;
  await reader.end();
  await migrating;
  await more(load, WRITES);
  await load.stop();
  expect([load.doubtful(), load.busy()]).toEqual([0, 0]);
  const [column] = await database.sql`
    select column_name from information_schema.columns where table_name = 'records' and column_name = 'remark'`;
  expect(column).toBeDefined();
  await load.settle(dns);
});

test('several processes migrate an empty database together, and each migration is applied once', async () => {
  const empty = await cloneDatabase('template1');
  const { db, close } = openDatabase(empty.url, { max: 1 });
  try {
    expect(await isMigrated(db)).toBe(false);
    await Promise.all([1, 2, 3].map(() => migrateDatabase(empty.url)));
    await migrateDatabase(empty.url);
    expect(await isMigrated(db)).toBe(true);
    const applied = await empty.sql`select created_at from drizzle.__drizzle_migrations order by id`;
    expect(applied.map(({ created_at }) => Number(created_at))).toEqual(journal.entries.map(({ when }) => when));
  } finally {
    await close();
    await empty.close();
  }
});
