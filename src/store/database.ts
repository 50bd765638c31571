// Opens Postgres. Everything else of the house gets a Database or a transaction handed in; nobody else knows the driver.
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { openPool } from './pool.ts';
import { type Around, aroundTransactions, countWork } from './work.ts';

export type Db = PostgresJsDatabase;
/** A Db whose statements belong to one transaction. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface Database {
  db: Db;
  /** How many statements and transactions have a connection or wait for one. */
  work(): number;
  /** Ends all connections; statements under way get `graceMs` to finish. */
  close(graceMs?: number): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections at most. (Default: 16.) */
  max?: number;
  /** How long a statement waits for a row lock before it fails with 55P03, in ms. (Default: 2000.) */
  lockTimeoutMs?: number;
  /** A statement that runs longer is cancelled, in ms. (Default: 30000; 0: never, for migrations.) */
  statementTimeoutMs?: number;
  /** Stands about every transaction; must run it once. (Default: nobody.) */
  around?: Around;
  /** Shown in pg_stat_activity. (Default: zonestead.) */
  name?: string;
}

/**
 * @param url postgres://user:password@host:port/database; connections are opened when first needed. `?prepare=false` is for
 * a pooler between us and Postgres that cannot keep named statements (PgBouncer before 1.21).
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { sql, close } = openPool(() =>
    postgres(url, {
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
    }),
  );
  const { counted, work } = countWork(sql);
  const watched = options.around ? aroundTransactions(counted, options.around) : counted;
  return { db: drizzle(withNamedStatements(watched)), work, close: (graceMs = 5_000) => close(graceMs) };
}

/** Seconds before the next attempt to connect: the driver's own goes up to 20, for which a Postgres that is back is not used. */
function reconnectDelay(failures: number): number {
  return Math.min(0.05 * 2 ** failures, 1);
}

type Method = (...parameters: unknown[]) => unknown;

/**
 * drizzle asks for unnamed statements. For each of these the driver first asks Postgres for the types of the parameters,
 * and sends nothing more on that connection until it knows: two round trips, and no two statements on their way at once.
 * A named statement is described when a connection first uses it, and takes one round trip from then on.
 */
function withNamedStatements<Client extends object>(client: Client): Client {
  return new Proxy(client, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (property === 'unsafe') {
        // A text without parameters may hold several statements, which cannot have a name.
        return (text: string, parameters: unknown[] = [], options: object = {}) =>
          (member as Method)(text, parameters, { ...options, prepare: parameters.length > 0 });
      }
      if (property === 'begin' || property === 'savepoint') {
        return (work: Method) => (member as Method)((inner: object) => work(withNamedStatements(inner)));
      }
      return member;
    },
  });
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
