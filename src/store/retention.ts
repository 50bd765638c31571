// Deletes rows that are older, or more, than the service keeps: each function is one bounded step.

import type { Tx } from './database.ts';
import { statement } from './statement.ts';

/** Any constant, as long as nothing else in this database takes it. */
const LOCK = 0x72657461;
const lock = statement<{ locked: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as locked`);

/** Whether this transaction is the only one that deletes old rows; the others must not wait for it. */
export async function lockRetention(tx: Tx): Promise<boolean> {
  return (await lock(tx))[0]?.locked === true;
}

const uploadsBefore = statement(`
  delete from zone_uploads where (zone_id, key_id) in (
    select zone_id, key_id from zone_uploads where created_at < $1 order by created_at limit $2) returning 1 as one`);

/** Deletes zone files that were not imported and were uploaded before `before`, at most `limit`. @returns how many */
export async function deleteUploads(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await uploadsBefore(tx, before.toISOString(), limit)).length;
}

// The first row stands for the beginning, because no row of feed_changes was deleted before it.
const notePosition = statement(`
  insert into feed_positions (horizon, at) select
    case when exists (select from feed_positions) then pg_snapshot_xmin(pg_current_snapshot()) else '0'::xid8 end, $1
  on conflict do nothing`);
const dropPositions = statement(`
  delete from feed_positions where horizon < (
    select horizon from feed_positions where at < $1 order by horizon desc limit 1)`);

/**
 * Notes the position of the database, and forgets those before the newest one that is older than `before`: from then
 * on, no node continues from an older position, and {@link deleteFeedChanges} may delete the rows that they need.
 */
export async function moveFeedPositions(tx: Tx, now: Date, before: Date): Promise<void> {
  await notePosition(tx, now.toISOString());
  await dropPositions(tx, before.toISOString());
}

const feedChangesBefore = statement(`
  delete from feed_changes where (xid, no) in (
    select f.xid, f.no from feed_changes f
    where f.xid < (select p.horizon from feed_positions p where p.at < $1 order by p.horizon limit 1)
    order by f.xid, f.no limit $2) returning 1 as one`);

/**
 * Deletes the rows that no node needs that continues from a position of later than `before`, at most `limit`.
 * @returns how many
 */
export async function deleteFeedChanges(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await feedChangesBefore(tx, before.toISOString(), limit)).length;
}

const usedBefore = statement(`
  delete from used_sign_ins where digest in (select digest from used_sign_ins where used_at < $1 order by used_at limit $2)
  returning 1 as one`);

/** Forgets sign-ins that came back before `before`, at most `limit`. @returns how many */
export async function deleteUsedSignIns(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await usedBefore(tx, before.toISOString(), limit)).length;
}

/** The history of zones and records, that of teams, members and keys, and the stored answers to Idempotency-Keys. */
export type PrunedHistory = 'zones' | 'accounts' | 'answers';
export const HISTORIES: readonly PrunedHistory[] = ['zones', 'accounts', 'answers'];

/** Ids that one row of history_usage counts. It bounds what one step of {@link deleteOldest} reads. */
export const BUCKET = 10_000;
/** The size of a row without its two values, in octets. */
const ROW = 200;

/** The number of changes by owner and day, of the same rows. */
const DAYS = `days as (
          insert into change_days as d (owner, day, changes)
          select owner, (at at time zone 'UTC')::date, count(*) from settled where owner is not null group by 1, 2
          on conflict (owner, day) do update set changes = d.changes + excluded.changes),`;

/** A history has the states before and after each change. */
const STATES = {
  time: 'at',
  size: 'coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)',
};

/** The owner of a change of a zone. */
const OWNER = 'coalesce(team_id, user_id)';

/** The rows of changes that no partition of a month has. */
const unplaced = deleteBefore('zones', { table: 'changes_default', owner: OWNER, ...STATES });
/** The owner and the octets of a change, as they are counted. */
export const COUNTED_CHANGE = `${OWNER} as owner, ${ROW} + ${STATES.size} as bytes`;

type Statements = ReturnType<typeof statements>;

const STATEMENTS: Readonly<Record<PrunedHistory, Statements>> = {
  zones: statements('zones', { table: 'changes', owner: OWNER, ...STATES }),
  // Entries without a team are those of people, above all their sign-ins: all of them share one limit.
  accounts: statements('accounts', { table: 'account_changes', owner: `coalesce(team_id, 'people')`, ...STATES }),
  // Counted by key: one key that fills the limit of its owner must not take the answers of the other keys.
  answers: {
    ...statements('answers', {
      table: 'idempotency',
      owner: 'key_id',
      time: 'created_at',
      size: 'pg_column_size(answer)',
    }),
    over: statement(`
      with held as (
          select t.owner, coalesce(k.team_id, k.user_id) as holder, t.bytes::float8 as bytes
          from history_totals t join api_keys k on k.id = t.owner where t.kind = 'answers'),
        over as (select holder, sum(bytes) as bytes from held group by 1 having sum(bytes) > $1::float8 limit 1)
      select h.owner, o.bytes, b.bucket from held h join over o on o.holder = h.holder ${oldestBucket('answers', 'h')}
      order by h.bytes desc limit 1`),
  },
};

interface Source {
  table: string;
  /** The owner of a row, who has a limit. */
  owner: string;
  /** The column with the time of a row. */
  time: string;
  /** The octets of the values of a row. */
  size: string;
}

/** Where the oldest history of an owner lies. An owner without any has no row. */
function oldestBucket(kind: PrunedHistory, alias: string): string {
  return `join lateral (select min(u.bucket) as bucket from history_usage u
        where u.kind = '${kind}' and u.owner = ${alias}.owner) b on b.bucket is not null`;
}

/** A part of a statement that subtracts the octets by owner, of rows with owner and bytes, from the totals. */
export function subtractTotals(kind: PrunedHistory, rows: string): string {
  return `
          update history_totals t set bytes = greatest(0, t.bytes - g.bytes)
          from (select owner, sum(bytes) as bytes from ${rows} group by 1) g where t.kind = '${kind}' and t.owner = g.owner`;
}

function statements(kind: PrunedHistory, { table, owner, time, size }: Source) {
  const bytes = `${ROW} + ${size}`;
  return {
    deleteBefore: deleteBefore(kind, { table, owner, time, size }),
    forgetEmpty: statement(`
      with gone as (
        delete from history_usage where kind = '${kind}'
          and bucket < coalesce((select min(id) from ${table}), 9223372036854775807) / ${BUCKET} returning owner, bytes)
      ${subtractTotals(kind, 'gone')}`),
    // The first row that is not settled ends the page: one that commits later with a lower id must not be passed.
    count: statement<{ rows: number }>(`
      with mark as (select coalesce((select counted_to from history_marks where kind = '${kind}'), 0) as id),
        page as materialized (
          select id, ${time} as at, ${owner} as owner, ${bytes} as bytes from ${table}
          where id > (select id from mark) order by id limit $2),
        settled as (select * from page
          where id < coalesce((select min(id) from page where at >= $1::timestamptz), 9223372036854775807)),
        counted as (
          insert into history_usage as u (kind, bucket, owner, bytes)
          select '${kind}', id / ${BUCKET}, owner, sum(bytes) from settled where owner is not null group by 2, 3
          on conflict (kind, bucket, owner) do update set bytes = u.bytes + excluded.bytes),
        totals as (
          insert into history_totals as t (kind, owner, bytes)
          select '${kind}', owner, sum(bytes) from settled where owner is not null group by 2
          on conflict (kind, owner) do update set bytes = t.bytes + excluded.bytes),
        ${kind === 'zones' ? DAYS : ''}
        marked as (
          insert into history_marks (kind, counted_to) select '${kind}', max(id) from settled having count(*) > 0
          on conflict (kind) do update set counted_to = excluded.counted_to)
      select count(*)::integer as rows from settled`),
    over: statement<{ owner: string; bytes: number; bucket: string }>(`
      select t.owner, t.bytes::float8 as bytes, b.bucket from history_totals t ${oldestBucket(kind, 't')}
      where t.kind = '${kind}' and t.bytes > $1::float8 order by t.bytes desc limit 1`),
    deleteOldest: statement<{ deleted: number }>(`
      with mine as (
          select id, ${time} as at, ${bytes} as bytes from ${table}
          where id >= $2::bigint * ${BUCKET} and id < ($2::bigint + 1) * ${BUCKET} and ${owner} = $1
            and id <= (select counted_to from history_marks where kind = '${kind}')
          order by id limit $4),
        oldest as (select id, at, bytes from (select id, at, bytes, sum(bytes) over (order by id) - bytes as before from mine) m
          where before < $3::float8),
        pruned as (
          insert into history_pruned as p (kind, owner, at) select '${kind}', $1, max(at) from oldest having count(*) > 0
          on conflict (kind, owner) do update set at = greatest(p.at, excluded.at)),
        gone as (delete from ${table} c using oldest o where c.id = o.id and c.${time} = o.at),
        less as (
          update history_usage set bytes = greatest(0, bytes - (select sum(bytes) from oldest))
          where kind = '${kind}' and bucket = $2::bigint and owner = $1 and exists (select from oldest)),
        ended as (
          delete from history_usage where kind = '${kind}' and bucket = $2::bigint and owner = $1
            and not exists (select from oldest) returning owner, bytes),
        totals as (${subtractTotals(kind, '(select $1 as owner, bytes from oldest union all select owner, bytes from ended) x')})
      select count(*)::integer as deleted from oldest`),
  };
}

/** Rows of `table` that are older than $2, among the $3 oldest behind the id $1. */
function deleteBefore(kind: PrunedHistory, { table, owner, time, size }: Source) {
  return statement<{ deleted: number; last: string | null }>(`
      with oldest as (select id, ${time} as at from ${table} where id > $1::bigint order by id limit $3),
        gone as (delete from ${table} c using oldest o where c.id = o.id and c.${time} = o.at and o.at < $2::timestamptz
          returning c.id, c.${time} as at, ${owner} as owner, ${ROW} + ${size} as bytes),
        pruned as (
          insert into history_pruned as p (kind, owner, at) select '${kind}', '', max(at) from gone having count(*) > 0
          on conflict (kind, owner) do update set at = greatest(p.at, excluded.at)),
        less as (
          update history_usage u set bytes = greatest(0, u.bytes - g.bytes)
          from (select id / ${BUCKET} as bucket, owner, sum(bytes) as bytes from gone
            where id <= (select counted_to from history_marks where kind = '${kind}') group by 1, 2) g
          where u.kind = '${kind}' and u.bucket = g.bucket and u.owner = g.owner),
        totals as (${subtractTotals(
          kind,
          `(select owner, bytes from gone
            where id <= (select counted_to from history_marks where kind = '${kind}')) x`,
        )})
      select count(*)::integer as deleted, max(id) as last from gone`);
}

/**
 * Deletes history that was written before `before`, among the `limit` oldest rows behind the id `after`.
 * `unplacedOnly`: only changes that no partition of a month has.
 * @returns how many rows, and the last one's id
 */
export async function deleteHistoryBefore(
  tx: Tx,
  history: PrunedHistory,
  { before, after, limit, unplacedOnly }: { before: Date; after: number; limit: number; unplacedOnly?: boolean },
): Promise<{ deleted: number; last: number }> {
  const run = unplacedOnly ? unplaced : STATEMENTS[history].deleteBefore;
  const [row] = await run(tx, after, before.toISOString(), limit);
  return { deleted: row?.deleted ?? 0, last: Number(row?.last ?? after) };
}

/** Forgets what was counted of history that is gone. */
export async function forgetEmptyUsage(tx: Tx, history: PrunedHistory): Promise<void> {
  await STATEMENTS[history].forgetEmpty(tx);
}

/**
 * Counts the next rows of history, each once.
 * @param settledTime only rows that were written before: transactions that began earlier are over
 * @returns how many rows, at most `limit`
 */
export async function countHistory(tx: Tx, history: PrunedHistory, settledTime: Date, limit: number): Promise<number> {
  return (await STATEMENTS[history].count(tx, settledTime.toISOString(), limit))[0]?.rows ?? 0;
}

/**
 * An owner with more history than `bytes`: how much, and where the oldest of it lies. For answers, the key with the
 * most of them among those of such an owner, with the octets of all these keys.
 */
export async function ownerOver(
  tx: Tx,
  history: PrunedHistory,
  bytes: number,
): Promise<{ owner: string; bytes: number; bucket: number } | null> {
  const [row] = await STATEMENTS[history].over(tx, bytes);
  return row ? { ...row, bucket: Number(row.bucket) } : null;
}

/**
 * Deletes an owner's oldest history in one bucket until `excess` octets are gone, at most `limit` rows. A bucket in
 * which nothing is left to be deleted is forgotten.
 * @returns how many rows
 */
export async function deleteOldest(
  tx: Tx,
  history: PrunedHistory,
  { owner, bucket, excess, limit }: { owner: string; bucket: number; excess: number; limit: number },
): Promise<number> {
  const run = STATEMENTS[history].deleteOldest;
  return (await run(tx, owner, bucket, excess, limit))[0]?.deleted ?? 0;
}

const daysBefore = statement(`
  delete from change_days where (owner, day) in (select owner, day from change_days where day < $1::date limit $2)
  returning 1 as one`);

/** Deletes the counts of days before `before`, at most `limit`. @returns how many */
export async function deleteDays(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await daysBefore(tx, before.toISOString().slice(0, 10), limit)).length;
}
