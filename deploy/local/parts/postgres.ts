// A Postgres server of our own for one state folder.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from './cache.ts';
import { atLoopback, LOOPBACK } from './loopback.ts';
import type { Part } from './part.ts';
import { ensureDataFolder, freeDataFolder, postgresEnvironment } from './postgres-data.ts';
import { startProcess } from './process.ts';
import { waitFor } from './wait.ts';

export { ensurePostgres } from './postgres-binaries.ts';
export { removePostgresState } from './postgres-data.ts';

export interface PostgresOptions {
  /** From ensurePostgres. */
  binDir: string;
  /** Must exist. Data, password and log go to postgres/ in it (see postgres-data.ts for the exception). */
  stateDir: string;
  port: number;
  /** Lines of postgresql.conf, as `-c name=value`. */
  settings?: Readonly<Record<string, string>>;
  /**
   * False for tests: a crash of the machine may lose everything, a crash of Postgres loses nothing. (Default: true.)
   */
  durable?: boolean;
  progress?: Progress;
  /**
   * How long to wait for the processes of an earlier server on the same data, such as backends of a killed one, in ms.
   * (Default: 60,000.)
   */
  leftoverLimitMs?: number;
  signal: AbortSignal;
}

export interface Postgres {
  /** The URL for the superuser over the loopback address. Contains the password. */
  url: string;
  part: Part;
  /** Fast shutdown: open transactions are rolled back, the data is clean afterwards. */
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 120_000;
const STOP_GRACE_MS = 20_000;

/**
 * Starts Postgres and waits until it takes connections (crash recovery included, at most 60 s).
 * @throws with the end of its log when it does not come up; nothing is left running then.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { binDir, stateDir, port, durable = true, progress = () => {}, leftoverLimitMs = 60_000, signal } = options;
  const { data, account, password } = await ensureDataFolder({ binDir, stateDir, durable, progress, signal });
  await freeDataFolder(data, leftoverLimitMs, signal);
  const settings = { ...DEFAULTS, ...(durable ? {} : NOT_DURABLE), port: String(port), ...options.settings };
  const part = startProcess({
    name: 'postgres',
    command: join(binDir, 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: postgresEnvironment(),
    cwd: data,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    logFile: join(stateDir, 'postgres', 'postgres.log'),
    deathSignal: FAST_SHUTDOWN,
  });
  const stop = () => part.stop({ signal: FAST_SHUTDOWN, graceMs: STOP_GRACE_MS });
  try {
    await waitFor(() => isReady(data, part.pid), {
      what: `Postgres on port ${port}`,
      timeoutMs: READY_LIMIT_MS,
      intervalMs: 20,
      part,
      signal,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres:${password}@${atLoopback(port)}/postgres`, part, stop };
}

/** SIGTERM would wait for every client to leave by itself (PostgreSQL, "Shutting Down the Server"). */
const FAST_SHUTDOWN = 'SIGINT';

const DEFAULTS = { listen_addresses: LOOPBACK, unix_socket_directories: '' };

/** synchronous_commit stays on: committed data must be visible to every reader at once, as in production. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

/** As pg_ctl does it: line 1 of postmaster.pid is the pid, line 8 the state. No client and no password are needed. */
async function isReady(data: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}
