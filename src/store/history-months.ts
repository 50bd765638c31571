// The partitions of the history, one a month. An old month is dropped: that takes some milliseconds for any number of
// rows, and leaves no dead rows behind.
import type { Tx } from './database.ts';
import { sqlFailure } from './database.ts';
import { BUCKET, COUNTED_CHANGE, subtractTotals } from './retention.ts';
import { statement } from './statement.ts';

const LOCK_NOT_AVAILABLE = '55P03';
/** Writers and readers wait behind a lock that is waited for. */
const LOCK_WAIT_MS = 500;
/** The present month and the next ones have partitions: the retention may be down for that long. */
const MONTHS_AHEAD = 2;

const nextMissing = statement<{ month: string }>(`
  select month::text from (
    select (date_trunc('month', $1::timestamptz at time zone 'UTC') + n * interval '1 month')::date as month
    from generate_series(0, ${MONTHS_AHEAD}) n) wanted
  where to_regclass('changes_' || to_char(month, 'YYYY_MM')) is null order by month`);
const addMonth = statement<{ added: boolean }>('select add_changes_month($1::date) as added');

/**
 * Makes the partitions of this month and the next two. A month that cannot be made now is made later: its rows are in
 * changes_default meanwhile.
 * @returns how many were made
 */
export async function addMonths(tx: Tx, now: Date): Promise<number> {
  let added = 0;
  for (const { month } of await nextMissing(tx, now.toISOString()))
    if (await unlessLocked(tx, async (inner) => (await addMonth(inner, month))[0]?.added === true)) added += 1;
  return added;
}

const oldestOver = statement<{ part: string; until: string }>(`
  select part, until from (
    select c.relname::text as part,
      (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as until
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'changes'::regclass and c.relname ~ '^changes_[0-9]{4}_[0-9]{2}$') parts
  where until <= $1::timestamptz order by until limit 1`);

/**
 * Drops the oldest month if every change in it was written before `before`, with its part of the totals.
 * @returns whether there was one; false also if its rows are not counted yet, or if its lock is not available now
 */
export async function dropMonthBefore(tx: Tx, before: Date): Promise<boolean> {
  const [month] = await oldestOver(tx, before.toISOString());
  if (month === undefined) return false;
  const { part, until } = month;
  return unlessLocked(tx, async (inner) => {
    const [last] = await statement<{ counted: boolean }>(`
      select coalesce((select max(id) from ${part}) <= (select counted_to from history_marks where kind = 'zones'), false)
        or not exists (select from ${part}) as counted`)(inner);
    if (last?.counted !== true) return false;
    await forgetMonth(inner, part, until);
    await inner.client.unsafe(`drop table ${part}`);
    return true;
  });
}

/**
 * Subtracts the rows of a month from usage and totals. The buckets below the first remaining change belong to it alone;
 * its rows in the bucket that it shares with others are counted again.
 */
async function forgetMonth(tx: Tx, part: string, until: string): Promise<void> {
  const [first] = await statement<{ bucket: string }>(`
    select coalesce((select min(id) from changes where at >= $1::timestamptz or at < $1::timestamptz - interval '1 month'),
      9223372036854775807) / ${BUCKET} as bucket`)(tx, until);
  const bucket = first?.bucket ?? '0';
  await statement(`
    with whole as (delete from history_usage where kind = 'zones' and bucket < $1::bigint returning owner, bytes)
    ${subtractTotals('zones', 'whole')}`)(tx, bucket);
  await statement(`
    with rows as (select id / ${BUCKET} as bucket, ${COUNTED_CHANGE} from ${part} where id >= $1::bigint * ${BUCKET}),
      less as (
        update history_usage u set bytes = greatest(0, u.bytes - g.bytes)
        from (select bucket, owner, sum(bytes) as bytes from rows group by 1, 2) g
        where u.kind = 'zones' and u.bucket = g.bucket and u.owner = g.owner)
    ${subtractTotals('zones', 'rows')}`)(tx, bucket);
  await statement(`
    insert into history_pruned as p (kind, owner, at) values ('zones', '', $1::timestamptz)
    on conflict (kind, owner) do update set at = greatest(p.at, excluded.at)`)(tx, until);
}

/** @returns false if a lock is not available for half a second: the next round tries again */
async function unlessLocked(tx: Tx, work: (inner: Tx) => Promise<boolean>): Promise<boolean> {
  try {
    return await tx.transaction(async (inner) => {
      await inner.client.unsafe(`set local lock_timeout = ${LOCK_WAIT_MS}`);
      return work(inner);
    });
  } catch (error) {
    if (sqlFailure(error)?.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
