// A lock that many holders share, or that one has alone. Waits end in their order, so that neither kind starves: a wait
// for the lock alone lets no later wait pass.
import type { Release } from './limit.ts';

interface Waiting {
  readonly isAlone: boolean;
  start(): void;
}

export class SharedLock {
  /** Holders that share it; -1: one has it alone. */
  #holders = 0;
  readonly #waiting: Waiting[] = [];

  /** @returns the function that gives the lock back. @throws the reason of the signal */
  share(signal?: AbortSignal): Promise<Release> {
    return this.#take(false, signal);
  }

  /** @returns the function that gives the lock back. @throws the reason of the signal */
  takeAlone(signal?: AbortSignal): Promise<Release> {
    return this.#take(true, signal);
  }

  #take(isAlone: boolean, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const waiter: Waiting = {
        isAlone,
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          this.#holders = isAlone ? -1 : this.#holders + 1;
          resolve(this.#createRelease(isAlone));
        },
      };
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason);
        // Those behind it may share the lock now.
        this.#serve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#serve();
    });
  }

  #createRelease(isAlone: boolean): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders = isAlone ? 0 : this.#holders - 1;
      this.#serve();
    };
  }

  #serve(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || (first.isAlone ? this.#holders !== 0 : this.#holders < 0)) return;
      this.#waiting.shift();
      first.start();
    }
  }
}
