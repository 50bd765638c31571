// Statements with a constant text, for the queries that every write runs, and for those that drizzle's builder cannot
// express. drizzle builds the text of a query again each time, which costs the api more time than Postgres takes for
// the whole write; here it is written once and sent unchanged. Its columns come from the tables (column-lists.ts).
import type { Db, Tx } from './database.ts';

/**
 * A statement with the parameters $1, $2, … The rows come as the driver reads them: bigint and times as text, json
 * parsed, bytea as a Buffer. It is on its way when the call returns: statements that are called one after another run
 * in that order, without waiting for each other's answer. One that drizzle builds goes out later, so await it first.
 */
export function statement<Row extends object>(
  text: string,
): (on: Db | Tx, ...parameters: unknown[]) => Promise<readonly Row[]> {
  return (on, ...parameters) => on.client.unsafe(text, parameters).execute() as unknown as Promise<readonly Row[]>;
}

/**
 * A statement that is put together of parts. Its text names the parameters, `$zoneId`, and each value is given by a
 * function, so that only those are made which the statement sends.
 */
export function namedStatement<Row extends object, Name extends string>(
  text: string,
): (on: Db | Tx, values: Readonly<Record<Name, () => unknown>>) => Promise<readonly Row[]> {
  const names = [...new Set([...text.matchAll(/\$([a-zA-Z]+)/g)].map(([, name]) => name as Name))];
  const run = statement<Row>(text.replace(/\$([a-zA-Z]+)/g, (_, name) => `$${names.indexOf(name as Name) + 1}`));
  return (on, values) => run(on, ...names.map((name) => values[name]()));
}

/** The rows of one statement, at most `size` at a time; the next ones are fetched when the loop asks for them. */
export function pages<Row extends object>(
  tx: Tx,
  size: number,
  text: string,
  parameters: readonly unknown[],
): AsyncIterable<readonly Row[]> {
  return tx.client.pages(text, parameters, size) as unknown as AsyncIterable<readonly Row[]>;
}
