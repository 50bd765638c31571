// The connections to Postgres: statements of their own, and transactions. drizzle and our own statements send through
// the same client. It survives the loss of Postgres, and moves to the server that is the primary now (primary.ts).
// Three things that postgres.js 3.4.9 does then would end the api, write a part of a transaction, or make statements
// wait.
//
// - A transaction whose connection is lost has ended, but the code inside does not know: its next statement would run
//   on the connection's successor, outside of any transaction, and the driver's own rollback ends the process (its
//   issue 1208).
// - A connection that dies with something still to be written never writes again: it stays in the pool, and every
//   statement that it gets waits until the connect timeout. So a pool that lost a connection is replaced by a new one.
// - Its connections to several hosts; see pool.ts.
//
//     a pool is   in use → replaced (a connection was lost; work under way may finish) → ended
//                        → dropped (its server is given up; all work fails at once)
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingQuery, Row } from 'postgres';
import { type Host, sameHost } from '#base/postgres-address.ts';
import { findLoss, findOutage, Outage, type Reason } from './outage.ts';
import { givenUp, type MakeSql, Pool, type PoolWork } from './pool.ts';
import { PrimaryFinder } from './primary.ts';
import { createAskServer } from './server-state.ts';
import { guarded, type TransactionClient, TransactionWork } from './transaction.ts';
import { Watcher } from './watcher.ts';
import { named, watchStatement } from './work.ts';

/** Runs the work of a transaction once, and returns its answer or throws its error. */
export type Around = <T>(work: () => Promise<T>) => Promise<T>;

type Parameters = readonly unknown[];

/** The events of the connections, for metrics and the log. */
export interface ClientEvents {
  /** Connections were given up, and are replaced. */
  onLoss?(reason: Reason): void;
  /** Another server is the primary than before. Also called for the first one, if the address names several servers. */
  onPrimary?(host: Host, before: Host | null): void;
}

export interface ClientOptions extends ClientEvents {
  hosts: readonly Host[];
  /** Opens a pool; all pools are alike. */
  make: MakeSql;
  /** The same with one connection, which takes any server. */
  makeQuestion: MakeSql;
  /** Runs around every transaction. */
  around: Around | null;
}

/** Work that is under way in a replaced pool has this long to finish. */
const LEAVE_MS = 30_000;
/**
 * A statement waits for a primary until the search for it has taken this long, in ms. Afterwards it fails at once: in a
 * long outage, requests must not queue behind each other's waits.
 */
const PATIENCE_MS = 2_000;
/** A server that does not answer a question in this time does not answer, in ms. */
const ANSWER_MS = 1_250;

const now = () => performance.now();

