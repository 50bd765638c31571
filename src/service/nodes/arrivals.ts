// The requests that wait until all living nodes have a change. One loop for all requests of the process reads the
// reports of nodes: at once after a report to this process, otherwise every 100 ms, because other replicas get reports
// too. While no request waits, it reads nothing. A waiting request holds no database connection. Teams share the
// places: when all are taken, the team with the most of them loses its oldest one to a team that has fewer.
import type { Clock } from '#base/clock.ts';
import { Waker } from '#base/waker.ts';
import type { LivingRow } from '#store/nodes.ts';
import { judgeInstance } from './instance.ts';

export interface Arrival {
  zoneId: string;
  /** The transactions that a node must have. */
  xids: readonly bigint[];
  /** The team or person that asks; see holderOf. */
  holder: string;
  /** 0: does not wait. */
  waitMs: number;
}

export interface Arrivals {
  /**
   * The living instances as soon as each has the transactions, apart from those that are starting, or at the limit.
   * Returns sooner if too many requests wait, and when the process exits.
   * @throws an error of the database; the reason of the signal
   */
  until(arrival: Arrival, signal: AbortSignal): Promise<readonly LivingRow[]>;
  /** A node reported to this process. */
  reported(): void;
  /** Answers all waiting requests. */
  close(): Promise<void>;
}

interface Waiting extends Arrival {
  /** @param rows null: they are read again */
  resolve(rows: readonly LivingRow[] | null): void;
  reject(error: unknown): void;
}

interface ArrivalsOptions {
  read(): Promise<readonly LivingRow[]>;
  clock: Clock;
  /** The requests that may wait, in the process and for one holder. (Default: 2,000 and 500.) */
  most?: { total: number; holder: number };
}

const POLL_MS = 100;
/** The least time between two reads. */
const APART_MS = 5;
const MAX = { total: 2_000, holder: 500 };

export function createArrivals(options: ArrivalsOptions): Arrivals {
  return new NodeArrivals(options);
}

class NodeArrivals implements Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #most: NonNullable<ArrivalsOptions['most']>;
  readonly #waiting = new Set<Waiting>();
  readonly #stop = new AbortController();
  readonly #waker = new Waker();
  #running: Promise<void> | null = null;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#most = options.most ?? MAX;
  }

  async until(arrival: Arrival, signal: AbortSignal): Promise<readonly LivingRow[]> {
    const { read, clock } = this.#options;
    signal.throwIfAborted();
    if (!this.#takePlace(arrival)) return read();
    const { promise, resolve, reject } = Promise.withResolvers<readonly LivingRow[] | null>();
    const each: Waiting = { ...arrival, resolve, reject };
    const cancel = clock.setTimeout(() => resolve(null), arrival.waitMs);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(each);
    this.#start();
    try {
      return (await promise) ?? (await read());
    } finally {
      this.#waiting.delete(each);
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  reported(): void {
    if (this.#waiting.size > 0) this.#waker.wake();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #end(some: Iterable<Waiting>, how: (each: Waiting) => void): void {
    for (const each of some) {
      this.#waiting.delete(each);
      how(each);
    }
  }

  async #run(): Promise<void> {
    const { read, clock } = this.#options;
    while (this.#waiting.size > 0) {
      const waiters = [...this.#waiting];
      try {
        const rows = await read();
        const arrivedWaiters = this.#stop.signal.aborted
          ? waiters
          : [...this.#waiting].filter((each) => hasArrived(rows, each));
        this.#end(arrivedWaiters, ({ resolve }) => resolve(rows));
      } catch (error) {
        this.#end(waiters, ({ reject }) => reject(error));
      }
      if (this.#waiting.size === 0) return;
      await this.#pause(APART_MS);
      if (!this.#stop.signal.aborted) await this.#waker.wait(clock, POLL_MS - APART_MS, this.#stop.signal);
    }
  }

  #pause(ms: number) {
    const { clock } = this.#options;
    return new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  }

  #start(): void {
    this.#waker.wake();
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#waiting.size > 0) this.#start();
    });
  }

  #heldBy(holder: string): Waiting[] {
    return [...this.#waiting].filter((each) => each.holder === holder);
  }

  /** Whether the request may wait. It takes the place of another one if it must. */
  #takePlace({ waitMs, holder }: Arrival): boolean {
    if (waitMs <= 0 || this.#stop.signal.aborted) return false;
    const ownCount = this.#heldBy(holder).length;
    if (ownCount >= this.#most.holder) return false;
    if (this.#waiting.size < this.#most.total) return true;
    const [largest] = [...Map.groupBy(this.#waiting, (each) => each.holder).values()].sort(
      (a, b) => b.length - a.length,
    );
    if (largest === undefined || largest.length <= ownCount + 1) return false;
    // Its answer shows the nodes as they are now, as at the end of its wait.
    this.#end(largest.slice(0, 1), ({ resolve }) => resolve(null));
    return true;
  }
}

function hasArrived(rows: readonly LivingRow[], { zoneId, xids }: Arrival): boolean {
  return rows.every((row) => judgeInstance(row, zoneId, xids).state !== 'behind');
}
