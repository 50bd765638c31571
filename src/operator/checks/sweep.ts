// Deletes the checks of this cluster that no DNSRecord needs any more. The service refuses that while records name the
// check, so nothing depends on the order of a release and a deletion, and a deletion that was lost is made up for: a
// check that no object needs is found in every list.
//
//     needed → leftover → deleted
//                 ↓ ↑
//                waits     its records remain, for example with deletionPolicy Retain; the waits grow
import type { Clock } from '#base/clock.ts';
import { isAbsent } from '#client/errors.ts';

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 10 * 60_000;

export class Leftovers {
  readonly #clock: Clock;
  readonly #waits = new Map<string, { at: number; ms: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records were released: a check that waits for that is tried again. */
  releasedAny(): void {
    this.#waits.clear();
  }

  /** Whether a deletion is due, or becomes due without a new list. */
  isAnyDue(): boolean {
    return [...this.#waits.values()].some(({ at }) => at <= this.#clock.now());
  }

  /**
   * @param names all leftovers
   * @param isNeeded asked right before each deletion, because an object may have come back
   */
  async remove(
    names: readonly string[],
    isNeeded: (name: string) => boolean,
    remove: (name: string) => Promise<unknown>,
  ): Promise<void> {
    const left = new Set(names);
    for (const name of this.#waits.keys()) if (!left.has(name)) this.#waits.delete(name);
    for (const name of names) {
      const wait = this.#waits.get(name);
      if (isNeeded(name) || (wait !== undefined && wait.at > this.#clock.now())) continue;
      const isRemoved = await remove(name).then(() => true, isAbsent);
      if (isRemoved) this.#waits.delete(name);
      else {
        const ms = Math.min(LONGEST_WAIT_MS, 2 * (wait?.ms ?? FIRST_WAIT_MS / 2));
        this.#waits.set(name, { at: this.#clock.now() + ms, ms });
      }
    }
  }
}
