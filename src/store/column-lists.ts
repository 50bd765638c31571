// The columns of statements, made from the tables: a column has its name, its SQL name, its type and the form of its
// values there alone. `columns` is for rows that are read, the other functions are for rows that are written.

import type { InferSelectModel } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { getTableColumns, sql } from './drizzle.ts';

type Key<T extends PgTable> = keyof T['_']['columns'] & keyof InferSelectModel<T> & string;

/** A row as the driver reads it: bigint and times are texts. */
export type Plain<Row> = { [K in keyof Row]: unknown };

/** Some columns of a table. */
export interface Columns<Row, Fields> {
  /** For a text, with the names in TypeScript: `id as "id", zone_no as "zoneNo"`. */
  readonly list: string;
  /** For `select` and `returning` of the builder. */
  readonly fields: Fields;
  /** The values as the table declares them; all other values of the row stay as they are. */
  read<P extends Plain<Row>>(row: P): Omit<P, keyof Row> & Row;
}

interface Options<K extends string> {
  /** The alias of the table in a text. (Default: columns without a table.) */
  alias?: string;
  /** SQL expressions that are read in place of columns, with the types of the columns. */
  computed?: Partial<Record<K, string>>;
}

/** @param keys the columns that are read */
export function columns<T extends PgTable, K extends Key<T>>(
  table: T,
  keys: readonly K[],
  { alias, computed = {} }: Options<K> = {},
): Columns<Pick<InferSelectModel<T>, K>, Pick<T['_']['columns'], K>> {
  const prefix = alias === undefined ? '' : `${alias}.`;
  const expressions = computed as Partial<Record<string, string>>;
  const list = keys.map((key) => `${expressions[key] ?? prefix + column(table, key).name} as "${key}"`);
  const fields = keys.map((key) => {
    const expression = expressions[key];
    return [key, expression === undefined ? column(table, key) : sql.raw(expression).mapWith(column(table, key))];
  });
  const readers = keys.flatMap((key) => (isText(column(table, key)) ? [[key, column(table, key)] as const] : []));
  return {
    list: list.join(', '),
    fields: Object.fromEntries(fields) as Pick<T['_']['columns'], K>,
    read: (row) => {
      const values: Record<string, unknown> = { ...row };
      for (const [key, reader] of readers) {
        if (values[key] !== null) values[key] = reader.mapFromDriverValue(values[key]);
      }
      return values as Omit<typeof row, K> & Pick<InferSelectModel<T>, K>;
    },
  };
}

/** Whether the driver reads the values as texts, and the table has numbers or times. */
function isText(of: PgColumn): boolean {
  return of.dataType === 'date' || (of.dataType === 'number' && of.getSQLType() === 'bigint');
}

/** All columns of a table but some. */
export function keysWithout<T extends PgTable, K extends Key<T>>(
  table: T,
  omitted: readonly K[],
): readonly Exclude<Key<T>, K>[] {
  const keys = Object.keys(getTableColumns(table)) as Key<T>[];
  return keys.filter((key): key is Exclude<Key<T>, K> => !(omitted as readonly string[]).includes(key));
}

function column<T extends PgTable>(table: T, key: Key<T>): PgColumn {
  return (getTableColumns(table) as Record<string, PgColumn>)[key] as PgColumn;
}

/**
 * The arguments of `json_build_object`: `'id', r.id, 'zoneNo', r.zone_no`.
 * @param computedColumns expressions in place of columns
 */
export function jsonColumnList<T extends PgTable, K extends Key<T>>(
  table: T,
  keys: readonly K[],
  alias: string,
  computedColumns: Partial<Record<K, string>> = {},
): string {
  return keys.map((key) => `'${key}', ${computedColumns[key] ?? `${alias}.${column(table, key).name}`}`).join(', ');
}

/** The columns of an insert: `id, zone_no`. */
export function insertList<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => column(table, key).name).join(', ');
}

/** The same columns of a recordset, in the same order: `r."id", r."zoneNo"`. */
export function valueList<T extends PgTable>(alias: string, keys: readonly Key<T>[]): string {
  return keys.map((key) => `${alias}."${key}"`).join(', ');
}

/**
 * The definitions of `json_to_recordset(…) as r(…)`: `"id" text, "zoneNo" integer`. Bytes are written as `\x…` in the
 * JSON.
 */
export function recordset<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => `"${key}" ${column(table, key).getSQLType()}`).join(', ');
}

/** The assignments of an update from such a recordset: `content = u."content"`. */
export function assignments<T extends PgTable>(table: T, alias: string, keys: readonly Key<T>[]): string {
  return keys.map((key) => `${column(table, key).name} = ${alias}."${key}"`).join(', ');
}

/** The assignments of `on conflict do update`: `content = excluded.content`. */
export function excludedValues<T extends PgTable>(table: T, keys: readonly Key<T>[]): string {
  return keys.map((key) => `${column(table, key).name} = excluded.${column(table, key).name}`).join(', ');
}

/** Bytes as JSON holds them for a recordset. */
export function hexBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
