// Decides which of the due probes go next: owners take turns, an owner has at most its share of the probes in flight,
// and an address gets at most two probes a second, from all owners and from all that probe it.
import { FairPermits } from '../fair/permits.ts';
import { FairQueue } from '../fair/queue.ts';

/** Between two probes of one address, in ms. */
export const ADDRESS_MS = 500;

interface Due {
  owner: string;
  address: string;
}

interface LineOptions<T> {
  /** Probes in flight. */
  atOnce: number;
  /**
   * Between two probes of one address, in ms, on average. (Default: {@link ADDRESS_MS}.) Several processes that probe
   * the same addresses share the two probes a second, so each has a longer time.
   */
  apartMs?: () => number;
  /**
   * Whether a probe confirms a failure. Such a one may go {@link ADDRESS_MS} after the one before, and the next probes
   * wait for longer. Absent: no probe is one of these.
   */
  isConfirming?: (target: T) => boolean;
}

export class ProbeLines<T extends Due> {
  readonly #permits: FairPermits;
  readonly #queue = new FairQueue<T>();
  readonly #apartMs: () => number;
  readonly #isConfirming: (target: T) => boolean;
  /** When each address may be probed again, in ms. */
  readonly #freeAt = new Map<string, number>();

  constructor({ atOnce, apartMs = () => ADDRESS_MS, isConfirming = () => false }: LineOptions<T>) {
    this.#permits = new FairPermits(atOnce);
    this.#apartMs = apartMs;
    this.#isConfirming = isConfirming;
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
      mayGo: (each) => this.#mayGoAt(each) <= now,
    });
    if (target === undefined) return undefined;
    this.#queue.take(target);
    this.#permits.take(target.owner);
    const freeAt = Math.max(now, this.#freeAt.get(target.address) ?? 0);
    this.#freeAt.set(target.address, freeAt + this.#apartMs());
    return target;
  }

  #mayGoAt(target: T): number {
    const freeAt = this.#freeAt.get(target.address) ?? 0;
    return this.#isConfirming(target) ? freeAt - (this.#apartMs() - ADDRESS_MS) : freeAt;
  }

  end({ owner }: Due): void {
    this.#permits.give(owner);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Forgets the addresses that may be probed again, so that the memory is that of a few seconds. */
  forget(now: number): void {
    for (const [address, at] of this.#freeAt) if (at <= now) this.#freeAt.delete(address);
  }
}
