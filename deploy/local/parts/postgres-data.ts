// The data folder of a state folder's Postgres, and how it is created and released.
//
// Layout: <stateDir>/postgres/{password,postgres.log} always; the data in <stateDir>/postgres/data, or, if the
// unprivileged account cannot reach that (a checkout under a home of mode 0700), in /var/lib/zonestead/<key>/data with
// a key made from the state folder's path.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Account, canReach, unprivilegedAccount } from './account.ts';
import { cacheKey, type Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { processesIn } from './liveness.ts';
import { delay } from './wait.ts';

export interface DataFolder {
  /** PGDATA. */
  data: string;
  account: Account | undefined;
  /** The password of the superuser `postgres`. */
  password: string;
}

const OUTSIDE = '/var/lib/zonestead';
const INITDB_LIMIT_MS = 120_000;

export interface DataOptions {
  binDir: string;
  stateDir: string;
  durable: boolean;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The data folder of this state folder, initialised when it is new.
 * @throws with initdb's output when it fails, or when the password of an existing folder is lost.
 */
export async function ensureDataFolder(options: DataOptions): Promise<DataFolder> {
  const { stateDir, progress, signal } = options;
  const home = join(stateDir, 'postgres');
  const account = await unprivilegedAccount();
  await mkdir(home, { recursive: true, mode: 0o755 });
  const outside = outsideFolder(stateDir);
  const parent = (await canReach(home, account, signal)) ? home : outside;
  const data = join(parent, 'data');
  const passwordFile = join(home, 'password');

  if (parent === outside) {
    await mkdir(outside, { recursive: true, mode: 0o755 });
    progress(`Postgres (account ${account?.name}) cannot reach ${home}: its data is in ${data}`);
    // The state folder was deleted, which means its data too.
    if (!existsSync(passwordFile)) await rm(data, { recursive: true, force: true });
  }
  if (existsSync(data)) {
    const password = await readFile(passwordFile, 'utf8').catch(() => {
      throw new Error(`${data} exists but the password in ${passwordFile} is lost; delete the state folder (--fresh)`);
    });
    return { data, account: await findOwner(data, account), password };
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await initialise(options, data, account, password);
  return { data, account, password };
}

/**
 * Deletes the folders that ensureDataFolder created, also outside of the state folder. Postgres must not be running.
 */
export async function removePostgresState(stateDir: string): Promise<void> {
  await rm(join(stateDir, 'postgres'), { recursive: true, force: true });
  await rm(outsideFolder(stateDir), { recursive: true, force: true });
}

/**
 * Ensures that no process works on the data folder and that no stale postmaster.pid blocks the start. Postgres checks
 * only the pid of a pid file, which after a crash may belong to any program of the same account; and it refuses to
 * start while backends of a killed server are still running. The working folder of the process distinguishes both cases
 * reliably. @throws when a process still works on it after `limitMs`
 */
export async function freeDataFolder(data: string, limitMs: number, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const users = processesIn(data);
    if (users.length === 0) break;
    signal.throwIfAborted();
    if (performance.now() >= deadline)
      throw new Error(`Postgres (pid ${users[0]}) already works on ${data}; end it first`);
    await delay(100, signal);
  }
  // Without /proc that is unknown, and Postgres' own judgement has to do.
  if (existsSync('/proc/self')) await rm(join(data, 'postmaster.pid'), { force: true });
}

function outsideFolder(stateDir: string): string {
  return join(OUTSIDE, cacheKey({ stateDir: resolve(stateDir) }));
}

/** An existing folder keeps its owner: Postgres refuses one of another account, and accounts may be added later. */
async function findOwner(data: string, account: Account | undefined): Promise<Account | undefined> {
  const { uid, gid } = await stat(data);
  return account === undefined || account.uid === uid ? account : { name: `uid ${uid}`, uid, gid };
}

async function initialise(options: DataOptions, data: string, account: Account | undefined, password: string) {
  // Created in a sibling that is renamed: an interrupted initdb must not leave a folder that looks like a database.
  const temporary = `${data}.new`;
  const passwordFile = join(temporary, 'password');
  const pgdata = join(temporary, 'data');
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) for (const path of [passwordFile, temporary]) await chown(path, account.uid, account.gid);
  options.progress('initialising the Postgres data folder');
  const initdb = join(options.binDir, 'initdb');
  const { code, tail } = await runCommand({
    command: initdb,
    args: ['-D', pgdata, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-instructions']
      .concat(['-E', 'UTF8', '--locale=C', ...(await builtinLocale(initdb, options.signal))])
      .concat(options.durable ? [] : ['--no-sync']),
    env: postgresEnvironment(),
    cwd: temporary,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    timeoutMs: INITDB_LIMIT_MS,
    signal: options.signal,
  });
  if (code !== 0) throw new Error(`initdb failed (code ${code}):\n${tail}`);
  await rename(pgdata, data);
  await rm(temporary, { recursive: true, force: true });
}

/**
 * The built-in locale gives the same order on every machine, with any C library and its locales. It does not exist
 * before PostgreSQL 17; C's order is the same except for the case of letters beyond ASCII, which no DNS name has.
 */
async function builtinLocale(initdb: string, signal: AbortSignal): Promise<string[]> {
  const { out } = await runCommand({ command: initdb, args: ['--version'], timeoutMs: 60_000, signal });
  const major = Number(/(\d+)(\.|\w|$)/.exec(out)?.[1] ?? 0);
  return major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
}

/** Nothing of the caller's: PG* variables and root's HOME would only lead astray. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
