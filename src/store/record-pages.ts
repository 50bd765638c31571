// Pages of record rows, bounded in rows and in octets: contents may have a quarter of a megabyte each. Keyset pages, so
// that each costs the same however far it is into the zone. No rule and no right is known here.

import type { SQL } from 'drizzle-orm';
import type { RecordHealth } from '#dns/members.ts';
import type { RecordType } from '#dns/types/index.ts';
import { isFailing } from './check-failing.ts';
import type { Db, Tx } from './database.ts';
import { sql } from './drizzle.ts';
import { listConditions, type RecordCursor, type RecordRow, type RowFilter } from './records.ts';
import { statement } from './statement.ts';
import { records } from './tables.ts';

/** A record as lists show it. */
export interface RecordPageRow extends Omit<RecordRow, 'rdata'> {
  /** Whether all owners of the record are withdrawn. */
  withdrawn: boolean;
  /** Whether its check fails. */
  failing: boolean;
}

interface PageBounds {
  /** Rows at most. */
  rows: number;
  /** The page ends with the row that reaches so many octets of contents and comments. */
  octets: number;
  /** Characters of each content. Absent: the whole content. */
  characters?: number;
  /**
   * Gives the RDATA in presentation form, with all names absolute, in place of the content as it was sent. (Default:
   * false.)
   */
  asRdata?: boolean;
  /** Reads from the last row to the first. (Default: false.) */
  descending?: boolean;
}

/** An answer that is made in memory as a whole. */
export const ANSWER: PageBounds = { rows: 1_000, octets: 1024 * 1024 };
/** A piece of a long answer: a few milliseconds of work, so that other requests have their turns in between. */
const PIECE: PageBounds = { rows: 500, octets: 128 * 1024 };

interface RecordPage<Row> {
  rows: Row[];
  /** Whether rows follow. */
  more: boolean;
}

type Found<Row> = { [K in keyof Row]: Row[K] } & { found: string | number };

function buildPage<Row>(foundRows: readonly Found<Row>[], bounds: PageBounds): RecordPage<Row> {
  const total = Number(foundRows[0]?.found ?? 0);
  const rows = foundRows.slice(0, bounds.rows).map(({ found: _, ...row }) => row as unknown as Row);
  return { rows, more: total > rows.length };
}

/** In DNSSEC's canonical order of names, then by type and id, or in the opposite order. */
export async function recordPage(
  db: Db | Tx,
  zoneId: string,
  filter: RowFilter,
  bounds: PageBounds,
): Promise<RecordPage<RecordPageRow>> {
  const r = records;
  const { characters, asRdata = false, descending = false } = bounds;
  const order = descending
    ? sql`${r.ordername} desc, ${r.type} desc, ${r.id} desc`
    : sql`${r.ordername}, ${r.type}, ${r.id}`;
  const text = asRdata ? r.rdata : r.content;
  const content: SQL = characters === undefined ? sql`${text}` : sql`left(${text}, ${characters}::integer)`;
  const octets: SQL =
    characters === undefined
      ? sql`octet_length(${text})`
      : sql`least(octet_length(${text}), ${4 * characters}::integer)`;
  // One row more than the page may have tells whether any follow. "before" needs no content: Postgres keeps its length
  // apart.
  const foundRows = await db.build.execute<Found<RecordPageRow>>(sql`
    select id, name, ordername, type, content, ttl, priority, comment, health, withdrawn, failing, found from (
      select *, count(*) over () as found from (
        select ${r.id}, ${r.name}, ${r.ordername}, ${r.type}, ${content} as content, ${r.ttl}, ${r.priority}, ${r.comment},
          ${r.health}, ${r.withdrawn}, ${sql.raw(isFailing('records'))} as failing, coalesce(sum(${octets} + coalesce(octet_length(${r.comment}), 0)) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as before
        from ${r} where ${listConditions(db, zoneId, filter)} order by ${order} limit ${bounds.rows + 1}) rows) page
    where before < ${bounds.octets} order by ${descending ? sql`ordername desc, type desc, id desc` : sql`ordername, type, id`}`);
  return buildPage(foundRows, bounds);
}

/** All pages of a list. In one snapshot they are one moment. */
export async function* streamRecordPages(
  db: Db | Tx,
  zoneId: string,
  filter: RowFilter,
  { asRdata = false }: Pick<PageBounds, 'asRdata'> = {},
): AsyncGenerator<RecordPageRow[]> {
  let after: RecordCursor | undefined = filter.after;
  for (;;) {
    const { rows, more } = await recordPage(
      db,
      zoneId,
      { ...filter, ...(after === undefined ? {} : { after }) },
      { ...PIECE, asRdata },
    );
    if (rows.length > 0) yield rows;
    after = rows.at(-1);
    if (!more || after === undefined) return;
  }
}

/** A record as a zone file shows it. */
interface WrittenRecord {
  id: string;
  name: string;
  ordername: string;
  type: RecordType;
  rdata: string;
  ttl: number | null;
  health: RecordHealth | null;
  withdrawn: boolean;
  failing: boolean;
}

const ORDER = 'ordername, type, rdata collate "C", id';

const buildStatement = (after: string) => `
  select id, name, ordername, type, rdata, ttl, health, withdrawn, failing, found from (
    select *, count(*) over () as found from (
      select id, name, ordername, type, rdata, ttl, health, withdrawn, ${isFailing('records')} as failing,
        coalesce(sum(octet_length(rdata)) over (order by ${ORDER} rows between unbounded preceding and 1 preceding), 0) as before
      from records where zone_no = $1 ${after} order by ${ORDER} limit $2::integer + 1) rows) page
  where before < $3::bigint order by ${ORDER}`;

const firstWritten = statement<Found<WrittenRecord>>(buildStatement(''));
const nextWritten = statement<Found<WrittenRecord>>(
  buildStatement('and (ordername, type, rdata collate "C", id) > ($4::text collate "C", $5::text, $6::text, $7::text)'),
);

/**
 * A page of all records: by name, type and value, so that equal zones come alike.
 * @param after the last row of the page before
 */
export async function writtenPage(
  db: Db | Tx,
  zoneNo: number,
  after: WrittenRecord | undefined,
  bounds = ANSWER,
): Promise<RecordPage<WrittenRecord>> {
  const foundRows =
    after === undefined
      ? await firstWritten(db, zoneNo, bounds.rows, bounds.octets)
      : await nextWritten(db, zoneNo, bounds.rows, bounds.octets, after.ordername, after.type, after.rdata, after.id);
  return buildPage(foundRows, bounds);
}

export async function* writtenPages(db: Db | Tx, zoneNo: number): AsyncGenerator<WrittenRecord[]> {
  let after: WrittenRecord | undefined;
  for (;;) {
    const { rows, more } = await writtenPage(db, zoneNo, after, PIECE);
    if (rows.length > 0) yield rows;
    after = rows.at(-1);
    if (!more || after === undefined) return;
  }
}
