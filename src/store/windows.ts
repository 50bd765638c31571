// The sliding windows of writes, one row a key and bucket, in Postgres so that all replicas share one limit.
import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export type Bucket = 'zones' | 'records';

interface WindowSettings {
  limit: number;
  windowMs: number;
  /** How many places to take, all or none; at most `limit`. (Default: 1.) */
  places?: number;
  /** How many places the wait is for; at most `limit`. (Default: as many as are taken.) */
  changes?: number;
}

type Taken =
  /** `at` gives the places back. */
  | { ok: true; at: string; left: number }
  /** A client that waits `retryAfterMs` finds its places, unless another request with the same key takes them. */
  | { ok: false; retryAfterMs: number };

/**
 * Takes places in the window. In its own transaction, because a failed write counts too. The commit does not wait for
 * the disk: a crash can lose a few milliseconds of counting, never a change.
 */
export async function takePlaces(
  db: Db,
  keyId: string,
  bucket: Bucket,
  { limit, windowMs, places = 1, changes = places }: WindowSettings,
): Promise<Taken> {
  const window = `${windowMs} milliseconds`;
  const [place] = await take(db, keyId, bucket, places, window, limit - places, limit);
  if (place) return { ok: true, at: place.at, left: place.left };
  const [wait] = await selectWait(db, keyId, bucket, limit - changes, window);
  return { ok: false, retryAfterMs: Math.max(0, Number(wait?.ms ?? 0)) };
}

// clock_timestamp() in the conflict branch is read after the row lock is held, so places are taken in one order. The setting
// holds for this statement's own transaction.
const take = statement<{ at: string; left: number }>(`
  insert into write_windows as w (key_id, bucket, times)
  select $1, $2, array_fill(clock_timestamp(), array[$3::integer])
  from (select set_config('synchronous_commit', 'off', true)) asynchronous
  on conflict (key_id, bucket) do update set times =
    array(select t from unnest(w.times) t where t > clock_timestamp() - $4::interval order by t)
    || array_fill(clock_timestamp(), array[$3::integer])
  where (select count(*) from unnest(w.times) t where t > clock_timestamp() - $4::interval) <= $5::integer
  returning times[cardinality(times)]::text as at, $6::integer - cardinality(times) as left`);

// So many of the newest may stay; the one before them must leave the window first.
const selectWait = statement<{ ms: string }>(`
  select extract(epoch from (select t from unnest(times) t order by t desc offset $3::integer limit 1)
    + $4::interval - clock_timestamp()) * 1000 as ms
  from write_windows where key_id = $1 and bucket = $2`);

/** Gives the places of one request back: an answer `busy` wrote nothing and does not count. */
export async function returnPlaces(db: Db, keyId: string, bucket: Bucket, at: string): Promise<void> {
  await db.execute(
    sql`update write_windows set times = array_remove(times, ${at}::timestamptz) 
      where key_id = ${keyId} and bucket = ${bucket} and set_config('synchronous_commit', 'off', true) = 'off'`,
  );
}
