// The connections to Postgres: statements of their own, and transactions. drizzle and our own statements send through the same
// client. It keeps the process well when Postgres goes away: two things that postgres.js 3.4.9 does then would end the api, write
// a part of a transaction, or make statements wait.
//
// - A transaction whose connection is lost has ended, but the code inside does not know: its next statement would run on the
//   connection's successor, outside of any transaction, and the driver's own rollback ends the process (its issue 1208).
// - A connection that dies with something still to be written never writes again: it stays in the pool, and every statement that
//   it gets waits until the connect timeout. So a pool that lost a connection is replaced by a new one.
import { setImmediate as turn } from 'node:timers/promises';
import postgres, { type PendingQuery, type Row, type Sql, type TransactionSql } from 'postgres';

/** Runs the work of a transaction once, and returns its answer or throws its error. */
export type Around = <T>(work: () => Promise<T>) => Promise<T>;

type Parameters = readonly unknown[];

/** The codes of errors which mean that an open or opening connection is lost. */
const LOST: ReadonlySet<string> = new Set(['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
/** 57P01 to 57P03: Postgres ends this connection, or all of them. */
const ENDING = /^57P0[1-3]$/;
/** Work that is under way in a replaced pool has this long to finish. */
const LEAVE_MS = 30_000;

/**
 * The options of a statement. drizzle asks for unnamed statements, and for each of these the driver first asks Postgres for the
 * types of the parameters: two round trips, and no two statements on their way at once. A named statement is described when a
 * connection first uses it, and takes one round trip from then on. A text without parameters may hold several statements, which
 * cannot have a name.
 */
const named = (parameters: Parameters) => ({ prepare: parameters.length > 0 });

export class PoolClient {
  readonly #make: () => Sql;
  readonly #around: Around | null;
  readonly #leaving = new Map<Sql, NodeJS.Timeout>();
  #pool: Sql;
  #work = 0;

  /**
   * @param make opens a pool; all pools are alike
   * @param around runs around every transaction. (Default: nothing does.)
   */
  constructor(make: () => Sql, around: Around | null = null) {
    this.#make = make;
    this.#around = around;
    this.#pool = make();
  }

  /** The statements and transactions that have a connection or wait for one. */
  work(): number {
    return this.#work;
  }

  /** A statement outside of a transaction. It is sent in this turn of the event loop, whether it is awaited or not. */
  unsafe<R extends Row = Row>(text: string, parameters: Parameters = []): PendingQuery<R[]> {
    const pool = this.#pool;
    const query = pool.unsafe<R[]>(text, parameters as never[], named(parameters));
    this.#work += 1;
    query.then(
      () => {
        this.#work -= 1;
      },
      (error: unknown) => {
        this.#work -= 1;
        if (isLost(error)) this.#replace(pool);
      },
    );
    return query;
  }

  /** A transaction. Its work sends nothing more once the transaction has failed as a whole. */
  async begin<T>(work: (transaction: TransactionClient) => Promise<T>): Promise<T> {
    this.#work += 1;
    try {
      return await this.alone(() => this.#begin(work));
    } finally {
      this.#work -= 1;
    }
  }

  /** Runs `around` also around a statement that is a transaction of its own. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#around ? this.#around(work) : work();
  }

  async #begin<T>(work: (transaction: TransactionClient) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const end = { reached: false };
    try {
      return (await pool.begin((transaction) => guarded(transaction, work, end))) as T;
    } catch (error) {
      if (isLost(error)) this.#replace(pool);
      throw error;
    } finally {
      end.reached = true;
    }
  }

  #replace(lost: Sql): void {
    if (lost !== this.#pool) return;
    this.#pool = this.#make();
    const leave = () => {
      this.#leaving.delete(lost);
      void lost.end({ timeout: 1 });
    };
    this.#leaving.set(lost, setTimeout(leave, LEAVE_MS).unref());
  }

  /** Ends all connections; statements under way get `graceMs` to finish. */
  async close(graceMs: number): Promise<void> {
    const timeout = graceMs / 1000;
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    await Promise.all([this.#pool, ...this.#leaving.keys()].map((pool) => pool.end({ timeout })));
  }
}

/** The statements of one transaction or savepoint. */
export class TransactionClient {
  readonly #transaction: TransactionSql;
  readonly #end: End;

  constructor(transaction: TransactionSql, end: End) {
    this.#transaction = transaction;
    this.#end = end;
  }

  /** @throws when the transaction has ended */
  unsafe<R extends Row = Row>(text: string, parameters: Parameters = []): PendingQuery<R[]> {
    this.#mustGoOn();
    return this.#transaction.unsafe<R[]>(text, parameters as never[], named(parameters));
  }

  /** @throws when the transaction has ended */
  savepoint<T>(work: (savepoint: TransactionClient) => Promise<T>): Promise<T> {
    this.#mustGoOn();
    return this.#transaction.savepoint((savepoint) => guarded(savepoint, work, this.#end)) as Promise<T>;
  }

  #mustGoOn(): void {
    if (this.#end.reached) throw new Error('The transaction has ended: its connection was lost.');
  }
}

interface End {
  reached: boolean;
}

/** The driver commits or rolls back when the work settles, so it must not settle once the connection is lost. */
async function guarded<T>(
  transaction: TransactionSql,
  work: (client: TransactionClient) => Promise<T>,
  end: End,
): Promise<T> {
  try {
    const result = await work(new TransactionClient(transaction, end));
    if (!end.reached) return result;
  } catch (error) {
    // The statement under way learns of a lost connection first, and `begin` right after it.
    await turn();
    if (!end.reached) throw error;
  }
  return new Promise(() => undefined);
}

function isLost(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { code = '' } = e as { code?: string };
    if (e instanceof postgres.PostgresError ? ENDING.test(code) : LOST.has(code)) return true;
  }
  return false;
}
