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
 * A statement that uses only some of the parameters of a longer list. Its text names each by its place in that list;
 * the values are given by functions, so that only those are made which the statement sends.
 */
export function partialStatement<Row extends object>(
  text: string,
): (on: Db | Tx, values: readonly (() => unknown)[]) => Promise<readonly Row[]> {
  const places = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)))].sort((a, b) => a - b);
  const run = statement<Row>(text.replace(/\$(\d+)/g, (_, place) => `$${places.indexOf(Number(place)) + 1}`));
  return (on, values) => run(on, ...places.map((place) => values[place - 1]?.()));
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
