// Time as a parameter: everything in this room that waits or measures does it through a Clock, so that tests can hand
// in a fake one. It must not know what is waited for.

export interface Clock {
  /**
   * Milliseconds that never go back, counted from about the Unix epoch. For durations and due times; timestamps that
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

/** Waits `ms`. Rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** True once this deadline, and not the caller's signal, ended the wait. */
  expired(): boolean;
  /** Aborts now, with that reason. */
  abort(reason: Error): void;
  /** Must be called when the work is over: it frees the timer and the listener. */
  clear(): void;
}

/**
 * A signal that aborts after `ms` or together with `parent`. Made by hand because AbortSignal.any and
 * AbortSignal.timeout cannot be released early nor follow a fake clock.
 */
export function deadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let expired = false;
  const onParent = () => controller.abort(parent?.reason);
  const cancel = clock.setTimeout(() => {
    expired = true;
    controller.abort(new DOMException(`The time limit of ${Math.round(ms / 1000)} s is over`, 'TimeoutError'));
  }, ms);
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
