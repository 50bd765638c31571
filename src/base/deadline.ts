// A time limit for one piece of work, as an AbortSignal.
import type { Clock } from './clock.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** True if this deadline, and not the caller's signal, ended the wait. */
  expired(): boolean;
  /** Aborts now, with the given reason. */
  abort(reason: Error): void;
  /** Must be called when the work has ended: it frees the timer and the listener. */
  clear(): void;
}

/**
 * A signal that aborts after `ms` or together with `parent`. AbortSignal.any and AbortSignal.timeout can neither be
 * released early nor follow a fake clock.
 */
export function deadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isExpired = false;
  const onParent = () => controller.abort(parent?.reason);
  const cancel = clock.setTimeout(() => {
    isExpired = true;
    controller.abort(new DOMException(`The time limit of ${Math.round(ms / 1000)} s was exceeded`, 'TimeoutError'));
  }, ms);
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    expired: () => isExpired,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
