// Leases that have ended: sets that the service releases itself.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface EndedLease {
  setId: string;
  zoneId: string;
  zoneNo: number;
  teamId: string | null;
  userId: string | null;
  owner: string;
  name: string;
  type: string;
  /** When the lease ended. */
  expiresAt: Date;
}

type Row = Omit<EndedLease, 'expiresAt'> & { expiresAt: string };

const select = statement<Row>(`
  select s.id as "setId", z.id as "zoneId", z.no as "zoneNo", z.team_id as "teamId", z.user_id as "userId", s.owner, s.name, s.type,
    s.expires_at as "expiresAt"
  from owned_sets s join zones z on z.no = s.zone_no where s.due_at <= $1::timestamptz order by s.due_at limit $2::integer`);

/** The leases that are due at `now`, the oldest first, at most `limit`. */
export async function endedLeases(db: Db, now: Date, limit: number): Promise<EndedLease[]> {
  const rows = await select(db, now.toISOString(), limit);
  return rows.map((row) => ({ ...row, expiresAt: new Date(row.expiresAt) }));
}

const postpone = statement(`
  update owned_sets set due_at = $3::timestamptz where id = any($1::text[]) and due_at <= $2::timestamptz`);

/** Lets the sets that are still due at `now` wait until `until`, so that they do not hold up others. */
export async function postponeLeases(db: Db, setIds: readonly string[], now: Date, until: Date): Promise<void> {
  await postpone(db, setIds, now.toISOString(), until.toISOString());
}

const oldest = statement<{ expiresAt: string | null }>(`select min(expires_at) as "expiresAt" from (
    select expires_at from owned_sets where due_at <= $1::timestamptz order by due_at limit 1000) due`);

/** The end of the oldest lease that is due at `now`; null: none is. */
export async function oldestEndedLease(db: Db, now: Date): Promise<Date | null> {
  const [row] = await oldest(db, now.toISOString());
  return row?.expiresAt ? new Date(row.expiresAt) : null;
}
