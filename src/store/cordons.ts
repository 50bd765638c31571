// The rows of cordons: name servers that are planned to be down. Times are those of the database.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface CordonRow {
  /** The name of a name server, one of its addresses, or the name of a node. */
  name: string;
  until: Date;
  reason: string | null;
}

type Selected = Omit<CordonRow, 'until'> & { until: string };

const selectCordons = statement<Selected>(
  'select name, until, reason from nameserver_cordons where until > statement_timestamp() order by name',
);

const upsertCordon = statement<Selected>(`
  insert into nameserver_cordons (name, until, reason)
  select $1, statement_timestamp() + make_interval(secs => $2::float8), $3
  where (select count(*) from nameserver_cordons where until > statement_timestamp() and name <> $1) < $4::integer
  on conflict (name) do update set until = excluded.until, reason = excluded.reason, created_at = statement_timestamp()
  returning name, until, reason`);

const deletePast = statement('delete from nameserver_cordons where until <= statement_timestamp()');
const deleteCordon = statement<{ name: string }>(
  'delete from nameserver_cordons where name = $1 and until > statement_timestamp() returning name',
);

const selectKnownNames = statement<{ name: string }>(`
  select distinct name from (
    select unnest(nameservers) as name from service
    union select unnest(nameservers) from secondaries
    union select name from nodes) known order by 1`);

/** The cordons that have not ended, by name. */
export async function currentCordons(db: Db): Promise<CordonRow[]> {
  return (await selectCordons(db)).map(toRow);
}

/**
 * Sets a cordon, which replaces an earlier one of the name.
 * @param most the number of cordons that may exist
 * @returns null if there are as many already
 */
export async function setCordon(
  db: Db,
  { name, seconds, reason }: { name: string; seconds: number; reason: string | null },
  most: number,
): Promise<CordonRow | null> {
  await deletePast(db);
  const [row] = await upsertCordon(db, name, seconds, reason, most);
  return row === undefined ? null : toRow(row);
}

/** @returns whether there was one */
export async function endCordon(db: Db, name: string): Promise<boolean> {
  return (await deleteCordon(db, name)).length > 0;
}

/** The names of the name servers of the service and of secondaries, and those of nodes. */
export async function knownNameservers(db: Db): Promise<string[]> {
  return (await selectKnownNames(db)).map(({ name }) => name);
}

function toRow({ until, ...row }: Selected): CordonRow {
  return { ...row, until: new Date(until) };
}
