// A real Postgres: made, stopped, killed and started again, without losing what was committed.
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pidExists } from '../../../../deploy/local/parts/liveness.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import {
  ensurePostgres,
  type Postgres,
  removePostgresState,
  startPostgres,
} from '../../../../deploy/local/parts/postgres.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const stateDir = await temporaryFolder('postgres');
const { signal } = new AbortController();
let binDir: string;
let port: number;
let server: Postgres | undefined;

beforeAll(async () => {
  ({ binDir } = await ensurePostgres({ progress: () => {}, signal }));
  ({ postgres: port } = await allocatePorts([{ name: 'postgres' }], { stateDir }));
});
afterEach(async () => {
  await server?.stop();
});
afterAll(() => removePostgresState(stateDir));

async function start(more = {}): Promise<Postgres> {
  server = await startPostgres({ binDir, stateDir, port, durable: false, signal, ...more });
  return server;
}

async function query<T>({ url }: Postgres, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return (await sql.unsafe(text)) as unknown as T[];
  } finally {
    await sql.end();
  }
}

test('a new state folder gets a UTF-8 database in byte order, behind a password', async () => {
  const first = await start();
  const rows = await query<{ x: string }>(
    first,
    `select x from (values ('b'), ('B'), ('ä'), ('a')) as t (x) order by x`,
  );
  expect(rows.map(({ x }) => x)).toEqual(['B', 'a', 'b', 'ä']);
  expect(await query(first, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
  const wrong = { ...first, url: first.url.replace(/:[^:@]+@/, ':wrong@') };
  await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
  expect((await stat(join(stateDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
});

test('settings reach the server, and a server that is not durable still commits synchronously', async () => {
  const tuned = await start({ settings: { work_mem: '5MB' } });
  const settings = await query<{ setting: string }>(
    tuned,
    `select setting from pg_settings where name in ('fsync', 'synchronous_commit', 'work_mem') order by name`,
  );
  expect(settings.map(({ setting }) => setting)).toEqual(['off', 'on', '5120']);
});

test('stopping is fast although a client holds a transaction open, and the next start finds the data', async () => {
  const first = await start();
  await query(first, 'create table kept (n int); insert into kept values (1)');
  const client = postgres(first.url, { max: 1 });
  await client.unsafe('begin; insert into kept values (2)');
  await first.stop();
  expect(pidExists(first.part.pid)).toBe(false);
  await client.end().catch(() => {});

  expect(await query(await start(), 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a start right after SIGKILL recovers everything that was committed', async () => {
  const first = await start();
  await query(first, 'create table crashed (n int); insert into crashed values (1)');
  // Backends that sleep outlive their postmaster for a moment; the new start has to wait for them.
  const sleeper = query(first, 'select pg_sleep(60)').catch(() => {});
  await first.part.stop({ signal: 'SIGKILL' });
  const second = await start();
  await sleeper;
  expect(await query(second, 'select n from crashed')).toEqual([{ n: 1 }]);
});

test('a postmaster.pid with the pid of another process does not block the start', async () => {
  const first = await start();
  const [{ file } = { file: '' }] = await query<{ file: string }>(
    first,
    `select current_setting('data_directory') as file`,
  );
  await first.stop();
  await writeFile(join(file, 'postmaster.pid'), `${process.pid}\n${file}\n`);
  expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a second server on the same data is refused with the pid of the first', async () => {
  const first = await start();
  // The first one does not end, so there is nothing to wait for.
  const second = startPostgres({ binDir, stateDir, port, durable: false, leftoverLimitMs: 0, signal });
  await expect(second).rejects.toThrow(`Postgres (pid ${first.part.pid})`);
});

test('a port in use is reported with the end of the log', async () => {
  const first = await start();
  const other = join(stateDir, 'other');
  await mkdir(other);
  try {
    await expect(startPostgres({ binDir, stateDir: other, port, durable: false, signal })).rejects.toThrow(
      /^postgres ended \(code 1\) while waiting for Postgres on port .*Address already in use/s,
    );
    expect(await readFile(join(other, 'postgres', 'postgres.log'), 'utf8')).toContain('postgres started');
  } finally {
    await removePostgresState(other);
    await first.stop();
  }
});

test.runIf(process.getuid?.() === 0)(
  'a state folder that the server cannot reach keeps its data elsewhere',
  async () => {
    const closed = join(stateDir, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o700);
    const said: string[] = [];
    try {
      const first = await start({ stateDir: closed, progress: (line: string) => said.push(line) });
      const [{ file } = { file: '' }] = await query<{ file: string }>(
        first,
        `select current_setting('data_directory') as file`,
      );
      expect(file).not.toContain(closed);
      expect(said.join('\n')).toContain(file);
      await query(first, 'create table there (n int)');
      await first.stop();
      expect(await query(await start({ stateDir: closed }), 'select count(*)::int from there')).toEqual([{ count: 0 }]);
      await server?.stop();
    } finally {
      await server?.stop();
      await removePostgresState(closed);
    }
  },
);
