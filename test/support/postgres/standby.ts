// A standby of a Postgres that a test has started: a copy by pg_basebackup that follows it by streaming replication.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { type Postgres, startPostgres } from '../../../deploy/local/parts/postgres.ts';

export interface StandbyOptions {
  /** Folder of PostgreSQL's programs, of the primary's version. */
  programs: string;
  /** The primary's state folder (postgres/ in it) and its port. */
  primary: { stateDir: string; port: number; password: string };
  /** Must exist and be empty. */
  stateDir: string;
  port: number;
  signal: AbortSignal;
}

/** @throws with the output of pg_basebackup or the end of the standby's log */
export async function startStandby({ programs, primary, stateDir, port, signal }: StandbyOptions): Promise<Postgres> {
  const home = join(stateDir, 'postgres');
  const data = join(home, 'data');
  await mkdir(home, { mode: 0o755 });
  const { uid, gid } = await stat(join(primary.stateDir, 'postgres', 'data'));
  const run = async (command: string, ...args: string[]) => {
    const { code, tail } = await runCommand({
      command,
      args,
      env: { ...process.env, PGPASSWORD: primary.password },
      timeoutMs: 60_000,
      signal,
    });
    if (code !== 0) throw new Error(`${command} failed: ${tail}`);
  };
  // -R: standby.signal, and where the primary is.
  const login = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  await run(join(programs, 'pg_basebackup'), ...login, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
  await run('chown', '-R', `${uid}:${gid}`, data);
  await writeFile(join(home, 'password'), primary.password, { mode: 0o600 });
  return startPostgres({ binDir: programs, stateDir, port, durable: false, signal });
}
