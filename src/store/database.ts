// Opens Postgres. All other code gets a Database or a transaction as a parameter and does not use the driver.
import { PgDatabase, PgDialect, PgTransaction, type PgTransactionConfig } from 'drizzle-orm/pg-core';
import { type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { type Around, PoolClient, type TransactionClient } from './client.ts';

const DIALECT = new PgDialect();

/** drizzle calls `unsafe` of the client, and nothing else: the transactions are ours. */
function sessionOf(client: PoolClient | TransactionClient) {
  return new PostgresJsSession(client as unknown as Sql, DIALECT, undefined);
}

/** drizzle's query builder, and the client for statements whose text is written out; see statement.ts. */
export class Db extends PgDatabase<PostgresJsQueryResultHKT> {
  readonly client: PoolClient;

  constructor(client: PoolClient) {
    super(DIALECT, sessionOf(client), undefined);
    this.client = client;
  }

  override transaction<T>(work: (tx: Tx) => Promise<T>, config?: PgTransactionConfig): Promise<T> {
    return this.client.begin(async (client) => {
      const tx = new Tx(client);
      if (config) await tx.setTransaction(config);
      return work(tx);
    });
  }

  /** For a statement that is a transaction of its own: runs `around` as for any transaction. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.client.alone(work);
  }
}

/** A Db whose statements belong to one transaction. `transaction` is a savepoint. */
export class Tx extends PgTransaction<PostgresJsQueryResultHKT> {
  readonly client: TransactionClient;

  constructor(client: TransactionClient) {
    super(DIALECT, sessionOf(client), undefined);
    this.client = client;
  }

  override transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.client.savepoint((client) => work(new Tx(client)));
  }
}

export interface Database {
  db: Db;
  /** How many statements and transactions have a connection or wait for one. */
  work(): number;
  /** Ends all connections; statements under way get `graceMs` to finish. */
  close(graceMs?: number): Promise<void>;
}

interface DatabaseOptions {
  /** Connections at most. (Default: 16.) */
  max?: number;
  /** How long a statement waits for a row lock before it fails with 55P03, in ms. (Default: 2000.) */
  lockTimeoutMs?: number;
  /** A statement that runs longer is cancelled, in ms. (Default: 30000; 0: never, for migrations.) */
  statementTimeoutMs?: number;
  /** Runs around every transaction. (Default: nothing does.) */
  around?: Around;
  /** Shown in pg_stat_activity. (Default: zonestead.) */
  name?: string;
}

/**
 * @param url postgres://user:password@host:port/database; connections are opened when first needed. `?prepare=false` is for
 * a pooler between us and Postgres that cannot keep named statements (PgBouncer before 1.21).
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const make = () =>
    postgres(url, {
      types: TYPES,
      max: options.max ?? 16,
      connect_timeout: 5,
      backoff: reconnectDelay,
      idle_timeout: 60,
      onnotice: () => undefined,
      connection: {
        application_name: options.name ?? 'zonestead',
        lock_timeout: options.lockTimeoutMs ?? 2_000,
        statement_timeout: options.statementTimeoutMs ?? 30_000,
        // A client that dies in a transaction must not hold a zone's row lock until TCP notices.
        idle_in_transaction_session_timeout: 10_000,
      },
    });
  const client = new PoolClient(make, options.around);
  return { db: new Db(client), work: () => client.work(), close: (graceMs = 5_000) => client.close(graceMs) };
}

const asItIs = (value: unknown) => value;

/** The forms that drizzle expects: times as Postgres writes them, and JSON that is text already when it is sent. */
const TYPES = {
  times: { to: 1184, from: [1184, 1082, 1083, 1114, 1182, 1185, 1115, 1231], serialize: asItIs, parse: asItIs },
  json: { to: 114, from: [114, 3802], serialize: asItIs, parse: (text: string) => JSON.parse(text) as unknown },
};

/** Seconds before the next attempt to connect: the driver's own goes up to 20, for which a Postgres that is back is not used. */
function reconnectDelay(failures: number): number {
  return Math.min(0.05 * 2 ** failures, 1);
}

/** The SQLSTATE and constraint of an error that Postgres answered, through drizzle's wrapping; null for any other error. */
export function sqlFailure(error: unknown): { code: string; constraint: string | null } | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof postgres.PostgresError) return { code: e.code, constraint: e.constraint_name ?? null };
  }
  return null;
}

/** Whether Postgres can hold the text at all: NUL has no place in its text type, and a question with one is an error. */
export function isStorable(text: string): boolean {
  return !text.includes('\0');
}
