// Time as a parameter: whatever waits in this room does it through a Clock, so that tests can hand in a fake one. It
// must not know what is waited for.

export interface Clock {
  /** Milliseconds that never go back. */
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

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** True once the limit, and not the caller, ended the wait. */
  expired(): boolean;
  /** Must be called when the work is over: it frees the timer and the listener. */
  clear(): void;
}

/**
 * A signal that aborts after `ms` or together with `parent`. Made by hand: AbortSignal.any and AbortSignal.timeout can
 * neither be released early nor follow a fake clock.
 */
export function timeLimit(clock: Clock, ms: number, parent?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  let expired = false;
  const onParent = () => controller.abort(parent?.reason);
  const cancel = clock.setTimeout(() => {
    expired = true;
    controller.abort(new DOMException(`No answer within ${ms} ms`, 'TimeoutError'));
  }, ms);
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    clear: () => {
      cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