export class PoolClient {
  readonly #options: ClientOptions;
  readonly #finder: PrimaryFinder;
  readonly #leaving = new Map<Pool, NodeJS.Timeout>();
  readonly #watcher: Watcher;
  #pool: Pool;
  #primary: Host | null = null;
  #work = 0;
  #isUp = false;
  #searchSince: number | null = null;
  readonly #held = new Set<PoolWork>();
  #isClosed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { hosts } = options;
    const ask = createAskServer(options.makeQuestion, ANSWER_MS);
    this.#finder = new PrimaryFinder({ hosts, ask });
    this.#watcher = new Watcher({
      pools: () => this.#pools(),
      ask,
      giveUp: (pool, reason, why) => this.#giveUp(pool, reason, why),
      hold: (pool, work) => this.#hold(pool, work),
      now,
    });
    const [only] = hosts;
    // A single server is used without a question; the driver checks each connection anyway.
    this.#pool = this.#open(hosts.length === 1 && only ? Promise.resolve(only) : null);
  }

  /** The statements and transactions that have a connection or wait for one. */
  work(): number {
    return this.#work;
  }

  /**
   * Whether the server that takes writes was reached: false from the loss of the connections until a server answers
   * again, and before the first answer.
   */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** A statement outside of a transaction. It is sent in this turn of the event loop, whether it is awaited or not. */
  unsafe<R extends Row = Row>(text: string, parameters: Parameters = []): PendingQuery<R[]> {
    const pool = this.#current();
    const query = pool.sql.unsafe<R[]>(text, parameters as never[], named(parameters));
    watchStatement(pool, query, true, now);
    this.#enter();
    query.then(
      () => {
        this.#work -= 1;
        this.#answered(pool);
      },
      (error: unknown) => {
        this.#work -= 1;
        this.#failed(pool, error);
      },
    );
    return query;
  }

  /**
   * A transaction. Its work sends nothing more once the transaction has failed as a whole.
   * @param isReadOnly whether it writes nothing. (Default: false.)
   * @throws Outage if the connection is lost; it says whether the transaction may be written
   */
  async begin<T>(work: (transaction: TransactionClient) => Promise<T>, isReadOnly = false): Promise<T> {
    if (!isReadOnly) this.#mustNotHold();
    this.#enter();
    try {
      return await this.#within(() => this.#begin(work));
    } finally {
      this.#work -= 1;
    }
  }

  /** Runs `around` also around a statement that is a transaction of its own, and writes. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.#mustNotHold();
    return this.#within(work);
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    const { around } = this.#options;
    return around ? around(work) : work();
  }

  async #begin<T>(work: (transaction: TransactionClient) => Promise<T>): Promise<T> {
    const pool = this.#current();
    const state = new TransactionWork(pool, now);
    const whole = pool.sql.begin((transaction) => {
      state.began();
      return guarded(transaction, work, state, () => state.commits());
    }) as Promise<T>;
    const leave = () => state.leave();
    whole.then(leave, leave);
    try {
      const result = await Promise.race([whole, state.failure.promise]);
      this.#answered(pool);
      return result;
    } catch (error) {
      this.#failed(pool, error);
      if (error instanceof Outage || findOutage(error) === null) throw error;
      throw new Outage(
        'TRANSACTION_LOST',
        state.mayBeWritten() ? 'unknown' : 'nothing',
        'the connection was lost during a transaction',
        error,
      );
    } finally {
      state.end();
    }
  }

  #answered(pool: Pool): void {
    if (pool === this.#pool) this.#isUp = true;
  }

  #lost(reason: Reason): void {
    this.#isUp = false;
    this.#options.onLoss?.(reason);
  }

  #enter(): void {
    this.#work += 1;
    this.#watcher.wake();
  }

  /** The pool in use. A statement that finds none waits for the search that is under way. */
  #current(): Pool {
    if (this.#pool.isDropped && !this.#isClosed) this.#pool = this.#open(null);
    return this.#pool;
  }

  #pools(): Pool[] {
    return [this.#pool, ...this.#leaving.keys()];
  }

  /** @param host null: it is searched for */
  #open(host: Promise<Host> | null): Pool {
    return new Pool(
      this.#options.make,
      (host ?? this.#searched()).then((foundHost) => this.#use(foundHost)),
      now,
    );
  }

  #use(host: Host): Host {
    const { hosts, onPrimary } = this.#options;
    const before = this.#primary;
    if (before === null ? hosts.length > 1 : !sameHost(before, host)) onPrimary?.(host, before);
    this.#primary = host;
    // A server that is no longer the primary gets nothing more, and what it was asked is not waited for.
    for (const pool of this.#leaving.keys()) {
      if (pool.current !== null && !sameHost(pool.current, host)) {
        pool.drop(givenUp(pool.current, 'is no longer the primary'));
      }
    }
    return host;
  }

  /** @throws Outage if no primary is found in time; the search continues */
  async #searched(): Promise<Host> {
    this.#searchSince ??= now();
    const limit = new AbortController();
    const patience = sleep(Math.max(0, this.#searchSince + PATIENCE_MS - now()), undefined, {
      signal: limit.signal,
    }).then(() => {
      const problem = `no server of the database takes writes at the moment: ${this.#finder.problem}`;
      throw new Outage('NO_PRIMARY', 'nothing', problem);
    });
    const search = this.#finder.find();
    const end = () => {
      this.#searchSince = null;
    };
    search.then(end, end);
    try {
      const host = await Promise.race([search, patience]);
      this.#isUp = true;
      return host;
    } finally {
      patience.catch(() => undefined);
      limit.abort();
    }
  }

  #failed(pool: Pool, error: unknown): void {
    const reason = findLoss(error);
    // An Outage without a cause is a finding of this room, which has acted on it already.
    const isFound = error instanceof Outage && error.cause === undefined;
    if (reason !== null && !isFound) this.#replace(pool, reason);
  }

  #replace(lostPool: Pool, reason: Reason): void {
    if (lostPool !== this.#pool || lostPool.isDropped || this.#isClosed) return;
    this.#lost(reason);
    this.#leaving.set(lostPool, setTimeout(() => this.#leave(lostPool), LEAVE_MS).unref());
    this.#pool = this.#open(null);
  }

  #leave(pool: Pool): void {
    clearTimeout(this.#leaving.get(pool));
    if ([...pool.work].some((work) => this.#held.has(work)) && !pool.isDropped) {
      this.#leaving.set(pool, setTimeout(() => this.#leave(pool), LEAVE_MS).unref());
      return;
    }
    this.#leaving.delete(pool);
    if (!pool.isDropped) void pool.end(1_000);
  }

  /** Gives a server up: its work fails at once, and the next statement searches. */
  #giveUp(pool: Pool, reason: Reason, why: string): void {
    if (pool.isDropped) return;
    if (pool === this.#pool) this.#lost(reason);
    pool.drop(givenUp(pool.current, why));
    if (this.#leaving.has(pool)) this.#leave(pool);
  }

  /**
   * A commit waits for a synchronous standby that does not confirm it. Its caller gets an answer, but the commit is
   * left alone: Postgres would report a cancelled one as written, though the standby does not have it.
   */
  #hold(pool: Pool, work: PoolWork): void {
    if (this.#held.has(work)) return;
    this.#held.add(work);
    const message = 'the commit waits for a synchronous standby that does not confirm it';
    work.fail(new Outage('STANDBY_SILENT', work.mayBeWritten() ? 'unknown' : 'nothing', message));
    // The connections that are left are too few for reads, or the standby is the primary now.
    if (pool === this.#pool && (this.#options.hosts.length > 1 || this.#held.size * 2 > this.#connections())) {
      this.#replace(pool, 'standby');
    }
  }

  #connections(): number {
    return this.#pool.sql.options.max;
  }

  /** While a commit waits for the standby, further ones would wait too, each with a connection. @throws Outage */
  #mustNotHold(): void {
    const pools = this.#pools();
    for (const work of this.#held) if (!pools.some((pool) => pool.work.has(work))) this.#held.delete(work);
    if (this.#held.size === 0) return;
    const message = 'an earlier commit waits for a synchronous standby that does not confirm it';
    throw new Outage('STANDBY_SILENT', 'nothing', message);
  }

  /** Ends all connections; statements under way get `graceMs` to finish. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#watcher.close();
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    this.#finder.close();
    await Promise.all(this.#pools().map((pool) => pool.end(graceMs)));
  }
}
