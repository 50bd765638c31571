// Searches the history of a zone by author, action, name and time. No index has these columns, so one search reads a
// bounded number of changes, and tells where the next search begins.
import { CHANGE_COLUMNS, type FoundChange, type PastChange, toPastChange } from './changes.ts';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface ChangeFilter {
  /** A part of the e-mail address or key name, or the key id. Upper and lower case are the same. */
  by?: string | undefined;
  /** A part of the action, for instance `record.` or `.delete`. */
  action?: string | undefined;
  /** A part of the name of the record, relative to the zone. Upper and lower case are the same. */
  name?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** Only changes of the zone itself, none of its records. */
  zoneOnly: boolean;
}

interface FoundChanges {
  changes: PastChange[];
  /** The next search begins before this change. Null: the history has no older changes. */
  next: number | null;
  /** Whether the search ended at its bound, so that older changes may match too. */
  isCut: boolean;
}

/** Changes that one search reads. */
const SCANNED = 20_000;
/** Octets of `before` and `after` that end a page, as in history-pages.ts. */
const OCTETS = 1024 * 1024;
/** Changes get their number a little later than their time, so the place of a time is found with this tolerance. */
const TOLERANCE_MS = 60 * 60_000;

type Row = FoundChange & { isMore: boolean };

const search = statement<Row>(`
  with scanned as (
    select * from changes c where c.zone_id = $1 and ($2::bigint is null or c.id < $2) order by c.id desc limit ${SCANNED}),
  found as (
    select c.* from scanned c left join api_keys k on k.id = c.key_id left join users u on u.id = k.user_id
    where ($3::timestamptz is null or c.at >= $3) and ($4::timestamptz is null or c.at < $4)
      and (not $9::boolean or c.action like 'zone.%')
      and ($5::text is null or position($5 in c.action) > 0)
      and ($6::text is null or position(lower($6) in lower(coalesce(c.after, c.before)->>'name')) > 0)
      and ($7::text is null or c.key_id = $7 or position(lower($7) in lower(coalesce(u.email, k.name))) > 0)
    order by c.id desc limit $8::integer + 1),
  measured as (
    select f.*, row_number() over newest as n, sum(coalesce(octet_length(f.before::text), 0)
      + coalesce(octet_length(f.after::text), 0)) over newest as octets
    from found f window newest as (order by f.id desc)),
  page as (select * from measured where n = 1 or (n <= $8 and octets <= ${OCTETS}))
  select ${CHANGE_COLUMNS},
    (select count(*) from found) > (select count(*) from page) as "isMore"
  from page order by id desc`);

/** The oldest change that `search` reads. */
const lastScanned = statement<{ id: string; at: string }>(`
  select id, at from changes c where c.zone_id = $1 and ($2::bigint is null or c.id < $2)
  order by c.id desc offset ${SCANNED - 1} limit 1`);

/** Finds the first change since a time by halving the range of numbers, because no index has the times of one zone. */
const firstSince = statement<{ id: string }>(`
  with recursive half as (
    select min(id) as low, max(id) + 1 as high from changes where zone_id = $1
    union all
    select case when c.at < $2::timestamptz then c.id + 1 else half.low end,
      case when c.at < $2::timestamptz then half.high else m.middle end
    from half cross join lateral (select (half.low + half.high) / 2 as middle) m
    cross join lateral (select id, at from changes where zone_id = $1 and id >= m.middle order by id limit 1) c
    where half.low < half.high)
  select low as id from half where low >= high`);

/**
 * The matching changes of a zone, newest first: at most `limit`, and fewer if they reach a megabyte.
 * @param before only older ones
 */
export async function searchChanges(
  db: Db,
  zoneId: string,
  filter: ChangeFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<FoundChanges> {
  const start = await findStart(db, zoneId, filter.until, before);
  const { from, until, action, name, by, zoneOnly } = filter;
  const [rows, [last]] = await Promise.all([
    search(
      db,
      zoneId,
      start,
      from?.toISOString() ?? null,
      until?.toISOString() ?? null,
      action ?? null,
      name ?? null,
      by ?? null,
      limit,
      zoneOnly,
    ),
    lastScanned(db, zoneId, start),
  ]);
  const changes = rows.map(({ isMore: _, ...row }) => toPastChange(row));
  if (rows.at(-1)?.isMore) return { changes, next: changes.at(-1)?.id ?? null, isCut: false };
  const isOver = last === undefined || (from !== undefined && new Date(last.at) < from);
  return { changes, next: isOver ? null : Number(last.id), isCut: !isOver };
}

async function findStart(
  db: Db,
  zoneId: string,
  until: Date | undefined,
  before: number | undefined,
): Promise<number | null> {
  if (until === undefined) return before ?? null;
  const [firstRow] = await firstSince(db, zoneId, new Date(until.getTime() + TOLERANCE_MS).toISOString());
  if (firstRow === undefined) return before ?? null;
  return Math.min(Number(firstRow.id), before ?? Number.MAX_SAFE_INTEGER);
}
