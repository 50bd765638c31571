// How many changes of a zone a request made. No index has requests: a request writes its changes in one transaction, so
// they are next to each other, and the rows around a known one are read.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/** The rows that are read before and after the known change. */
const MAX_READ = 5_000;

const countAround = statement<{ count: string }>(`
  select count(*) from (
    (select request_id from changes where zone_id = $1 and id <= $2::bigint order by id desc limit ${MAX_READ})
    union all
    (select request_id from changes where zone_id = $1 and id > $2::bigint order by id limit ${MAX_READ})
  ) near where request_id = $3`);

/** The number of changes of the request that made this change, at most 10,000. */
export async function countSiblings(
  db: Db,
  zoneId: string,
  { id, requestId }: { id: number; requestId: string },
): Promise<number> {
  const [row] = await countAround(db, zoneId, String(id), requestId);
  return Number(row?.count ?? 0);
}
