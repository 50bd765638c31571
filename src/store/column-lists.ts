// The texts of column lists, made from a drizzle table: a column has its name, its SQL name and its type in tables.ts alone.
import { getTableColumns } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

type Key<T extends PgTable> = keyof T['_']['columns'] & string;

function column<T extends PgTable>(table: T, key: Key<T>): PgColumn {
  return (getTableColumns(table) as Record<string, PgColumn>)[key] as PgColumn;
}

/** The columns of a select, each with its name in TypeScript: `id, zone_no as "zoneNo"`. */
export function selectList<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => `${column(table, key).name} as "${key}"`).join(', ');
}

/** The columns of an insert: `id, zone_no`. */
export function insertList<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => column(table, key).name).join(', ');
}

/** The same columns of a recordset, in the same order: `r."id", r."zoneNo"`. */
export function valueList<T extends PgTable>(alias: string, keys: readonly Key<T>[]): string {
  return keys.map((key) => `${alias}."${key}"`).join(', ');
}

/** The definitions of `json_to_recordset(…) as r(…)`: `"id" text, "zoneNo" integer`. Bytes are written as `\x…` in the JSON. */
export function recordset<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => `"${key}" ${column(table, key).getSQLType()}`).join(', ');
}

/** Bytes as JSON holds them for a recordset. */
export function hexBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
