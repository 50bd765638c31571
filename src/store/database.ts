// Opens Postgres. All other code gets a Database or a transaction as a parameter and does not use the driver.

import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy';
import postgres, { type Sql } from 'postgres';
import { parsePostgresAddress } from '#base/postgres-address.ts';
import { readArray, writeArray } from './arrays.ts';
import { type Around, type ClientEvents, PoolClient } from './client.ts';
import { drizzle } from './drizzle.ts';
import type { MakeSql } from './pool.ts';
import { createProtect, type Protect } from './tls.ts';
import type { TransactionClient } from './transaction.ts';

export type { ClientEvents } from './client.ts';
export { findOutage, REASONS, type Reason } from './outage.ts';

/** The statements of a connection or a transaction: `statement.ts` sends texts, and drizzle builds the others. */
class Statements<Client extends PoolClient | TransactionClient> {
  readonly client: Client;
  #builder: PgRemoteDatabase | null = null;

  constructor(client: Client) {
    this.client = client;
  }

  /** drizzle's query builder, whose statements this client sends. */
  get build(): PgRemoteDatabase {
    this.#builder ??= drizzle(async (text, parameters, method) => {
      const query = this.client.unsafe(text, parameters);
      return { rows: method === 'all' ? await query.values() : await query };
    });
    return this.#builder;
  }
}

export class Db extends Statements<PoolClient> {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.client.begin((client) => work(new Tx(client)));
  }

  /** A transaction whose reads all belong to one moment. It must not write. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.client.begin(async (client) => {
      await client.unsafe('set transaction isolation level repeatable read read only');
      return work(new Tx(client));
    }, true);
  }

  /** Whether the server that takes writes was reached, and its connections have not been lost since. */
  get isUp(): boolean {
    return this.client.isUp;
  }

  /** For a statement that is a transaction of its own: runs `around` as for any transaction. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.client.alone(work);
  }
}

/** The statements of one transaction. `transaction` is a savepoint. */
export class Tx extends Statements<TransactionClient> {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
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
  /** Runs around every transaction. */
  around?: Around;
  /** Shown in pg_stat_activity. (Default: zonestead.) */
  name?: string;
}

const CONNECT_S = 3;

/**
 * @param url postgres://user:password@host:port/database, or several hosts of one cluster (host1:port1,host2:port2);
 * connections are opened when first needed, and only to a server that accepts writes. `?prepare=false` is for a pooler
 * between us and Postgres that cannot keep named statements (PgBouncer before 1.21).
 * `?sslmode=verify-full&sslrootcert=file` verifies the server; `require` encrypts, and verifies nothing.
 * @throws Error if the address or the file of its authorities cannot be read
 */
export function openDatabase(url: string, options: DatabaseOptions & ClientEvents = {}): Database {
  const address = parsePostgresAddress(url);
  if (!address.ok) throw new Error(`The address of the database ${address.problem}.`);
  const { hosts, url: single, tls } = address.value;
  const protect = createProtect(tls, CONNECT_S * 1000);
  const { around = null, onLoss, onPrimary } = options;
  const isPooled = new URL(single).searchParams.get('prepare') === 'false';
  const make = poolMaker(single, protect, options, {
    max: options.max ?? 16,
    // Poolers do not tell; the driver would ask, and an error of its question would end the process.
    ...(isPooled ? {} : { target_session_attrs: 'primary' }),
  });
  const client = new PoolClient({
    hosts,
    make,
    makeQuestion: poolMaker(single, protect, options, { max: 1 }),
    around,
    ...(onLoss ? { onLoss } : {}),
    ...(onPrimary ? { onPrimary } : {}),
  });
  return { db: new Db(client), work: () => client.work(), close: (graceMs = 5_000) => client.close(graceMs) };
}

function poolMaker(
  url: string,
  protect: Protect | null,
  { name, lockTimeoutMs, statementTimeoutMs }: DatabaseOptions,
  ownOptions: { max: number; target_session_attrs?: 'primary' },
): MakeSql {
  return (socket) => {
    const options = {
      types: TYPES,
      fetch_types: false,
      connect_timeout: CONNECT_S,
      backoff: reconnectDelay,
      idle_timeout: 60,
      keep_alive: 0,
      onnotice: () => undefined,
      connection: {
        application_name: name ?? 'zonestead',
        lock_timeout: lockTimeoutMs ?? 2_000,
        statement_timeout: statementTimeoutMs ?? 30_000,
        // A client that dies in a transaction must not hold a zone's row lock until TCP notices.
        idle_in_transaction_session_timeout: 10_000,
      },
      socket: () => socket(protect),
      // The socket is protected already.
      ssl: false,
      // An option of the URL would win over this one, and the URL may name what the driver does not know how to check.
      target_session_attrs: undefined,
      ...ownOptions,
    };
    return postgres(withoutSession(url), options as postgres.Options<Record<string, postgres.PostgresType>>) as Sql;
  };
}

/** The driver's own check of `read-write` takes a standby of PostgreSQL 14 or later for writable. */
function withoutSession(url: string): string {
  const cleanUrl = new URL(url);
  cleanUrl.searchParams.delete('target_session_attrs');
  return cleanUrl.href;
}

const asItIs = (value: unknown) => value;

const array = (oid: number, parse: (text: string) => unknown = readArray) => ({
  to: oid,
  from: [oid],
  serialize: writeArray,
  parse,
});

/** The tables read times as Postgres writes them. JSON is text already when it is sent. */
const TYPES = {
  times: { to: 1184, from: [1184, 1082, 1083, 1114, 1182, 1185, 1115, 1231], serialize: asItIs, parse: asItIs },
  json: { to: 114, from: [114, 3802], serialize: asItIs, parse: (text: string) => JSON.parse(text) as unknown },
  texts: array(1009),
  cidrs: array(651),
  transactions: array(271),
  integers: array(1007, (text) => readArray(text).map(Number)),
  bigints: array(1016),
};

/**
 * Seconds before the next attempt to connect: the driver's own goes up to 20, for which a Postgres that is back is not
 * used.
 */
function reconnectDelay(failures: number): number {
  return Math.min(0.05 * 2 ** failures, 1);
}

/**
 * The SQLSTATE and constraint of an error that Postgres answered, through drizzle's wrapping; null for any other error.
 */
export function sqlFailure(error: unknown): { code: string; constraint: string | null } | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof postgres.PostgresError) return { code: e.code, constraint: e.constraint_name ?? null };
  }
  return null;
}

/**
 * Whether Postgres can hold the text at all: NUL has no place in its text type, and a question with one is an error.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0');
}
