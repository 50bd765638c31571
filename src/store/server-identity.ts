// Which PostgreSQL server an address leads to, asked over a connection of its own.
import { sql } from 'drizzle-orm';
import { openDatabase } from './database.ts';

export interface ServerIdentity {
  /** When its postmaster started, to the microsecond: different for any two servers, and for one that was restarted. */
  readonly started: string;
  /** host:port as the server sees them, for messages. */
  readonly address: string;
}

const LIMIT_MS = 5_000;

/**
 * Opens one connection, queries, closes it. Takes at most 5 s: without a limit the driver would wait forever behind a
 * proxy that accepts connections and closes them. @throws when the server does not answer
 */
export async function serverIdentity(url: string, name: string): Promise<ServerIdentity> {
  const { db, close } = openDatabase(url, { name, max: 1, statementTimeoutMs: 2_000, anyServer: true });
  const limit = setTimeout(() => void close(0), LIMIT_MS);
  try {
    const rows = await db.execute(sql`
      select pg_postmaster_start_time()::text as started,
        coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket') as address`);
    return rows[0] as unknown as ServerIdentity;
  } finally {
    clearTimeout(limit);
    await close(0);
  }
}
