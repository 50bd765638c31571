// One transaction: its statements, and its end when the connection is lost. client.ts says what the driver does then.
import { setImmediate as turn } from 'node:timers/promises';
import type { PendingQuery, Row, TransactionSql } from 'postgres';
import type { Outage } from './outage.ts';
import type { Pool, PoolWork } from './pool.ts';
import { processOf } from './server-state.ts';
import { named, watchStatement } from './work.ts';

type Parameters = readonly unknown[];

/**
 * A transaction: the driver sends its begin and its commit, and these wait for the server too.
 *
 *     begin → work (the statements wait by themselves) → commit → ended
 */
export class TransactionWork implements PoolWork {
  readonly pool: Pool;
  readonly now: () => number;
  /** Rejects when the transaction fails before the driver knows it. */
  readonly failure = Promise.withResolvers<never>();
  #phase: 'begin' | 'work' | 'commit' | 'ended' = 'begin';
  #since: number;
  #last: object | null = null;
  readonly #leave: () => void;

  constructor(pool: Pool, now: () => number) {
    this.pool = pool;
    this.now = now;
    this.#since = now();
    this.failure.promise.catch(() => undefined);
    this.#leave = pool.enter(this);
  }

  waitsSince(): number | null {
    return this.#phase === 'begin' || this.#phase === 'commit' ? this.#since : null;
  }

  pid(): number | null {
    return this.#last === null ? null : processOf(this.#last);
  }

  mayBeWritten(): boolean {
    return this.#phase === 'commit';
  }

  fail(error: Outage): void {
    this.#isEnded = true;
    this.failure.reject(error);
  }

  #isEnded = false;

  /** Nothing more is sent once the transaction has failed as a whole. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  began(): void {
    this.#phase = 'work';
  }

  sent(query: object): void {
    this.#last = query;
    watchStatement(this.pool, query, false, this.now);
  }

  commits(): void {
    this.#phase = 'commit';
    this.#since = this.now();
  }

  /** The transaction has ended for its caller. */
  end(): void {
    this.#isEnded = true;
  }

  /** The driver has ended it, and its connection is free. */
  leave(): void {
    this.#phase = 'ended';
    this.#leave();
  }
}

/** The statements of one transaction or savepoint. */
export class TransactionClient {
  readonly #transaction: TransactionSql;
  readonly #work: TransactionWork;

  constructor(transaction: TransactionSql, work: TransactionWork) {
    this.#transaction = transaction;
    this.#work = work;
  }

  /** @throws when the transaction has ended */
  unsafe<R extends Row = Row>(text: string, parameters: Parameters = []): PendingQuery<R[]> {
    this.#mustGoOn();
    const query = this.#transaction.unsafe<R[]>(text, parameters as never[], named(parameters));
    this.#work.sent(query);
    return query;
  }

  /** The rows of a statement, at most `size` at a time. @throws when the transaction has ended */
  pages<R extends Row = Row>(text: string, parameters: Parameters, size: number): AsyncIterable<R[]> {
    this.#mustGoOn();
    return this.#transaction.unsafe<R[]>(text, parameters as never[], named(parameters)).cursor(size);
  }

  /** @throws when the transaction has ended */
  savepoint<T>(work: (savepoint: TransactionClient) => Promise<T>): Promise<T> {
    this.#mustGoOn();
    return this.#transaction.savepoint((savepoint) =>
      guarded(savepoint, work, this.#work, () => undefined),
    ) as Promise<T>;
  }

  #mustGoOn(): void {
    if (this.#work.isEnded) throw new Error('The transaction has ended: its connection was lost.');
  }
}

/** The driver commits or rolls back when the work settles, so it must not settle once the connection is lost. */
export async function guarded<T>(
  transaction: TransactionSql,
  work: (client: TransactionClient) => Promise<T>,
  state: TransactionWork,
  onDone: () => void,
): Promise<T> {
  try {
    const result = await work(new TransactionClient(transaction, state));
    if (!state.isEnded) {
      onDone();
      return result;
    }
  } catch (error) {
    // The statement under way learns of a lost connection first, and `begin` right after it.
    await turn();
    if (!state.isEnded) throw error;
  }
  return new Promise(() => undefined);
}
