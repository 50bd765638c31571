// Asks a server over a connection of its own whether it takes writes, and what some of its processes do.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '#base/postgres-address.ts';
import { Outage } from './outage.ts';
import { type MakeSql, Pool } from './pool.ts';

export interface ServerState {
  /** False for a standby, and for a primary that was made read-only. */
  isWritable: boolean;
  /**
   * The cluster and its timeline: a promoted standby has a higher one than the old primary. Null if it was not asked or
   * not told.
   */
  history: { system: string; timeline: number } | null;
  /**
   * The processes asked for that have work, each with the event that it waits for. Null behind a pooler, which hides
   * them.
   */
  active: ReadonlyMap<number, string | null> | null;
}

interface Question {
  host: Host;
  /** The processes to ask for. */
  pids?: readonly number[];
  /** Whether to ask for the timeline. (Default: false.) */
  withHistory?: boolean;
}

export type AskServer = (question: Question) => Promise<ServerState>;

const STATE = `
  select pg_backend_pid() as own, not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable,
    coalesce((select json_agg(json_build_array(pid, wait_event)) from pg_stat_activity
      where pid = any($1::text::integer[]) and state is distinct from 'idle'), '[]') as active`;
const HISTORY = `
  select system_identifier::text as system,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline from pg_control_system()`;

interface State {
  own: number;
  writable: boolean;
  active: readonly [number, string | null][];
}

/**
 * @param make a pool of one connection, which takes any server
 * @param limitMs a server that has not answered after this time counts as one that does not answer
 * @returns a function that asks one server, and rejects with the error of the connection
 */
export function createAskServer(make: MakeSql, limitMs: number): AskServer {
  return async (question) => {
    const pool = new Pool(make, Promise.resolve(question.host), () => performance.now());
    const limit = new AbortController();
    const silence = sleep(limitMs, undefined, { signal: limit.signal }).then(() => {
      throw new Outage('CONNECT_TIMEOUT', 'nothing', `the server did not answer within ${limitMs / 1000} s`);
    });
    try {
      return await Promise.race([ask(pool, question), silence]);
    } finally {
      silence.catch(() => undefined);
      limit.abort();
      pool.drop(new Outage('CONNECTION_ENDED', 'nothing', 'the question was answered'));
    }
  };
}

async function ask({ sql }: Pool, { pids = [], withHistory = false }: Question): Promise<ServerState> {
  const stateQuery = sql.unsafe<State[]>(STATE, [`{${pids.join(',')}}`]);
  const stateRows = await stateQuery;
  const [row] = stateRows;
  if (row === undefined) throw new Error('the server did not tell its state');
  const isPooled = row.own !== processOf(stateQuery);
  const history = withHistory && row.writable ? await readHistory(sql) : null;
  return { isWritable: row.writable, history, active: isPooled ? null : new Map(row.active) };
}

/** A managed service may not let its users ask. */
async function readHistory(sql: Pool['sql']): Promise<ServerState['history']> {
  const [history] = await sql.unsafe<{ system: string; timeline: number }[]>(HISTORY).catch(() => []);
  return history ?? null;
}

/** The process that the driver's connection of a statement belongs to; null before the statement has a connection. */
export function processOf(query: unknown): number | null {
  return (query as { state: { pid: number | null } | null }).state?.pid ?? null;
}
