// Compares the clock of this machine with the clock of the api: signatures begin and end at times of the clock, so a
// wrong clock makes them invalid.
import type { Clock } from '#base/clock.ts';
import type { Logger } from '#telemetry/log.ts';

interface ApiClockOptions {
  readonly clock: Clock;
  /** The time of this machine. */
  readonly date: () => Date;
  readonly log: Logger;
}

const CLOCK_OFF_MS = 60_000;

export class ApiClock {
  readonly #options: ApiClockOptions;
  /**
   * The clock of the api, at a time of the monotonic clock: corrections of this machine's clock show in the difference.
   */
  #known: { readonly ms: number; readonly at: number } | null = null;
  #wasOff = false;

  constructor(options: ApiClockOptions) {
    this.#options = options;
  }

  /** @param ms the time of the api now, in ms since the epoch */
  tell(ms: number): void {
    this.#known = { ms, at: this.#options.clock.now() };
    this.judge();
  }

  /** By how much the clock of the api is ahead of the clock of this machine, in ms; 0 while it is not known. */
  offMs(): number {
    const { clock, date } = this.#options;
    return this.#known === null ? 0 : this.#known.ms + (clock.now() - this.#known.at) - date().getTime();
  }

  /** Logs when the clocks begin to differ, and when they agree again. */
  judge(): void {
    const { log } = this.#options;
    const off = this.offMs();
    const isOff = Math.abs(off) > CLOCK_OFF_MS;
    if (isOff && !this.#wasOff)
      log.warn(
        `the clock of this machine differs from the clock of the api by ${Math.round(off / 1000)} s. Signatures are valid at certain times only: set the clock (NTP)`,
      );
    if (!isOff && this.#wasOff) log.info('the clock of this machine agrees with the clock of the api again');
    this.#wasOff = isOff;
  }
}
