// A number of places that groups share: workers, or requests in flight. A group has at most its share, as if one more group were
// there, so that a group that comes finds a free place.
import type { FairQueue } from './queue.ts';

export class FairPlaces {
  readonly #limit: () => number;
  readonly #alone: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /**
   * @param places may be Infinity: then no group is limited. A function is asked each time; places that are taken stay taken when
   * the number falls
   * @param alone the most places of a single group, also if no other is there (Default: half of them.)
   */
  constructor(places: number | (() => number), alone?: number) {
    this.#limit = typeof places === 'number' ? () => places : places;
    this.#alone = alone ?? Math.max(1, Math.floor(this.#limit() / 2));
  }

  /** Places that are taken. */
  get total(): number {
    return this.#total;
  }

  isFull(): boolean {
    return this.#total >= this.#limit();
  }

  of(group: string): number {
    return this.#taken.get(group) ?? 0;
  }

  /** Takes a place; the caller asks {@link share} and {@link isFull} before. */
  take(group: string): void {
    this.#taken.set(group, this.of(group) + 1);
    this.#total += 1;
  }

  /** Gives a place back. */
  give(group: string): void {
    const rest = this.of(group) - 1;
    if (rest < 0) return;
    if (rest > 0) this.#taken.set(group, rest);
    else this.#taken.delete(group);
    this.#total -= 1;
  }

  /** The places that one group may have while these groups wait, at least 1. */
  share(waiting: Pick<FairQueue<unknown>, 'groups' | 'hasGroup'>): number {
    const places = this.#limit();
    if (places === Number.POSITIVE_INFINITY) return places;
    let active = waiting.groups;
    for (const group of this.#taken.keys()) if (!waiting.hasGroup(group)) active += 1;
    if (active <= 1) return this.#alone;
    return Math.max(1, Math.min(this.#alone, Math.floor(places / (active + 1))));
  }
}
