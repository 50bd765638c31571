// The statements that wait for the server: since when, in which of its processes, and how they fail when the server is
// given up.
import { findLoss, Outage } from './outage.ts';
import type { Pool } from './pool.ts';
import { processOf } from './server-state.ts';

/** The part of the driver's queries that settles them. */
interface Settling {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Registers a statement until the driver settles it. A caller whose statement fails earlier gets the error at once; the
 * statement stays registered, because its connection is still busy.
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
    reject(processOf(query) === null ? asUnsent(error) : error);
  };
}

/** The connection was lost before the server took the statement, so nothing of it is written. */
function asUnsent(error: unknown): unknown {
  if (error instanceof Outage || findLoss(error) !== 'lost') return error;
  const { code, message } = error as { code: string; message: string };
  return new Outage(code, 'nothing', message, error);
}

/**
 * The options of a statement. For an unnamed one the driver first asks Postgres for the types of the parameters: two
 * round trips, and no two statements on their way at once. A named statement is described when a connection first uses
 * it, and takes one round trip from then on. A text without parameters may hold several statements, which cannot have a
 * name.
 */
export const named = (parameters: readonly unknown[]) => ({ prepare: parameters.length > 0 });
