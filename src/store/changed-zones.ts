// The nameserver companion's look at the database, with the rights of role pdns: only schema pdns.
import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface ChangedZones {
  /** The xmin of this look's snapshot: what to ask with next time (an xid8). */
  horizon: string;
  zones: { zone: string; xid: string }[];
}

/** Zones changed, made or deleted by transactions that a look with horizon `since` may not have seen. Works on replicas. */
export async function changedZones(db: Db, since: string): Promise<ChangedZones> {
  const rows = await selectChanged(db, since);
  return {
    horizon: rows[0]?.horizon as string,
    zones: rows.flatMap(({ zone, xid }) => (zone === null ? [] : [{ zone, xid }])),
  };
}

/** Asked forty times a second beside every name server, for ever. */
const selectChanged = statement<{ horizon: string; zone: string | null; xid: string }>(
  'select horizon, zone, xid from pdns.changed_since($1::text::xid8)',
);

/** Where to begin: nothing before now needs purging, because a name server's caches are younger than its companion. */
export async function currentHorizon(db: Db): Promise<string> {
  const rows = await db.execute(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`);
  return rows[0]?.horizon as string;
}
