// The statements and transactions that wait for the server: since when, in which of its processes, and how they fail when the
// server is given up.
import type { Outage } from './outage.ts';
import type { Pool, Work } from './pool.ts';
import { processOf } from './server-state.ts';

/** The part of the driver's queries that settles them. */
interface Settling {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Registers a statement until the driver settles it. A caller whose statement fails earlier gets the error at once; the statement
 * stays registered, because its connection is still busy.
 * @param mayBeWritten whether the statement is a transaction of its own
 */
export function watchStatement(pool: Pool, query: object, mayBeWritten: boolean, now: () => number): void {
  const since = now();
  const settling = query as Settling;
  const { resolve, reject } = settling;
  const leave = pool.enter({
    waitsSince: () => since,
    pid: () => processOf(query),
    mayBeWritten: () => mayBeWritten && processOf(query) !== null,
    fail: (error) => reject(error),
  });
  settling.resolve = (value) => {
    leave();
    resolve(value);
  };
  settling.reject = (error) => {
    leave();
    reject(error);
  };
}

/**
 * A transaction: the driver sends its begin and its commit, and these wait for the server too.
 *
 *     begin → work (the statements wait by themselves) → commit → ended
 */
export class TransactionWork implements Work {
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
