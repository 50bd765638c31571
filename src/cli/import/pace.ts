// The pace of an import: a request that the service refuses for now is sent again when it says so, with a line for
// people first.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { ApiError, isBusy, isRateLimited } from '#client/errors.ts';

/** The longest wait for one request, in ms: other programs with the same key may take the places of its window. */
const MAX_WAIT_MS = 10 * 60_000;
/** The wait if the service does not say how long, in ms. */
const DEFAULT_WAIT_MS = 1_000;

export interface Pace {
  clock: Clock;
  signal: AbortSignal;
  /** Prints a line on standard error. */
  warn(line: string): void;
}

/**
 * Sends a request until the write limit of the key, and changes of others, let it pass.
 * @param done the progress so far, as a sentence without a period
 * @throws the error of the client if it is another one, or after 10 minutes; the reason of the signal
 */
export async function sendInTurn<T>(
  { clock, signal, warn }: Pace,
  done: () => string,
  send: () => Promise<T>,
): Promise<T> {
  const end = clock.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const waitMs = readRetryDelay(error);
      if (waitMs === null || clock.now() + waitMs > end) throw error;
      const reason = isRateLimited(error) ? 'the write limit of the key is reached' : 'the service is busy';
      warn(`${done()}; ${reason}, so the import continues in ${Math.ceil(waitMs / 1000)} s`);
      await sleep(clock, waitMs, signal);
    }
  }
}

function readRetryDelay(error: unknown): number | null {
  if (!(error instanceof ApiError)) return null;
  return isRateLimited(error) || isBusy(error) ? (error.retryAfterMs ?? DEFAULT_WAIT_MS) : null;
}
