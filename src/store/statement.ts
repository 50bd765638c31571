// Statements whose text never changes, for what every single write runs. drizzle builds the text of a query anew each time,
// which costs the api more time than Postgres takes for all of a write; here it is written once and sent as it is.
import type { Sql } from 'postgres';
import type { Db, Tx } from './database.ts';

/**
 * A statement with the parameters $1, $2, … The rows come as the driver reads them: bigint and times as text, json parsed,
 * bytea as a Buffer. It is on its way when the call returns: statements that are called one after another run in that
 * order, without waiting for each other's answer. One that drizzle builds goes out later, so await it first.
 */
export function statement<Row extends object>(
  text: string,
): (on: Db | Tx, ...parameters: unknown[]) => Promise<readonly Row[]> {
  return (on, ...parameters) =>
    clientOf(on)
      .unsafe(text, parameters as never[])
      .execute() as unknown as Promise<readonly Row[]>;
}

/** The rows of one statement, at most `size` at a time; the next ones are fetched when the loop asks for them. */
export function pages<Row extends object>(
  tx: Tx,
  size: number,
  text: string,
  parameters: readonly unknown[],
): AsyncIterable<readonly Row[]> {
  return clientOf(tx)
    .unsafe<Row[]>(text, parameters as never[])
    .cursor(size);
}

/** drizzle keeps the client of a transaction to itself, though it is the same that runs its statements. */
function clientOf(on: Db | Tx): Sql {
  return (on as unknown as { _: { session: { client: Sql } } })._.session.client;
}
