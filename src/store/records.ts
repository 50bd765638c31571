// Record rows: reading what a rule needs to see, writing one row. Knows no rules and no rights.
import { and, asc, count, eq, gt, inArray, like, or, type SQL, sql } from 'drizzle-orm';
import type { RecordType } from '../dns/types/index.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { pages, statement } from './statement.ts';
import { records, zones } from './tables.ts';
import { inOneSnapshot } from './zones.ts';

export interface RecordRow {
  id: string;
  name: string;
  ordername: string;
  type: RecordType;
  content: string;
  rdata: string;
  ttl: number | null;
  priority: number | null;
  /** The object elsewhere that the record belongs to, as its writer said: `DNSRecord namespace/name`. */
  managedBy: string | null;
}

/** The columns of a RecordRow. */
export const recordColumns = {
  id: records.id,
  name: records.name,
  ordername: records.ordername,
  type: sql<RecordType>`${records.type}`,
  content: records.content,
  rdata: records.rdata,
  ttl: records.ttl,
  priority: records.priority,
  managedBy: records.managedBy,
};

const COLUMNS = 'id, name, ordername, type, content, rdata, ttl, priority, managed_by as "managedBy"';

const selectAt = statement<RecordRow>(
  `select ${COLUMNS} from records where zone_no = $1 and ordername = any($2::text[]) order by ordername, type, id`,
);

/** All that stands at the given owner names (as ordernames). */
export async function recordsAt(tx: Tx, zoneNo: number, ordernames: string[]): Promise<readonly RecordRow[]> {
  return selectAt(tx, zoneNo, ordernames);
}

const selectCuts = statement<RecordRow>(
  `select ${COLUMNS} from records where zone_no = $1 and type = 'NS' and ordername = any($2::text[]) order by ordername`,
);

/** The NS records among the given owner names: the delegations above a name when given its ancestors. */
export async function cutsAt(tx: Tx, zoneNo: number, ordernames: string[]): Promise<readonly RecordRow[]> {
  return ordernames.length === 0 ? [] : selectCuts(tx, zoneNo, ordernames);
}

const below = (zoneNo: number, ordername: string): SQL | undefined =>
  and(
    eq(records.zoneNo, zoneNo),
    gt(records.ordername, `${ordername} `),
    sql`${records.ordername} < ${`${ordername}!`}`,
  );

/** The first few owner names strictly below a name, and how many records there are in all. */
export async function namesBelow(
  tx: Tx,
  zoneNo: number,
  ordername: string,
  limit: number,
): Promise<{ names: string[]; total: number }> {
  const [names, totals] = await Promise.all([
    tx
      .selectDistinctOn([records.ordername], { name: records.name })
      .from(records)
      .where(below(zoneNo, ordername))
      .orderBy(asc(records.ordername))
      .limit(limit),
    tx.select({ total: count() }).from(records).where(below(zoneNo, ordername)),
  ]);
  return { names: names.map((row) => row.name), total: totals[0]?.total ?? 0 };
}

const selectById = statement<RecordRow>(`select ${COLUMNS} from records where zone_no = $1 and id = $2`);

export async function recordById(tx: Db | Tx, zoneNo: number, id: string): Promise<RecordRow | null> {
  if (!isStorable(id)) return null;
  return (await selectById(tx, zoneNo, id))[0] ?? null;
}

export interface RecordCursor {
  ordername: string;
  type: string;
  id: string;
}

export interface RecordFilter {
  ordername?: string;
  type?: string;
  content?: { content: string; digest: Uint8Array | null };
  /** Only records with one of these texts in their name or content, in whatever case. */
  texts?: string[];
  /** Only records of one of these types and with a name that one of these LIKE patterns matches; null: any. */
  only?: { names: string[] | null; types: string[] | null };
  after?: RecordCursor;
  limit?: number;
}

/** A zone's records in DNSSEC's canonical order of names, then by type and id. */
export async function listRecords(db: Db, zoneId: string, filter: RecordFilter): Promise<RecordRow[]> {
  const query = listQuery(db, zoneId, filter);
  return filter.limit === undefined ? query : query.limit(filter.limit);
}

/** Rows at a time: what a list of any length holds as rows. */
const PAGE = 500;

/** The same list, complete and of one moment, a few rows at a time: `take` gets each in turn and keeps what it needs. */
export async function eachRecord(
  db: Db,
  zoneId: string,
  filter: Omit<RecordFilter, 'limit'>,
  take: (rows: readonly RecordRow[]) => void,
): Promise<void> {
  await inOneSnapshot(db, async (tx) => {
    const { sql: text, params } = listQuery(tx, zoneId, filter).toSQL();
    for await (const rows of pages<RecordRow>(tx, PAGE, text, params)) take(rows);
  });
}

function listQuery(db: Db | Tx, zoneId: string, filter: RecordFilter) {
  // Not a join: with one zone's number the index gives the rows in their order, and a page need not sort the whole zone.
  const ofZone = db.select({ no: zones.no }).from(zones).where(eq(zones.id, zoneId));
  const where: (SQL | undefined)[] = [sql`${records.zoneNo} = (${ofZone})`];
  if (filter.ordername !== undefined) where.push(eq(records.ordername, filter.ordername));
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
      sql`(strpos(${records.name}, ${text}) > 0 or strpos(lower(${records.content}), ${text}) > 0)`;
    where.push(or(...filter.texts.map((text) => holds(text.toLowerCase()))));
  }
  if (filter.only?.types) where.push(inArray(records.type, filter.only.types));
  if (filter.only?.names) where.push(or(...filter.only.names.map((pattern) => like(records.name, pattern))));
  if (filter.after !== undefined) {
    const { ordername, type, id } = filter.after;
    where.push(sql`(${records.ordername}, ${records.type}, ${records.id}) > (${ordername}, ${type}, ${id})`);
  }
  return db
    .select(recordColumns)
    .from(records)
    .where(and(...where))
    .orderBy(asc(records.ordername), asc(records.type), asc(records.id));
}

export type NewRecord = typeof records.$inferInsert;

const insert = statement(`
  insert into records (id, zone_no, name, ordername, type, content, rdata, digest, ttl, priority, created_at, managed_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);

/** @throws SQLSTATE 23505 (records_rdata_key, records_one_cname_idx) or 23P01 (records_cname_alone) */
export async function insertRecord(tx: Tx, row: Required<NewRecord> & { createdAt: Date }): Promise<void> {
  const { id, zoneNo, name, ordername, type, content, rdata, digest, ttl, priority, managedBy } = row;
  const createdAt = row.createdAt.toISOString();
  await insert(tx, id, zoneNo, name, ordername, type, content, rdata, digest, ttl, priority, createdAt, managedBy);
}

const update = statement(
  'update records set content = $2, rdata = $3, digest = $4, ttl = $5, priority = $6, managed_by = coalesce($7, managed_by) where id = $1',
);

/** Whose the record is stays when null is given. @throws as insertRecord */
export async function updateRecord(
  tx: Tx,
  id: string,
  set: Required<Pick<NewRecord, 'content' | 'rdata' | 'digest' | 'ttl' | 'priority' | 'managedBy'>>,
): Promise<void> {
  await update(tx, id, set.content, set.rdata, set.digest, set.ttl, set.priority, set.managedBy);
}

const remove = statement('delete from records where id = $1');

export async function deleteRecord(tx: Tx, id: string): Promise<void> {
  await remove(tx, id);
}
