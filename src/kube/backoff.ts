// Growing waits between attempts on one thing, forgotten after a healthy while. It must not know what is attempted.
import type { Clock } from './clock.ts';

export interface BackoffOptions {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** (Default: 800 ms.) */
  readonly baseMs?: number;
  /** Before jitter. (Default: 30 s.) */
  readonly maxMs?: number;
  /** (Default: 2.) */
  readonly factor?: number;
  /** The part of the wait that is added at most, at random. (Default: 1.) */
  readonly jitter?: number;
  /** Without a failure for this long, the next wait is the first again. (Default: 2 min.) */
  readonly resetAfterMs?: number;
}

export interface Backoff {
  /** The wait after one more failure, in ms. */
  next(): number;
}

/** The numbers of client-go's reflector: 0.8 s to 30 s, doubled, up to twice as long by jitter, reset after 2 minutes. */
export function createBackoff(options: BackoffOptions): Backoff {
  const { clock, random, baseMs = 800, maxMs = 30_000, factor = 2, jitter = 1, resetAfterMs = 120_000 } = options;
  let wait = baseMs;
  let over = Number.NEGATIVE_INFINITY;
  return {
    next: () => {
      const now = clock.now();
      // Health is counted from the end of the last wait: a wait of 30 s is no sign of it.
      if (now - over >= resetAfterMs) wait = baseMs;
      const jittered = wait * (1 + jitter * random());
      wait = Math.min(wait * factor, maxMs);
      over = now + jittered;
      return jittered;
    },
  };
}
