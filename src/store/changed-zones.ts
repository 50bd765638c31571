// The nameserver companion's look at the database, with the rights of role pdns: only schema pdns.
import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface ChangedZones {
  /** The xmin of the snapshot (an xid8), to be given to the next query. It means nothing at another server. */
  horizon: string;
  /** The server that was asked, by the start of its postmaster: a connection that was lost may lead to another one. */
  server: string;
  zones: { zone: string; xid: string }[];
}

/** Zones changed, made or deleted by transactions that a look with horizon `since` may not have seen. Works on replicas. */
export async function changedZones(db: Db, since: string): Promise<ChangedZones> {
  const rows = await selectChanged(db, since);
  return {
    horizon: rows[0]?.horizon as string,
    server: rows[0]?.server as string,
    zones: rows.flatMap(({ zone, xid }) => (zone === null ? [] : [{ zone, xid }])),
  };
}

/** Runs forty times a second for every name server. */
const selectChanged = statement<{ horizon: string; server: string; zone: string | null; xid: string }>(
  'select horizon, pg_postmaster_start_time()::text as server, zone, xid from pdns.changed_since($1::text::xid8)',
);

/** Where to begin: nothing before now needs purging, because a name server's caches are younger than its companion. */
export async function currentHorizon(db: Db): Promise<Omit<ChangedZones, 'zones'>> {
  const rows = await db.execute(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, pg_postmaster_start_time()::text as server`);
  return rows[0] as unknown as Omit<ChangedZones, 'zones'>;
}
