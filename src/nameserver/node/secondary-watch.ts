// Watches whether secondaries follow the source: asks each of their addresses for the serial of each zone until it is
// that of the source, and each zone again now and then.

import type { Clock } from '#base/clock.ts';
import { formatError } from '#base/error-text.ts';
import { type Following, judgeFollowing } from '#dns/secondaries/follow.ts';
import type { Endpoint } from '#dns/secondaries/secondary.ts';

export type NotCurrent = Exclude<Following, { state: 'current' }>;

export type Lag = NotCurrent & {
  readonly zone: string;
  /** When the zone was last known to be current, or became one of its zones, by the clock in ms. */
  readonly since: number;
};

interface Due {
  /** Null: not asked yet. */
  seen: NotCurrent | null;
  /** The serial of the source that is waited for. */
  serial: number;
  readonly since: number;
  tries: number;
  at: number;
}

interface WatchOptions {
  readonly clock: Clock;
  /** The serial that an address answers, or why it has none. @throws if it does not answer */
  ask(server: Endpoint, zone: string, signal: AbortSignal): Promise<{ serial: number } | { reason: string }>;
  /** A secondary has a later serial than the source, more than once in a row. */
  onAhead(zone: string, serial: number): void;
  /** A secondary that answers has not followed for some seconds: its NOTIFY was lost, or its transfer failed. */
  onLate(zone: string): void;
}

const FIRST_MS = 20;
const LONGEST_MS = 10_000;
/** Questions to one address at a time. */
const AT_ONCE = 16;
/**
 * An address that left this many questions in a row unanswered gets one question at a time, and no more than one in
 * this time.
 */
const SILENT_AFTER = 3;
const SILENT_MS = 2_000;
/** Each zone is asked for again after this time: a secondary may lose a zone that it had. */
const AGAIN_MS = 60_000;
/** Zones that are asked for again at a time; the next ones follow a second later. */
const AGAIN_AT_ONCE = 50;
const AGAIN_APART_MS = 1_000;
/** Two answers in a row may have crossed a commit. */
const AHEAD_TRIES = 3;
/** The questions up to here take about three seconds. */
const LATE_TRIES = 7;

/** One address of a secondary. */
export class SecondaryWatch {
  readonly server: Endpoint;
  readonly #options: WatchOptions;
  /** The serials of the source that the address had, and when it was asked. */
  readonly #current = new Map<string, { serial: number; at: number }>();
  readonly #due = new Map<string, Due>();
  #failures = 0;
  #silent: string | null = null;
  #silentSince = 0;
  #nextQuestion = 0;
  #nextAgain = 0;

  constructor(server: Endpoint, options: WatchOptions) {
    this.server = server;
    this.#options = options;
  }

  /** Why it does not answer; null: it does. */
  silent(): string | null {
    return this.#silent;
  }

  /** Whether it has not answered for this time. */
  isSilentFor(ms: number): boolean {
    return this.#silent !== null && this.#options.clock.now() - this.#silentSince >= ms;
  }

  lags(): Lag[] {
    const lags: Lag[] = [];
    for (const [zone, { seen, since }] of this.#due) if (seen !== null) lags.push({ ...seen, zone, since });
    return lags.sort((a, b) => a.since - b.since);
  }

  /** The zones that have a new serial, and for which no question was answered or failed since then. */
  pending(): { zone: string; since: number }[] {
    return [...this.#due].flatMap(([zone, { seen, serial, since }]) =>
      seen === null && this.#current.get(zone)?.serial !== serial ? [{ zone, since }] : [],
    );
  }

  /** Whether every zone was current at the last question. */
  isCurrent(zones: ReadonlyMap<string, number>): boolean {
    return this.#due.size === 0 && [...zones].every(([zone, serial]) => this.#current.get(zone)?.serial === serial);
  }

  count(zones: ReadonlyMap<string, number>): number {
    let current = 0;
    for (const [zone, serial] of zones) if (this.#current.get(zone)?.serial === serial) current += 1;
    return current;
  }

  /** Takes the zones of the secondary with the serials of the source; zones whose serial is new are asked for. */
  expect(zones: ReadonlyMap<string, number>): void {
    const now = this.#options.clock.now();
    for (const zone of this.#current.keys()) if (!zones.has(zone)) this.#current.delete(zone);
    for (const zone of this.#due.keys()) if (!zones.has(zone)) this.#due.delete(zone);
    let again = now < this.#nextAgain ? 0 : AGAIN_AT_ONCE;
    for (const [zone, serial] of zones) {
      const knownSerial = this.#current.get(zone);
      const dueEntry = this.#due.get(zone);
      if (knownSerial?.serial !== serial) {
        // A new serial is asked for at once, however often the one before it was asked for in vain.
        if (dueEntry === undefined) this.#due.set(zone, { seen: null, serial, since: now, tries: 0, at: now });
        else if (dueEntry.serial !== serial) Object.assign(dueEntry, { serial, tries: 0, at: now });
      } else if (dueEntry === undefined && again > 0 && now - knownSerial.at > AGAIN_MS) {
        this.#due.set(zone, { seen: null, serial, since: now, tries: 0, at: now });
        again -= 1;
        this.#nextAgain = now + AGAIN_APART_MS;
      }
    }
  }

  /** Asks for each zone that is not current as if it was new. */
  askSoon(): void {
    const now = this.#options.clock.now();
    for (const dueEntry of this.#due.values()) Object.assign(dueEntry, { tries: 0, at: now });
  }

  /** Asks what is due. @returns when it should be called again, by the clock in ms; null: nothing waits */
  async look(zones: ReadonlyMap<string, number>, signal: AbortSignal): Promise<number | null> {
    const now = this.#options.clock.now();
    const isSilent = this.#silent !== null;
    if (!isSilent || now >= this.#nextQuestion) {
      const ready = [...this.#due].filter(([, { at }]) => isSilent || at <= now).slice(0, isSilent ? 1 : AT_ONCE);
      await Promise.all(ready.map(([zone, dueEntry]) => this.#askFor(zone, dueEntry, zones.get(zone), signal)));
    }
    if (this.#due.size === 0) return null;
    if (this.#silent !== null) return this.#nextQuestion;
    return Math.min(...[...this.#due.values()].map(({ at }) => at));
  }

  async #askFor(zone: string, dueEntry: Due, ownSerial: number | undefined, signal: AbortSignal): Promise<void> {
    if (ownSerial === undefined) return;
    const { ask, clock, onAhead, onLate } = this.#options;
    try {
      const following = judgeFollowing(ownSerial, await ask(this.server, zone, signal));
      this.#failures = 0;
      this.#silent = null;
      if (following.state === 'current') {
        this.#current.set(zone, { serial: ownSerial, at: clock.now() });
        this.#due.delete(zone);
        return;
      }
      this.#current.delete(zone);
      dueEntry.seen = following;
      if (following.state === 'ahead' && dueEntry.tries >= AHEAD_TRIES) onAhead(zone, following.serial);
      if (following.state !== 'ahead' && dueEntry.tries >= LATE_TRIES) onLate(zone);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      if (this.#failures >= SILENT_AFTER) {
        if (this.#silent === null) this.#silentSince = clock.now();
        this.#silent = formatError(error);
        this.#nextQuestion = clock.now() + SILENT_MS;
      }
      dueEntry.seen = { state: 'absent', reason: formatError(error) };
    }
    dueEntry.tries += 1;
    dueEntry.at = clock.now() + Math.min(FIRST_MS * 2 ** Math.min(dueEntry.tries, 20), LONGEST_MS);
  }
}
