// The number of changes by day, and whether some owners have all zones: the figures of the overview of the console.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

const select = statement<{ day: string; changes: string }>(`
  select to_char(day, 'YYYY-MM-DD') as day, sum(changes) as changes from change_days
  where owner = any($1::text[]) and day >= $2::date group by day order by day`);

/** The changes of the zones and records of some owners, by day in UTC. Days without changes are absent. */
export async function readDays(
  db: Db,
  owners: readonly string[],
  since: Date,
): Promise<{ day: string; changes: number }[]> {
  const rows = await select(db, owners, since.toISOString().slice(0, 10));
  return rows.map(({ day, changes }) => ({ day, changes: Number(changes) }));
}

const selectOther = statement<{ exists: boolean }>(
  'select exists (select from zones where not coalesce(team_id, user_id) = any($1::text[])) as exists',
);

/** Whether a zone belongs to none of these owners. */
export async function hasOtherZones(db: Db, owners: readonly string[]): Promise<boolean> {
  return (await selectOther(db, owners))[0]?.exists === true;
}
