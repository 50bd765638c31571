// The number of zones of some owners, and of the records in them.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

const select = statement<{ zones: number; records: string }>(`
  select count(*)::integer as zones, coalesce(sum(record_count), 0) as records from zones
  where team_id = any($1::text[]) or user_id = $2`);

export async function readZoneTotals(
  db: Db,
  teamIds: readonly string[],
  userId: string | null,
): Promise<{ zones: number; records: number }> {
  const [row] = await select(db, teamIds, userId);
  return { zones: row?.zones ?? 0, records: Number(row?.records ?? 0) };
}
