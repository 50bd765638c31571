// Waits for something to hold, also outside of a test, where vitest's own polling may not be used.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { KubeError } from '#kube/api/errors.ts';

/** Only ends what hangs, on a machine of any speed: test/support/matrix/healing.ts judges durations. */
const LIMIT_MS = 150_000;
/** A look of the matrix takes some milliseconds of a core, and five cells look at the same time. */
const EVERY_MS = 100;
/** A wait that takes longer than this looks less often: each look takes time from the processes that it waits for. */
const SOON_MS = 1_000;
const LATER_MS = 300;

/**
 * Checks until no problem is left. @returns the duration in ms @throws with the last problems when they remain after
 * `ms`; with the error of a check, unless it says that a part of the stack does not answer now (isAway)
 * @param everyMs the pause after each look (default: 100 ms, and 300 ms once the wait has taken a second)
 */
export async function untilNone(
  what: string,
  look: () => Promise<readonly string[]>,
  ms = LIMIT_MS,
  everyMs?: number,
): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const problems = await look().catch((error: unknown) => {
      if (isAway(error)) return [String(error)];
      throw error;
    });
    const took = performance.now() - begin;
    if (problems.length === 0) return took;
    if (took > ms) throw new Error(`${what}, after ${ms / 1000} s:\n${problems.join('\n')}`);
    await sleep(everyMs ?? (took < SOON_MS ? EVERY_MS : LATER_MS));
  }
}

/** The same for one value. */
export function untilIs<T>(
  what: string,
  look: () => Promise<T> | T,
  wanted: (seen: T) => boolean,
  ms = LIMIT_MS,
  everyMs?: number,
): Promise<number> {
  return untilNone(
    what,
    async () => {
      const seen = await look();
      return wanted(seen) ? [] : [`it is ${JSON.stringify(seen)}`];
    },
    ms,
    everyMs,
  );
}

/** Errors of the network, of postgres.js, and of a Postgres that starts or shuts down (class 57P). */
const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_CLOSED|CONNECTION_ENDED|57P0\d)$/;

/** Whether the error says that a part of the stack does not answer now: any other error is a fault of the check. */
export function isAway(error: unknown): boolean {
  if (error instanceof KubeError) return error.status === 0 || error.status === 429 || error.status >= 500;
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  if (error instanceof ApiUnavailable) return true;
  if (!(error instanceof Error)) return false;
  // A query to an unavailable DNS server ends by its time limit.
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // fetch has the network error in the cause.
  return ('code' in error && AWAY_CODES.test(String(error.code))) || isAway(error.cause);
}
