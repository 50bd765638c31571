// Record rows: reading what a rule needs to see, writing one row. Knows no rules and no rights.
import { and, asc, count, eq, gt, inArray, like, or, type SQL, sql } from 'drizzle-orm';
import type { RecordType } from '../dns/types/index.ts';
import { type Db, isStorable, type Tx } from './database.ts';
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
};

/** All that stands at the given owner names (as ordernames). */
export async function recordsAt(tx: Tx, zoneNo: number, ordernames: string[]): Promise<RecordRow[]> {
  return tx
    .select(recordColumns)
    .from(records)
    .where(and(eq(records.zoneNo, zoneNo), sql`${records.ordername} = any(${sql.param(ordernames)}::text[])`))
    .orderBy(asc(records.ordername), asc(records.type), asc(records.id));
}

/** The TXT values at one name, the oldest first. */
export async function challengeValues(
  db: Db,
  zoneNo: number,
  ordername: string,
): Promise<{ id: string; content: string }[]> {
  return db
    .select({ id: records.id, content: records.content })
    .from(records)
    .where(and(eq(records.zoneNo, zoneNo), eq(records.ordername, ordername), eq(records.type, 'TXT')))
    .orderBy(asc(records.createdAt), asc(records.id));
}

/** The NS records among the given owner names: the delegations above a name when given its ancestors. */
export async function cutsAt(tx: Tx, zoneNo: number, ordernames: string[]): Promise<RecordRow[]> {
  if (ordernames.length === 0) return [];
  return tx
    .select(recordColumns)
    .from(records)
    .where(
      and(
        eq(records.zoneNo, zoneNo),
        eq(records.type, 'NS'),
        sql`${records.ordername} = any(${sql.param(ordernames)}::text[])`,
      ),
    )
    .orderBy(asc(records.ordername));
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

export async function recordById(tx: Tx, zoneNo: number, id: string): Promise<RecordRow | null> {
  if (!isStorable(id)) return null;
  return (
    (
      await tx
        .select(recordColumns)
        .from(records)
        .where(and(eq(records.zoneNo, zoneNo), eq(records.id, id)))
    )[0] ?? null
  );
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
  /** Only records of one of these types and with a name that one of these LIKE patterns matches; null: any. */
  only?: { names: string[] | null; types: string[] | null };
  after?: RecordCursor;
  limit?: number;
}

/** A zone's records in DNSSEC's canonical order of names, then by type and id. */
export async function listRecords(db: Db, zoneId: string, filter: RecordFilter): Promise<RecordRow[]> {
  const where: (SQL | undefined)[] = [eq(zones.id, zoneId)];
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
  if (filter.only?.types) where.push(inArray(records.type, filter.only.types));
  if (filter.only?.names) where.push(or(...filter.only.names.map((pattern) => like(records.name, pattern))));
  if (filter.after !== undefined) {
    const { ordername, type, id } = filter.after;
    where.push(sql`(${records.ordername}, ${records.type}, ${records.id}) > (${ordername}, ${type}, ${id})`);
  }
  const query = db
    .select(recordColumns)
    .from(records)
    .innerJoin(zones, eq(zones.no, records.zoneNo))
    .where(and(...where))
    .orderBy(asc(records.ordername), asc(records.type), asc(records.id));
  return filter.limit === undefined ? query : query.limit(filter.limit);
}

export type NewRecord = typeof records.$inferInsert;

/** @throws SQLSTATE 23505 (records_rdata_key, records_one_cname_idx) or 23P01 (records_cname_alone) */
export async function insertRecord(tx: Tx, row: NewRecord): Promise<void> {
  await tx.insert(records).values(row);
}

/** @throws as insertRecord */
export async function updateRecord(
  tx: Tx,
  id: string,
  set: Pick<NewRecord, 'content' | 'rdata' | 'digest' | 'ttl' | 'priority'>,
): Promise<void> {
  await tx.update(records).set(set).where(eq(records.id, id));
}

export async function deleteRecord(tx: Tx, id: string): Promise<void> {
  await tx.delete(records).where(eq(records.id, id));
}
