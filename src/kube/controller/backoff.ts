// Growing delays between attempts; a healthy period resets them.
import type { Clock } from '#base/clock.ts';

interface BackoffOptions {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** (Default: 800 ms.) */
  readonly baseMs?: number;
  /** Before jitter. (Default: 30 s.) */
  readonly maxMs?: number;
  /** (Default: 2.) */
  readonly factor?: number;
  /** The largest part of the delay that is added at random. (Default: 1.) */
  readonly jitter?: number;
  /** After this long without a failure, the next delay is the first one again. (Default: 2 min.) */
  readonly resetAfterMs?: number;
}

export interface Backoff {
  /** The delay after one more failure, in ms. */
  next(): number;
}

/**
 * The numbers of client-go's reflector: 0.8 s to 30 s, doubled, up to twice as long by jitter, reset after 2 minutes.
 */
export function createBackoff(options: BackoffOptions): Backoff {
  const { clock, random, baseMs = 800, maxMs = 30_000, factor = 2, jitter = 1, resetAfterMs = 120_000 } = options;
  let wait = baseMs;
  let over = Number.NEGATIVE_INFINITY;
  return {
    next: () => {
      const now = clock.now();
      // Health is counted from the end of the last delay: 30 s of waiting do not prove health.
      if (now - over >= resetAfterMs) wait = baseMs;
      const jittered = wait * (1 + jitter * random());
      wait = Math.min(wait * factor, maxMs);
      over = now + jittered;
      return jittered;
    },
  };
}
