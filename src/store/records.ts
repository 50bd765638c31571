// Record rows as lists and single looks read them. zone-load.ts reads the rows that changes are judged by, and
// zone-commit.ts writes.

import type { SQL } from 'drizzle-orm';
import type { RecordHealth } from '#dns/members.ts';
import type { RecordType } from '#dns/types/index.ts';
import { columns } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, count, eq, gt, inArray, isNull, like, or, sql } from './drizzle.ts';
import { statement } from './statement.ts';
import { records, zones } from './tables.ts';

export interface RecordRow {
  id: string;
  name: string;
  ordername: string;
  type: RecordType;
  content: string;
  rdata: string;
  ttl: number | null;
  priority: number | null;
  /** A line of text for people; null: none. */
  comment: string | null;
  /** Null: no check, tier 0. */
  health: RecordHealth | null;
}

/** The columns of a RecordRow. */
export const RECORD_KEYS = [
  'id',
  'name',
  'ordername',
  'type',
  'content',
  'rdata',
  'ttl',
  'priority',
  'comment',
  'health',
] as const satisfies readonly (keyof RecordRow)[];

/** The same as SQL. */
export const RECORD_COLUMNS = columns(records, RECORD_KEYS).list;

const selectAt = statement<RecordRow>(
  `select ${RECORD_COLUMNS} from records where zone_no = $1 and ordername = any($2::text[]) order by ordername, type, id`,
);

/** All records at the given owner names (as ordernames). */
export async function recordsAt(tx: Db | Tx, zoneNo: number, ordernames: string[]): Promise<readonly RecordRow[]> {
  return selectAt(tx, zoneNo, ordernames);
}

/** The most rows of owned_sets that one request reads because it names their owners. */
export const MAX_OWNED_SETS = 10_000;

const selectOctets = statement<{ octets: string; sets: number }>(`
  with owned as (select ordername from owned_sets where zone_no = $1 and owner = any($4::text[]) limit ${MAX_OWNED_SETS + 1})
  select coalesce(sum(octet_length(content) + octet_length(rdata) + coalesce(octet_length(comment), 0)), 0) as octets, (select count(*)::integer from owned) as sets
  from records where zone_no = $1 and ordername = any($2::text[]
    || array(select ordername from records where id = any($3::text[]) and zone_no = $1) || array(select ordername from owned))`);

/**
 * Octets of the contents, values and comments at some owner names, at the names of the records with some ids, and at
 * all names of some owners; and how many sets those owners have, at most one more than MAX_OWNED_SETS. Postgres keeps
 * the length of a long value apart, so the values themselves are not read.
 */
export async function octetsAround(
  on: Db | Tx,
  zoneNo: number,
  {
    ordernames,
    ids = [],
    owners = [],
  }: { ordernames: readonly string[]; ids?: readonly string[]; owners?: readonly string[] },
): Promise<{ octets: number; sets: number }> {
  const [row] = await selectOctets(on, zoneNo, ordernames, ids.filter(isStorable), owners);
  return { octets: Number(row?.octets ?? 0), sets: row?.sets ?? 0 };
}

const within = (zoneNo: number, ordername: string): SQL | undefined =>
  and(
    eq(records.zoneNo, zoneNo),
    or(
      eq(records.ordername, ordername),
      and(gt(records.ordername, `${ordername} `), sql`${records.ordername} < ${`${ordername}!`}`),
    ),
    isNull(records.reverseOf),
  );

/**
 * The first few owner names at or below a name, and how many records there are in all. PTR records of the service do
 * not count, because they move by themselves.
 */
export async function namesWithin(
  tx: Tx,
  zoneNo: number,
  ordername: string,
  limit: number,
): Promise<{ names: string[]; total: number }> {
  const [names, totals] = await Promise.all([
    tx.build
      .selectDistinctOn([records.ordername], { name: records.name })
      .from(records)
      .where(within(zoneNo, ordername))
      .orderBy(asc(records.ordername))
      .limit(limit),
    tx.build.select({ total: count() }).from(records).where(within(zoneNo, ordername)),
  ]);
  return { names: names.map((row) => row.name), total: totals[0]?.total ?? 0 };
}

const selectById = statement<RecordRow>(`select ${RECORD_COLUMNS} from records where zone_no = $1 and id = $2`);

export async function recordById(tx: Db | Tx, zoneNo: number, id: string): Promise<RecordRow | null> {
  if (!isStorable(id)) return null;
  return (await selectById(tx, zoneNo, id))[0] ?? null;
}

export interface RecordCursor {
  ordername: string;
  type: string;
  id: string;
}

export interface RowFilter {
  ordername?: string;
  /** Only records at one of these names. */
  ordernames?: string[];
  type?: string;
  content?: { content: string; digest: Uint8Array | null };
  /** Only records with one of these texts in their name, content or comment, ignoring case. */
  texts?: string[];
  /** Only records of one of these types and with a name that one of these LIKE patterns matches; null: any. */
  only?: { names: string[] | null; types: string[] | null };
  after?: RecordCursor;
  before?: RecordCursor;
}

/** The records of a zone that a list shows; see record-pages.ts. */
export function listConditions(db: Db | Tx, zoneId: string, filter: RowFilter): SQL {
  // Not a join: with one zone's number the index gives the rows in their order, and a page need not sort the whole
  // zone.
  const ofZone = db.build.select({ no: zones.no }).from(zones).where(eq(zones.id, zoneId));
  const where: (SQL | undefined)[] = [sql`${records.zoneNo} = (${ofZone})`];
  if (filter.ordername !== undefined) where.push(eq(records.ordername, filter.ordername));
  if (filter.ordernames !== undefined) where.push(inArray(records.ordername, filter.ordernames));
  if (filter.type !== undefined) where.push(eq(records.type, filter.type));
  if (filter.content !== undefined) {
    const { content, digest } = filter.content;
    where.push(
      digest === null
        ? eq(records.content, content)
        : sql`(${records.content} = ${content} or ${records.digest} = ${digest})`,
    );
  }
  if (filter.texts !== undefined) {
    const holds = (text: string) =>
      sql`(strpos(${records.name}, ${text}) > 0 or strpos(lower(${records.content}), ${text}) > 0
        or strpos(lower(${records.comment}), ${text}) > 0)`;
    where.push(or(...filter.texts.map((text) => holds(text.toLowerCase()))));
  }
  if (filter.only?.types) where.push(inArray(records.type, filter.only.types));
  if (filter.only?.names) where.push(or(...filter.only.names.map((pattern) => like(records.name, pattern))));
  if (filter.after !== undefined) {
    const { ordername, type, id } = filter.after;
    where.push(sql`(${records.ordername}, ${records.type}, ${records.id}) > (${ordername}, ${type}, ${id})`);
  }
  if (filter.before !== undefined) {
    const { ordername, type, id } = filter.before;
    where.push(sql`(${records.ordername}, ${records.type}, ${records.id}) < (${ordername}, ${type}, ${id})`);
  }
  return and(...where) as SQL;
}
