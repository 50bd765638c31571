// Decides which of the due probes go next: owners take turns, an owner has at most its share of the probes in flight,
// and an address gets at most two probes a second, from all owners together.
import { FairPermits } from '#base/fair/permits.ts';
import { FairQueue } from '#base/fair/queue.ts';

/** Between two probes of one address, in ms. */
export const ADDRESS_MS = 500;

interface Due {
  owner: string;
  address: string;
}

export class ProbeLines<T extends Due> {
  readonly #permits: FairPermits;
  readonly #queue = new FairQueue<T>();
  /** When each address may be probed again, in ms. */
  readonly #freeAt = new Map<string, number>();

  /** @param atOnce probes in flight */
  constructor(atOnce: number) {
    this.#permits = new FairPermits(atOnce);
  }

  /** Puts a target behind the others of its owner; one that waits already stays. */
  add(target: T): void {
    if (!this.#queue.has(target)) this.#queue.add(target, { group: target.owner, line: target.address });
  }

  remove(target: T): void {
    this.#queue.remove(target);
  }

  /** The next target that may be probed now; the caller calls {@link end} when the probe has ended. */
  take(now: number): T | undefined {
    if (this.#permits.isFull()) return undefined;
    const share = this.#permits.share(this.#queue);
    const target = this.#queue.next({
      groupMayGo: (owner) => this.#permits.of(owner) < share,
      mayGo: ({ address }) => (this.#freeAt.get(address) ?? 0) <= now,
    });
    if (target === undefined) return undefined;
    this.#queue.take(target);
    this.#permits.take(target.owner);
    this.#freeAt.set(target.address, now + ADDRESS_MS);
    return target;
  }

  end({ owner }: Due): void {
    this.#permits.give(owner);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Forgets the addresses that may be probed again, so that the memory is that of half a second. */
  forget(now: number): void {
    for (const [address, at] of this.#freeAt) if (at <= now) this.#freeAt.delete(address);
  }
}
