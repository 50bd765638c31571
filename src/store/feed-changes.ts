// The names that changed, for name servers that follow: the position of the database, and the changes since a position.
// Every statement that changes the answers of a zone writes a row next to it; triggers of migration 0003 write the
// missing rows.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

/** A change of more names counts as a change of the whole zone. */
export const MAX_NAMES = 1_000;
/** A reader that is further behind is told so: the list of all zones costs less. In rows, and in names. */
const MAX_ROWS = 10_000;
const MAX_ALL_NAMES = 100_000;

/** The names as they are stored. @param names null: the whole zone */
export function announcedNames(names: readonly string[] | null): string[] | null {
  const distinct = names === null ? null : [...new Set(names)];
  return distinct === null || distinct.length > MAX_NAMES ? null : distinct;
}

export interface FeedChange {
  xid: string;
  /** Tells the rows of one transaction apart. */
  no: number;
  kind: 'changed' | 'gone' | 'all';
  /** Null with kind `all` only. */
  zoneId: string | null;
  /** With kind `gone` only. */
  zoneName: string | null;
  /** Null: the whole zone. */
  names: string[] | null;
}

export interface FeedPosition {
  /**
   * Identifies the history of the database: its cluster, the timeline, the database, the table, and the start of the
   * server. So a restored dump or disk, and a standby that became the primary, have another one; a restart too, because
   * a disk can be replaced by an older one while the server is stopped.
   */
  epoch: string;
  /** The xmin of the snapshot: every transaction below had ended. */
  horizon: string;
  /** The snapshot itself. */
  seen: string;
}

/** SQL of the current epoch. A standby refuses it. */
export const EPOCH = `(select system_identifier from pg_control_system()) || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '.' || (select oid from pg_database where datname = current_database()) || '.' || 'feed_changes'::regclass::oid
  || '.' || (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint`;
const POSITION = `${EPOCH} as epoch, pg_snapshot_xmin(pg_current_snapshot())::text as horizon, pg_current_snapshot()::text as seen`;

const selectPosition = statement<FeedPosition>(`select ${POSITION}`);

/** Asks a primary; a standby refuses the query. */
export async function feedPosition(db: Db | Tx): Promise<FeedPosition> {
  return (await selectPosition(db))[0] as FeedPosition;
}

type Row = FeedPosition & { usable: boolean } & { [K in keyof Omit<FeedChange, 'no'>]: FeedChange[K] | null } & {
  no: string | null;
  size: string | null;
};

/**
 * Only positions of the past hour can be continued: the oldest row of feed_positions says which rows may be gone. Each
 * branch of `changesSql` reads a part of the index of transaction ids.
 */
const changes = (changesSql: string) => `
  with here as materialized (select ${POSITION}),
    usable as (select epoch = $1 and $2::xid8 <= horizon::xid8
        and pg_snapshot_xmax($3::text::pg_snapshot) <= pg_snapshot_xmax(seen::pg_snapshot)
        and $2::xid8 >= coalesce((select p.horizon from feed_positions p order by p.horizon limit 1), '0'::xid8) as yes from here)
  select here.*, usable.yes as usable, c.xid::text, c.no, c.kind, c.zone_id as "zoneId", c.zone_name as "zoneName", c.names, c.size
  from here cross join usable left join lateral (
    select * from (
      select f.*, sum(1 + coalesce(cardinality(f.names), 0)) over (order by f.xid, f.no) as size from (
        ${changesSql}) f
    ) sized where size - 1 - coalesce(cardinality(names), 0) <= ${MAX_ALL_NAMES}
  ) c on usable.yes`;

const from = (where: string) =>
  `select * from feed_changes where (select yes from usable) and ${where} order by xid, no limit ${MAX_ROWS + 1}`;
const selectUnseen = statement<Row>(
  changes(`(${from('xid >= pg_snapshot_xmax($3::text::pg_snapshot)')}) union all
    (${from('xid = any (array(select pg_snapshot_xip($3::text::pg_snapshot)))')})`),
);

/**
 * The changes that committed since a position, each once: those of transactions that the snapshot does not show as
 * ended. With the horizon alone, a long transaction anywhere in the cluster would make each look return all rows since
 * it began.
 * @returns null if the position cannot be continued: of another epoch, ahead of the database, too old, or too far
 * behind
 */
export async function feedChangesSince(
  db: Db | Tx,
  { epoch, horizon, seen }: FeedPosition,
): Promise<{ position: FeedPosition; changes: FeedChange[] } | null> {
  const rows = await selectUnseen(db, epoch, horizon, seen);
  const [first] = rows;
  if (!first?.usable) return null;
  const changes = rows.flatMap(({ xid, no, kind, zoneId, zoneName, names }) =>
    xid === null || kind === null ? [] : [{ xid, no: Number(no), kind, zoneId, zoneName, names }],
  );
  if (changes.length > MAX_ROWS || Number(rows.at(-1)?.size ?? 0) > MAX_ALL_NAMES) return null;
  return { position: { epoch: first.epoch, horizon: first.horizon, seen: first.seen }, changes };
}
