// A limit on the work that runs at the same time: each piece of work takes a permit, and returns it at its end.
//
// - Work belongs to a group, for instance a namespace or a team. A group has at most its share of the permits; groups
//   that wait take turns (fair/queue.ts), so that a group with hundreds of pieces of work delays another one only by
//   those that run.
// - A wait ends with the signal of the work. If `queue` is set, the number of waits and their time are limited too: a
//   group has at most half of the waits, and when all are used, the group with the most loses its newest one to a group
//   with fewer.
import { type Clock, realClock } from './clock.ts';
import { FairPermits } from './fair/permits.ts';
import { FairQueue } from './fair/queue.ts';

export interface LimitOptions {
  /** May be Infinity. A function is called each time; permits that are in use stay in use when the number falls. */
  readonly permits: number | (() => number);
  /** The most permits of one group. (Default: half of them if the limit is fair, otherwise all.) */
  readonly share?: number | ((group: string) => number);
  /**
   * Whether the share of a group is smaller while other groups wait or have permits (fair/permits.ts). (Default:
   * false.)
   */
  readonly isFair?: boolean;
  /**
   * Groups with a lower rank go first; those of the same rank take turns.
   * @param used permits of the group (Default: one rank.)
   */
  readonly rank?: (group: string, used: number) => number;
  /** Absent: any number of waits, for any time. */
  readonly queue?: WaitLimit;
}

export interface WaitLimit {
  readonly max: number;
  /** Milliseconds. */
  readonly waitMs: number;
  /** The error of a wait that is refused, or takes too long. */
  refuse(): Error;
  /** (Default: the system's.) */
  readonly clock?: Clock;
}

/** Returns a permit. Further calls have no effect. */
export type Release = () => void;

interface Waiting {
  readonly group: string;
  start(release: Release): void;
  fail(reason: unknown): void;
}

export class Limit {
  readonly #permits: FairPermits;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #options: LimitOptions;

  constructor(options: LimitOptions) {
    this.#options = options;
    const { permits, share, isFair = false } = options;
    this.#permits = new FairPermits(permits, isFair && typeof share === 'number' ? share : undefined);
  }

  /** Permits in use. */
  get used(): number {
    return this.#permits.total;
  }

  /** Permits in use by each group that has some. */
  usedByGroup(): Readonly<Record<string, number>> {
    return this.#permits.byGroup();
  }

  /** Whether work of the group would begin at once. */
  isFree(group: string): boolean {
    return !this.#permits.isFull() && !this.#waiting.hasGroup(group) && this.#groupMayGo()(group);
  }

  /** Whether work waits that would get the next permit. */
  isWanted(): boolean {
    return this.#waiting.next({ groupMayGo: this.#groupMayGo() }) !== undefined;
  }

  /** Takes a permit if the group would get it at once. */
  tryTake(group: string): Release | null {
    return this.isFree(group) ? this.#begin(group) : null;
  }

  /** Waits for a permit. @throws the reason of the signal; the error of `queue`, also later */
  take(group: string, signal?: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      // Work that waits may go since the number of permits has risen.
      this.#serve();
      const release = this.tryTake(group);
      if (release !== null) return resolve(release);
      const { queue } = this.#options;
      if (queue !== undefined) this.#makeRoom(group, queue);
      const end = () => {
        cancel?.();
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiting = {
        group,
        start: (permit) => {
          end();
          resolve(permit);
        },
        fail: (reason) => {
          this.#waiting.remove(waiter);
          end();
          reject(reason);
          // Without its group, the shares of others may be larger.
          this.#serve();
        },
      };
      const onAbort = () => waiter.fail(signal?.reason);
      const cancel = queue && (queue.clock ?? realClock).setTimeout(() => waiter.fail(queue.refuse()), queue.waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter, { group });
    });
  }

  /** Runs the work with a permit. @throws as take, and the error of the work */
  async run<T>(group: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.take(group, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether a group has less than its share now. */
  #groupMayGo(): (group: string) => boolean {
    const { share = Number.POSITIVE_INFINITY, isFair } = this.#options;
    const most = isFair ? this.#permits.share(this.#waiting) : share;
    return (group) => this.#permits.of(group) < (typeof most === 'number' ? most : most(group));
  }

  #begin(group: string): Release {
    this.#permits.take(group);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#permits.give(group);
      this.#serve();
    };
  }

  #serve(): void {
    const { rank } = this.#options;
    const ranks = rank && { rank: (group: string) => rank(group, this.#permits.of(group)) };
    while (!this.#permits.isFull()) {
      const next = this.#waiting.next({ groupMayGo: this.#groupMayGo(), ...ranks });
      if (next === undefined) return;
      this.#waiting.take(next);
      next.start(this.#begin(next.group));
    }
  }

  /** @throws the error of `queue` if no other group has more waits than this one would have */
  #makeRoom(group: string, { max, refuse }: WaitLimit): void {
    if (this.#waiting.sizeOf(group) >= Math.ceil(max / 2)) throw refuse();
    if (this.#waiting.size < max) return;
    const newest = this.#waiting.overflow(group);
    if (newest === undefined) throw refuse();
    newest.fail(refuse());
  }
}
