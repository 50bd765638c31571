// A clock that only moves when a test advances it. Timers run in the order of their time, each at its own `now`.
import type { Clock } from '#base/clock.ts';

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

export class FakeClock implements Clock {
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  setTimeout(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + Math.max(ms, 0), fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How far away each timer is, nearest first, in ms. */
  timers(): number[] {
    return [...this.#timers].map((timer) => timer.at - this.#now).sort((a, b) => a - b);
  }

  /** Lets `ms` pass; work that a timer starts may run to its next wait before the next timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      this.#timers.delete(next);
      next.fn();
      await settle();
    }
    this.#now = end;
  }
}

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
