// A number of permits that groups share: workers, or requests in flight. A group has at most its share, as if one more
// group were there, so that a group that comes finds a free permit.
import type { FairQueue } from './queue.ts';

export class FairPermits {
  readonly #limit: () => number;
  readonly #alone: number;
  readonly #used = new Map<string, number>();
  #total = 0;

  /**
   * @param permits may be Infinity: then no group is limited. A function is called each time; permits that are in use
   * stay in use when the number falls
   * @param alone the most permits of a single group, also if no other is there (Default: half of them.)
   */
  constructor(permits: number | (() => number), alone?: number) {
    this.#limit = typeof permits === 'number' ? () => permits : permits;
    this.#alone = alone ?? Math.max(1, Math.floor(this.#limit() / 2));
  }

  /** Permits in use. */
  get total(): number {
    return this.#total;
  }

  isFull(): boolean {
    return this.#total >= this.#limit();
  }

  of(group: string): number {
    return this.#used.get(group) ?? 0;
  }

  /** The permits in use by each group that has some. */
  byGroup(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#used);
  }

  /** Takes a permit; the caller asks {@link share} and {@link isFull} before. */
  take(group: string): void {
    this.#used.set(group, this.of(group) + 1);
    this.#total += 1;
  }

  /** Gives a permit back. */
  give(group: string): void {
    const rest = this.of(group) - 1;
    if (rest < 0) return;
    if (rest > 0) this.#used.set(group, rest);
    else this.#used.delete(group);
    this.#total -= 1;
  }

  /** The permits that one group may have while these groups wait, at least 1. */
  share(waiting: Pick<FairQueue<unknown>, 'groups' | 'hasGroup'>): number {
    const permits = this.#limit();
    if (permits === Number.POSITIVE_INFINITY) return permits;
    let active = waiting.groups;
    for (const group of this.#used.keys()) if (!waiting.hasGroup(group)) active += 1;
    if (active <= 1) return this.#alone;
    return Math.max(1, Math.min(this.#alone, Math.floor(permits / (active + 1))));
  }
}
