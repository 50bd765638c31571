// Two real Postgres servers with synchronous replication: a primary and its standby. A commit is confirmed when both
// have it. The primary can be killed or stopped, the standby promoted, and the old primary replaced by a copy of the
// new one, as its standby.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { databaseUrl, prepareDatabase } from '#service/accounts/bootstrap.ts';
import { processesIn } from '../../../deploy/local/parts/liveness.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Postgres, removePostgresState, startPostgres } from '../../../deploy/local/parts/postgres.ts';
import { startStandby } from './standby.ts';

const SERVICE = { name: 'zonestead', password: 'service-password' };
const DATABASE = 'zonestead';
const READY_MS = 100_000;

interface Server {
  postgres: Postgres;
  stateDir: string;
  port: number;
}

export interface PostgresPair {
  /** The ports of the primary and of the standby, at the moment. */
  primaryPort(): number;
  standbyPort(): number;
  /** `user:password` and database of the role of the api, for addresses of several hosts. */
  url(hosts: readonly string[]): string;
  /** Runs statements at a server, as superuser in the database of the service. */
  at<T>(port: number, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Sends a signal to all processes of a server. */
  signal(port: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Makes the standby the primary. It is alone then, and confirms commits alone. */
  promote(): Promise<void>;
  /** Kills the primary with SIGKILL and starts it again. */
  restart(): Promise<void>;
  /** Copies the primary to the place of the old one, which must have ended, as its synchronous standby. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

interface PairOptions {
  /** The folder of PostgreSQL's programs, with pg_basebackup. */
  programs: string;
  /** Must exist and be empty. */
  folder: string;
  signal: AbortSignal;
}

/**
 * Starts both, with a migrated database of the service. @throws when one of them does not start; nothing is left
 * running then
 */
export async function startPostgresPair({ programs, folder, signal }: PairOptions): Promise<PostgresPair> {
  const ports = await allocatePorts([{ name: 'a' }, { name: 'b' }], { stateDir: folder });
  const place = async (name: 'a' | 'b') => {
    const stateDir = join(folder, name);
    await mkdir(stateDir, { mode: 0o755 });
    return { stateDir, port: ports[name] as number };
  };
  const first = await place('a');
  const second = await place('b');
  let primary: Server = {
    ...first,
    postgres: await startPostgres({ binDir: programs, ...first, durable: false, signal }),
  };
  const password = (await readFile(join(first.stateDir, 'postgres', 'password'), 'utf8')).trim();
  await prepareDatabase(primary.postgres.url, DATABASE, { service: SERVICE });
  let standby: Server | null = null;

  const at = async <T>(port: number, work: (sql: Sql) => Promise<T>): Promise<T> => {
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`;
    const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 30 });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  const follow = async (place: { stateDir: string; port: number }) => {
    const source = { stateDir: primary.stateDir, port: primary.port, password };
    standby = { ...place, postgres: await startStandby({ programs, primary: source, ...place, signal }) };
    await at(primary.port, async (sql) => {
      await sql`alter system set synchronous_standby_names = '*'`;
      await sql`select pg_reload_conf()`;
      for (const until = performance.now() + READY_MS; ; ) {
        const [row] = await sql`select count(*)::integer as count from pg_stat_replication where sync_state = 'sync'`;
        if (row?.count === 1) return;
        if (performance.now() > until) throw new Error('the standby did not become synchronous');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
  };
  const stop = async () => {
    for (const server of [standby, primary]) {
      if (server === null) continue;
      send(server, 'SIGKILL');
      await server.postgres.stop();
      await removePostgresState(server.stateDir);
    }
  };
  try {
    await follow(second);
  } catch (error) {
    await stop();
    throw error;
  }
  const serverAt = (port: number) => {
    const found = [primary, standby].find((server) => server?.port === port);
    if (!found) throw new Error(`no server at port ${port}`);
    return found;
  };
  return {
    primaryPort: () => primary.port,
    standbyPort: () => standby?.port ?? 0,
    url: (hosts) => {
      const one = databaseUrl(`postgres://127.0.0.1:1/`, DATABASE, SERVICE);
      return `${one.replace('127.0.0.1:1', hosts.join(','))}?target_session_attrs=read-write`;
    },
    at,
    signal: (port, name) => send(serverAt(port), name),
    promote: async () => {
      const next = standby as Server | null;
      if (next === null) throw new Error('there is no standby');
      await at(next.port, async (sql) => {
        // It was copied with the setting of the primary when the pair was rebuilt.
        await sql`select pg_promote(true, 60)`;
        await sql`alter system reset synchronous_standby_names`;
        await sql`select pg_reload_conf()`;
      });
      standby = primary;
      primary = next;
    },
    restart: async () => {
      send(primary, 'SIGKILL');
      await primary.postgres.stop();
      const { stateDir, port } = primary;
      primary.postgres = await startPostgres({ binDir: programs, stateDir, port, durable: false, signal });
    },
    rebuild: async () => {
      const old = standby as Server | null;
      if (old === null) throw new Error('there is no old primary');
      send(old, 'SIGKILL');
      await old.postgres.stop();
      await rm(join(old.stateDir, 'postgres'), { recursive: true, force: true });
      await follow(old);
    },
    stop,
  };
}

function send({ stateDir }: Server, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of processesIn(join(stateDir, 'postgres', 'data'))) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
