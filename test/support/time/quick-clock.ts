// A clock for programs with real connections: faster than the real one, and it can jump.
import { type Clock, realClock } from '#base/clock.ts';

export class QuickClock implements Clock {
  readonly #speed: number;
  #jumped = 0;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return realClock.now() * this.#speed + this.#jumped;
  }

  setTimeout(fn: () => void, ms: number): () => void {
    return realClock.setTimeout(fn, ms / this.#speed);
  }

  /** Timers keep their real time. */
  jump(ms: number): void {
    this.#jumped += ms;
  }
}
