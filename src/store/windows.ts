// The sliding windows of writes, one row a key and bucket, or a person and bucket, in Postgres so that all replicas
// share one limit.
import type { Bucket } from '#base/buckets.ts';
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { milliseconds } from './times.ts';

/** A key, or a person with all keys and sessions. */
export type WindowHolder = { keyId: string } | { userId: string };

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
  db: Db | Tx,
  holder: WindowHolder,
  bucket: Bucket,
  { limit, windowMs, places = 1, changes = places }: WindowSettings,
): Promise<Taken> {
  const window = milliseconds(windowMs);
  const { id, take, selectWait } = windowsOf(holder);
  const [place] = await take(db, id, bucket, places, window, limit - places, limit);
  if (place) return { ok: true, at: place.at, left: place.left };
  const [wait] = await selectWait(db, id, bucket, limit - changes, window);
  return { ok: false, retryAfterMs: Math.max(0, Number(wait?.ms ?? 0)) };
}

function windowsOf(holder: WindowHolder) {
  return 'keyId' in holder ? { id: holder.keyId, ...OF_KEYS } : { id: holder.userId, ...OF_PEOPLE };
}

function buildStatements(table: 'write_windows' | 'person_windows', column: 'key_id' | 'user_id') {
  return {
    // clock_timestamp() in the conflict branch is read after the row lock is held, so places are taken in one order.
    // The setting holds for this statement's own transaction.
    take: statement<{ at: string; left: number }>(`
      insert into ${table} as w (${column}, bucket, times)
      select $1, $2, array_fill(clock_timestamp(), array[$3::integer])
      from (select set_config('synchronous_commit', 'off', true)) asynchronous
      on conflict (${column}, bucket) do update set times =
        array(select t from unnest(w.times) t where t > clock_timestamp() - $4::interval order by t)
        || array_fill(clock_timestamp(), array[$3::integer])
      where (select count(*) from unnest(w.times) t where t > clock_timestamp() - $4::interval) <= $5::integer
      returning times[cardinality(times)]::text as at, $6::integer - cardinality(times) as left`),
    // So many of the newest may stay; the one before them must leave the window first.
    selectWait: statement<{ ms: string }>(`
      select extract(epoch from (select t from unnest(times) t order by t desc offset $3::integer limit 1)
        + $4::interval - clock_timestamp()) * 1000 as ms
      from ${table} where ${column} = $1 and bucket = $2`),
    giveBack: statement(`
      update ${table} set times = array_remove(times, $3::timestamptz)
      where ${column} = $1 and bucket = $2 and set_config('synchronous_commit', 'off', true) = 'off'`),
  };
}

const OF_KEYS = buildStatements('write_windows', 'key_id');
const OF_PEOPLE = buildStatements('person_windows', 'user_id');

/** Gives the places of one request back: an answer `busy` wrote nothing and does not count. */
export async function returnPlaces(db: Db, holder: WindowHolder, bucket: Bucket, at: string): Promise<void> {
  const { id, giveBack } = windowsOf(holder);
  await giveBack(db, id, bucket, at);
}
