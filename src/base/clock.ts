// Time as a parameter: code that waits or measures does it through a Clock, so that tests can pass a fake one.

export interface Clock {
  /**
   * Milliseconds that never decrease, counted from about the Unix epoch, for durations and due times. Timestamps that
   * people read come from a `Date`, because this value does not follow corrections of the system's clock.
   */
  now(): number;
  /** Runs `fn` once after `ms`; the returned function cancels it. */
  setTimeout(fn: () => void, ms: number): () => void;
}

// Node fires timers above this at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (fn, ms) => {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
