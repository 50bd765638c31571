// Numbered pages of records in orders that no index has. Postgres sorts all records of the filter for each page, so
// their number is bounded. No right is known here.

import type { SQL } from 'drizzle-orm';
import { isFailing } from './check-failing.ts';
import type { Db } from './database.ts';
import { sql } from './drizzle.ts';
import type { RecordPageRow } from './record-pages.ts';
import { listConditions, type RowFilter } from './records.ts';
import { records } from './tables.ts';

/** The orders. All of them continue with the name. */
export const SORTED_BY = ['type', 'content', 'ttl', 'changed'] as const;
export type SortedBy = (typeof SORTED_BY)[number];

/** More records are not sorted. */
export const MAX_SORTED = 10_000;
/** The newest changes of the zone that tell when a record changed last. */
const CHANGES_READ = 20_000;
/** Characters of a content that decide about its place. */
const KEY = 100;

export interface SortedRecord extends RecordPageRow {
  /**
   * When the record changed last. Null: in another order, or if the newest changes of the zone do not have the record.
   */
  changedAt: Date | null;
}

interface SortedPage {
  by: SortedBy;
  descending: boolean;
  limit: number;
  offset: number;
  /** Characters of each content that are read. */
  characters: number;
}

type Found = Omit<SortedRecord, 'changedAt'> & { total: number; last: string | null };

const keyOf: Readonly<Record<SortedBy, SQL>> = {
  type: sql`type`,
  content: sql`key`,
  ttl: sql`coalesce(ttl, (select default_ttl from zones where id = found.zone_id))`,
  changed: sql`last`,
};

/** @returns the rows of the page, and the number of all records of the filter; null: there are more than MAX_SORTED */
export async function sortedRecordPage(
  db: Db,
  zoneId: string,
  filter: RowFilter,
  { by, descending, limit, offset, characters }: SortedPage,
): Promise<{ rows: SortedRecord[]; total: number } | null> {
  const r = records;
  const key = by === 'content' ? sql`lower(left(${r.content}, ${KEY}::integer))` : sql`null`;
  const direction = descending ? sql.raw('desc nulls last') : sql.raw('asc nulls first');
  const order = sql`${keyOf[by]} ${direction}, ordername, type, id`;
  // Only this order reads the history.
  const last =
    by === 'changed'
      ? sql`left join (select coalesce(c.after, c.before)->>'id' as id, max(c.at) as last from (
          select after, before, at from changes where zone_id = ${zoneId} order by id desc limit ${CHANGES_READ}) c
          group by 1) newest using (id)`
      : sql`cross join (select null::timestamptz as last) newest`;
  const foundRows = await db.build.execute<Found>(sql`
    with found as (
      select ${r.id}, ${r.name}, ${r.ordername}, ${r.type}, ${r.ttl}, ${r.priority}, ${r.comment}, ${r.health}, ${r.withdrawn},
        ${sql.raw(isFailing('records'))} as failing,
        ${key} as key, ${zoneId}::text as zone_id
      from ${r} where ${listConditions(db, zoneId, filter)} limit ${MAX_SORTED + 1}),
    counted as (select count(*)::integer as total from found),
    page as (
      select found.*, newest.last, row_number() over (order by ${order}) as place
      from found ${last} where (select total from counted) <= ${MAX_SORTED}
      order by place limit ${limit} offset ${offset})
    select page.id, page.name, page.ordername, page.type, left(content.content, ${characters}::integer) as content, page.ttl,
      page.priority, page.comment, page.health, page.withdrawn, page.failing, page.last, counted.total
    from counted left join page on true left join records content on content.id = page.id order by page.place`);
  const total = foundRows[0]?.total ?? 0;
  if (total > MAX_SORTED) return null;
  const rows = foundRows.flatMap(({ total: _, last: at, ...row }) =>
    row.id === null ? [] : [{ ...row, changedAt: at === null ? null : new Date(at) }],
  );
  return { rows, total };
}
