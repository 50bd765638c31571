// Many record rows in one statement, for batches and zone files; records.ts has the single ones. Arrays and JSON instead
// of one bind parameter a value: a statement takes 65,535 of those. Knows no rules and no rights.
import { and, asc, eq, sql } from 'drizzle-orm';
import type { NamesBelow } from '../dns/neighbourhood.ts';
import { isStorable, type Tx } from './database.ts';
import { type NewRecord, type RecordRow, recordColumns } from './records.ts';
import { records } from './tables.ts';

/** Rows a statement: bounds what a large zone file holds in memory beside its rows. */
const CHUNK = 5_000;

/** All rows of a zone: by name, type and value, so that equal zones come alike. */
export async function allRecords(tx: Tx, zoneNo: number): Promise<RecordRow[]> {
  return tx
    .select(recordColumns)
    .from(records)
    .where(eq(records.zoneNo, zoneNo))
    .orderBy(asc(records.ordername), asc(records.type), sql`${records.rdata} collate "C"`, asc(records.id));
}

export async function recordsByIds(tx: Tx, zoneNo: number, ids: string[]): Promise<RecordRow[]> {
  const possible = ids.filter(isStorable);
  if (possible.length === 0) return [];
  return tx
    .select(recordColumns)
    .from(records)
    .where(and(eq(records.zoneNo, zoneNo), sql`${records.id} = any(${sql.param(possible)}::text[])`));
}

/** What stands strictly below each of some names; at most `limit` names each. A name with nothing below is left out. */
export async function namesBelowEach(
  tx: Tx,
  zoneNo: number,
  ordernames: string[],
  limit: number,
): Promise<NamesBelow[]> {
  if (ordernames.length === 0) return [];
  const rows = await tx.execute(sql`
    select o.under, b.name, b.ordername, b.count, b.total
    from unnest(${sql.param(ordernames)}::text[]) o(under) cross join lateral (
      select r.name, r.ordername, count(*)::integer as count, (sum(count(*)) over ())::integer as total
      from ${records} r
      where r.zone_no = ${zoneNo} and r.ordername > o.under || ' ' and r.ordername < o.under || '!'
      group by r.name, r.ordername order by r.ordername limit ${limit}) b`);
  const found = new Map<string, NamesBelow>();
  for (const { under, name, ordername, count, total } of rows as unknown as Row[]) {
    const entry = found.get(under) ?? { under, names: [], total };
    entry.names.push({ name, ordername, count });
    found.set(under, entry);
  }
  return [...found.values()];
}

type Row = { under: string; name: string; ordername: string; count: number; total: number };

/** @throws as insertRecord in records.ts */
export async function insertRecords(tx: Tx, rows: NewRecord[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    await tx.execute(sql`
      insert into ${records} (id, zone_no, name, ordername, type, content, rdata, digest, ttl, priority,
        managed_by, created_at)
      select id, zone_no, name, ordername, type, content, rdata, decode(digest, 'hex'), ttl, priority, managed_by, created_at
      from json_to_recordset(${JSON.stringify(chunk.map(asJson))}::text::json) as r(id text, zone_no integer, name text,
        ordername text, type text, content text, rdata text, digest text, ttl integer, priority integer,
        managed_by text, created_at timestamptz)`);
  }
}

function asJson(row: NewRecord) {
  const { zoneNo, createdAt, digest, managedBy, ...rest } = row;
  return {
    ...rest,
    zone_no: zoneNo,
    managed_by: managedBy,
    created_at: createdAt,
    digest: Buffer.from(digest).toString('hex'),
  };
}

/** Whose the record is stays when null is given. */
export type RecordUpdate = Required<
  Pick<NewRecord, 'id' | 'content' | 'rdata' | 'digest' | 'ttl' | 'priority' | 'managedBy'>
>;

/** @throws as insertRecord in records.ts; also when two rows exchange their values, see releaseValues */
export async function updateRecords(tx: Tx, rows: RecordUpdate[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    const json = chunk.map((row) => ({ ...row, digest: Buffer.from(row.digest).toString('hex') }));
    await tx.execute(sql`
      update ${records} as r
      set content = u.content, rdata = u.rdata, digest = decode(u.digest, 'hex'), ttl = u.ttl, priority = u.priority,
        managed_by = coalesce(u."managedBy", r.managed_by)
      from json_to_recordset(${JSON.stringify(json)}::text::json)
        as u(id text, content text, rdata text, digest text, ttl integer, priority integer, "managedBy" text)
      where r.id = u.id`);
  }
}

/**
 * Takes rows that are about to be updated out of the uniqueness of values (records_rdata_key): it is checked row by row,
 * and one row may get what another one still has.
 */
export async function releaseValues(tx: Tx, ids: string[]): Promise<void> {
  await tx.execute(
    sql`update ${records} set digest = sha256(convert_to(id, 'UTF8')) where id = any(${sql.param(ids)}::text[])`,
  );
}

export async function deleteRecords(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(records).where(sql`${records.id} = any(${sql.param(ids)}::text[])`);
}

export function* chunksOf<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += CHUNK) yield rows.slice(at, at + CHUNK);
}
