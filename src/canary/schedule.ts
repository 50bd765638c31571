// When work repeats. Pure, except for `repeat`.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { MAX_BACK_OFF_MS } from './limits.ts';

/** Canaries of several regions must not write at the same moment: an interval is up to so much longer or shorter. */
const SPREAD = 0.1;

/**
 * The pause until the next run.
 * @param tookMs the duration of the last run, which the interval includes
 * @param failures the runs that failed one after the other: each doubles the interval, up to a minute
 * @param random from 0 to 1
 * @param retryAfterMs the time that the service asked for; 0 without one
 */
export function choosePause(
  everyMs: number,
  tookMs: number,
  failures: number,
  random: number,
  retryAfterMs: number,
): number {
  const backOffMs = Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures, 16), MAX_BACK_OFF_MS));
  const spreadMs = backOffMs * (1 + SPREAD * (2 * random - 1));
  return Math.max(0, retryAfterMs, spreadMs - tookMs);
}

/** The result of one run: whether it counts as a failure, and how long the service asked to wait. */
export interface RunOutcome {
  readonly isFailure: boolean;
  readonly retryAfterMs: number;
}

export const DONE: RunOutcome = { isFailure: false, retryAfterMs: 0 };

/** Repeats the work until the signal aborts. @param firstMs before the first run */
export async function repeat(
  { clock, random }: { clock: Clock; random: () => number },
  { everyMs, firstMs }: { everyMs: number; firstMs: number },
  work: (signal: AbortSignal) => Promise<RunOutcome>,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let pauseMs = firstMs;
  try {
    for (;;) {
      await sleep(clock, pauseMs, signal);
      const beganAt = clock.now();
      const { isFailure, retryAfterMs } = await work(signal);
      failures = isFailure ? failures + 1 : 0;
      pauseMs = choosePause(everyMs, clock.now() - beganAt, failures, random(), retryAfterMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
