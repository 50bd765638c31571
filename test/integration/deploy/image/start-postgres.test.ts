// The start script of the Postgres image with the programs of that image, alone and with the arguments of the chart:
// other machines need TLS. A connection to an address of this machine that is not loopback is one of those.
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renewed } from '#kube/certificates/own-certificate.ts';
import { type Account, unprivilegedAccount } from '../../../../deploy/local/parts/account.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import type { Part } from '../../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { ensurePostgres } from '../../../../deploy/local/parts/postgres.ts';
import { startProcess } from '../../../../deploy/local/parts/process.ts';
import { waitFor } from '../../../../deploy/local/parts/wait.ts';
import { one, type Rendered, render } from '../../../support/chart/chart.ts';
import { outsideAddress } from '../../../support/http/outside-address.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const SCRIPT = await readFile(new URL('../../../../deploy/image/start-postgres.sh', import.meta.url), 'utf8');
const PASSWORD = 'a-password-for-the-superuser';
const outside = outsideAddress();
const own = await renewed(undefined, { hosts: ['localhost'], now: new Date() });
const folder = await temporaryFolder('start-postgres');
const { signal } = new AbortController();
let account: Account | undefined;
let binDir = '';
const running: Part[] = [];

beforeAll(async () => {
  ({ binDir } = await ensurePostgres({ progress: () => {}, signal }));
  account = await unprivilegedAccount();
  await chmod(folder, 0o755);
  for (const [name, text] of Object.entries({ 'tls.crt': own.certificate, 'tls.key': own.key, password: PASSWORD }))
    await put(name, text);
});
afterAll(() => Promise.all(running.map((part) => part.stop({ signal: 'SIGINT', graceMs: 20_000 }))));

/** A file that the account of Postgres alone can read. */
async function put(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text, { mode: 0o600 });
  if (account) await chown(join(folder, name), account.uid, account.gid);
}

interface Server {
  port: number;
  /** The folder of its socket. */
  home: string;
}

/** The script with these arguments, until it takes connections. */
async function start(name: string, args: readonly string[]): Promise<Server> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  if (account) await chown(home, account.uid, account.gid);
  const { [name]: port = 0 } = await allocatePorts([{ name }], { stateDir: home });
  const PGDATA = join(home, 'pgdata');
  const part = startProcess({
    name,
    command: '/bin/sh',
    // The account may not reach the checkout.
    args: [
      '-c',
      SCRIPT,
      'start-postgres',
      ...args,
      '-c',
      `port=${port}`,
      '-c',
      `unix_socket_directories=${home}`,
      '-c',
      'fsync=off',
    ],
    env: { PATH: `${binDir}:/usr/bin:/bin`, LC_ALL: 'C', PGDATA, POSTGRES_PASSWORD_FILE: join(folder, 'password') },
    cwd: home,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    logFile: join(folder, `${name}.log`),
  });
  running.push(part);
  const socket = { port, home };
  const answers = () => log(socket, { path: `${home}/.s.PGSQL.${port}` }).then((user) => user === 'postgres');
  await waitFor(answers, { what: `the Postgres ${name}`, timeoutMs: 100_000, intervalMs: 100, part, signal });
  return socket;
}

interface Way {
  host?: string;
  /** The file of the socket. */
  path?: string;
  ssl?: false | { ca: string; servername: string };
  password?: string;
}

/** The user that a connection gets, or the words with which it is refused. */
async function log({ port }: Server, { ssl = false, password = PASSWORD, ...place }: Way): Promise<string> {
  const sql = postgres({ port, ssl, username: 'postgres', password, database: 'postgres', max: 1, ...place });
  try {
    const [row] = await sql<{ user: string }[]>`select current_user as user`;
    return row?.user ?? 'no row';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function demandsTls(server: Server): Promise<void> {
  const socket = { path: `${server.home}/.s.PGSQL.${server.port}` };
  const network = { host: outside, ssl: { ca: own.authorities, servername: 'localhost' } };
  expect(await log(server, { host: outside })).toMatch(/no pg_hba.conf entry .* no encryption/);
  expect(await log(server, network)).toBe('postgres');
  expect(await log(server, { host: '127.0.0.1' })).toBe('postgres');
  expect(await log(server, socket)).toBe('postgres');
  for (const way of [network, { host: '127.0.0.1' }, socket])
    expect(await log(server, { ...way, password: 'wrong' })).toContain('password authentication failed');
}

test('the image takes connections of other machines with TLS only', async () => {
  const files = { ssl_cert_file: 'tls.crt', ssl_key_file: 'tls.key' };
  const settings = Object.entries(files).flatMap(([name, file]) => ['-c', `${name}=${join(folder, file)}`]);
  await demandsTls(await start('alone', ['-c', 'ssl=on', ...settings]));
});

test('the built-in Postgres of the chart does so, too, with a data folder whose own rules take anything', async () => {
  const objects = await render({});
  const [{ args }] = one(objects, 'StatefulSet', 'zonestead-postgres').spec.template.spec.containers;
  await put('pg_hba.conf', one(objects, 'ConfigMap', 'zonestead-postgres').data['pg_hba.conf']);
  const mounted = (args as Rendered[]).map((each) => each.replace(/=\/etc\/postgres-(tls|hba)/, `=${folder}`));
  const first = await start('chart', mounted);
  // As the official image writes it.
  await writeFile(join(first.home, 'pgdata/pg_hba.conf'), 'local all all trust\nhost all all all trust\n');
  await running.pop()?.stop({ signal: 'SIGINT', graceMs: 20_000 });
  await demandsTls(await start('chart', mounted));
});

test('the image refuses the data folder of another version of PostgreSQL, and changes nothing in it', async () => {
  const PGDATA = join(folder, 'other');
  await mkdir(PGDATA);
  await writeFile(join(PGDATA, 'PG_VERSION'), '17\n');
  const { code, tail } = await runCommand({
    command: '/bin/sh',
    args: ['-c', SCRIPT, 'start-postgres'],
    env: { PATH: `${binDir}:/usr/bin:/bin`, LC_ALL: 'C', PGDATA },
    timeoutMs: 60_000,
    signal,
  });
  expect(code).toBe(1);
  expect(tail).toMatch(
    /^start-postgres: the data in \S+\/other is of PostgreSQL 17, and this image has PostgreSQL 18\. Nothing was changed\. Use an image with PostgreSQL 17, dump the database there \(pg_dump\), and restore it into an empty volume of this image$/,
  );
  expect(await readdir(PGDATA)).toEqual(['PG_VERSION']);
});
