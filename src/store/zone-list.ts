// Numbered pages of the zones of some owners, in several orders, with their number. No right is known here.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { type PlainZone, ZONE_COLUMNS, type ZoneRow, type ZoneState, zoneRow } from './zones.ts';

/** The orders. All of them continue with the name. */
export const ZONE_ORDERS = ['name', 'changed', 'records'] as const;
export type ZoneOrder = (typeof ZONE_ORDERS)[number];

export interface ZoneListFilter {
  /** Zones of these teams, and of this person. */
  teamIds: readonly string[];
  userId: string | null;
  /** Only these ids; null: all of the owners. */
  ids: readonly string[] | null;
  /** Only zones with this text in their name or comment, or for which this object was made. In lower case. */
  text: string | null;
  state: ZoneState | null;
}

/** Zones are counted up to this number. */
export const MAX_COUNTED = 10_000;

const FROM = `from zones where (team_id = any($1::text[]) or user_id = $2) and ($3::text[] is null or id = any($3::text[]))
  and ($4::text is null or strpos(name, $4) > 0 or strpos(lower(comment), $4) > 0 or strpos(lower(managed_by), $4) > 0)
  and ($5::text is null or state = $5)`;
const pageBy = (order: string) =>
  statement<PlainZone>(`select ${ZONE_COLUMNS} ${FROM} order by ${order} limit $6 offset $7`);
const pagesBy = (column: string, rest = '') => ({
  ascending: pageBy(`${column}${rest}`),
  descending: pageBy(`${column} desc${rest}`),
});
const PAGES = {
  name: pagesBy('name'),
  changed: pagesBy('updated_at', ', name'),
  records: pagesBy('record_count', ', name'),
} satisfies Record<ZoneOrder, unknown>;
const count = statement<{ total: number }>(
  `select count(*)::integer as total from (select 1 ${FROM} limit ${MAX_COUNTED + 1}) found`,
);

/** @returns the rows of the page, and the number of all zones that match, at most MAX_COUNTED + 1 */
export async function zoneListPage(
  db: Db | Tx,
  filter: ZoneListFilter,
  page: { order: ZoneOrder; descending: boolean; limit: number; offset: number },
): Promise<{ rows: ZoneRow[]; total: number }> {
  const { teamIds, userId, ids, text, state } = filter;
  const conditions = [teamIds, userId, ids, text, state];
  const [rows, [countRow]] = await Promise.all([
    PAGES[page.order][page.descending ? 'descending' : 'ascending'](db, ...conditions, page.limit, page.offset),
    count(db, ...conditions),
  ]);
  return { rows: rows.map(zoneRow), total: countRow?.total ?? 0 };
}
