// A wait that something else can end early.
import type { Clock } from './clock.ts';

export class Waker {
  #isAwake = false;
  #onWake: () => void = () => undefined;

  /** Ends the wait. Without a wait, the next one ends at once. */
  wake(): void {
    this.#isAwake = true;
    this.#onWake();
  }

  /** Waits until `wake`, for `ms`, or until the signal aborts. One wait at a time. @param ms null: without a limit */
  wait(clock: Clock, ms: number | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === null ? () => undefined : clock.setTimeout(() => end(), ms);
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#onWake = () => undefined;
        this.#isAwake = false;
        resolve();
      };
      this.#onWake = end;
      signal.addEventListener('abort', end, { once: true });
      if (this.#isAwake || signal.aborted) end();
    });
  }
}
