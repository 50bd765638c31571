// The driver's pool, kept well when Postgres goes away under it. Two things that postgres.js 3.4.9 does then would end
// the api, write by half or make it wait; each is kept from happening here. It must not know statements.
//
// - A transaction whose connection is gone is over, but the code inside does not know: what it still sends would run on the
//   connection's successor, outside of any transaction, and the driver's own rollback ends the process (its issue 1208).
// - A connection that dies with something still to be written never writes again: it stays in the pool and every
//   statement that it gets waits until the connect timeout. So a pool that lost a connection is replaced by a new one.
import { setImmediate as turn } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';

export interface Pool {
  /** As the driver's client; always that of the pool in use. */
  sql: Sql;
  close(graceMs: number): Promise<void>;
}

/** Of errors that say: a connection that was open, or about to open, is gone. */
const LOST: ReadonlySet<string> = new Set(['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
/** 57P01 to 57P03: Postgres ends this connection, or all of them. */
const ENDING = /^57P0[1-3]$/;
/** What is under way in a replaced pool may go on for so long. */
const LEAVE_MS = 30_000;

/** @param make opens a pool; all pools are alike */
export function openPool(make: () => Sql): Pool {
  let current = make();
  const leaving = new Map<Sql, NodeJS.Timeout>();

  function replace(lost: Sql): void {
    if (lost !== current) return;
    current = make();
    // drizzle sets these once, on the client that it was given.
    Object.assign(current.options.parsers, lost.options.parsers);
    Object.assign(current.options.serializers, lost.options.serializers);
    const leave = () => {
      leaving.delete(lost);
      void lost.end({ timeout: 1 });
    };
    leaving.set(lost, setTimeout(leave, LEAVE_MS).unref());
  }

  function watch<T extends Promise<unknown>>(pool: Sql, outcome: T): T {
    outcome.catch((error: unknown) => {
      if (isLost(error)) replace(pool);
    });
    return outcome;
  }

  const sql = new Proxy(current, {
    get(_, property) {
      const pool = current;
      if (property === 'begin') {
        return (work: Work) => watch(pool, beginGuarded(pool, work));
      }
      if (property === 'unsafe') {
        return (...args: Parameters<Sql['unsafe']>) => {
          const query = pool.unsafe(...args) as unknown as { reject(error: unknown): void };
          const { reject } = query;
          query.reject = (error) => {
            if (isLost(error)) replace(pool);
            reject(error);
          };
          return query;
        };
      }
      return Reflect.get(pool, property);
    },
  });
  return {
    sql,
    close: async (graceMs) => {
      const timeout = graceMs / 1000;
      for (const timer of leaving.values()) clearTimeout(timer);
      await Promise.all([current, ...leaving.keys()].map((pool) => pool.end({ timeout })));
    },
  };
}

type Work = (transaction: object) => unknown;

function isLost(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { code = '' } = e as { code?: string };
    if (e instanceof postgres.PostgresError ? ENDING.test(code) : LOST.has(code)) return true;
  }
  return false;
}

/** The driver's `begin`, whose work sends nothing more once the transaction has failed as a whole. */
async function beginGuarded(pool: Sql, work: Work): Promise<unknown> {
  const end = { reached: false };
  try {
    return await pool.begin((transaction) => guarded(transaction, work, end));
  } finally {
    end.reached = true;
  }
}

interface End {
  reached: boolean;
}

/** What comes back makes the driver commit or roll back, so nothing may come back once the connection is gone. */
async function guarded(transaction: object, work: Work, end: End): Promise<unknown> {
  try {
    const result = await work(guard(transaction, end));
    if (!end.reached) return result;
  } catch (error) {
    // Of a lost connection the statement under way hears first, and `begin` right after it.
    await turn();
    if (!end.reached) throw error;
  }
  return new Promise(() => undefined);
}

function guard(transaction: object, end: End): object {
  return new Proxy(transaction, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (property === 'savepoint') {
        return (work: Work) => {
          mustGoOn(end);
          return (member as (work: Work) => unknown)((inner) => guarded(inner as object, work, end));
        };
      }
      if (property === 'unsafe') {
        return (...args: unknown[]) => {
          mustGoOn(end);
          return (member as (...args: unknown[]) => unknown)(...args);
        };
      }
      return member;
    },
  });
}

/** @throws when the transaction is over */
function mustGoOn({ reached }: End): void {
  if (reached) throw new Error('The transaction is over: its connection was lost.');
}
