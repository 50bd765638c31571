// The requests that wait until all living nodes have a change. One loop for all requests of the process reads the reports of nodes:
// at once after a report to this process, otherwise every 100 ms, because other replicas get reports too. While nobody waits, it
// reads nothing. A waiting request holds no database connection. Teams share the places: when all are taken, the team with the
// most of them loses its oldest one to a team that has fewer.
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
   * The living instances as soon as each has the transactions, apart from those that are starting, or at the limit. Returns
   * sooner if too many requests wait, and when the process exits. @throws an error of the database; the reason of the signal
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
const MOST = { total: 2_000, holder: 500 };

export function createArrivals({ read, clock, most = MOST }: ArrivalsOptions): Arrivals {
  const waiting = new Set<Waiting>();
  const stop = new AbortController();
  const waker = new Waker();
  let running: Promise<void> | null = null;

  function end(some: Iterable<Waiting>, how: (each: Waiting) => void): void {
    for (const each of some) {
      waiting.delete(each);
      how(each);
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const asked = [...waiting];
      try {
        const rows = await read();
        const done = stop.signal.aborted ? asked : [...waiting].filter((each) => hasArrived(rows, each));
        end(done, ({ resolve }) => resolve(rows));
      } catch (error) {
        end(asked, ({ reject }) => reject(error));
      }
      if (waiting.size === 0) return;
      await pause(APART_MS);
      if (!stop.signal.aborted) await waker.wait(clock, POLL_MS - APART_MS, stop.signal);
    }
  }

  const pause = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));

  function start(): void {
    waker.wake();
    running ??= run().finally(() => {
      running = null;
      if (waiting.size > 0) start();
    });
  }

  function heldBy(holder: string): Waiting[] {
    return [...waiting].filter((each) => each.holder === holder);
  }

  /** Whether the request may wait. It takes the place of another one if it must. */
  function takePlace({ waitMs, holder }: Arrival): boolean {
    if (waitMs <= 0 || stop.signal.aborted) return false;
    const own = heldBy(holder).length;
    if (own >= most.holder) return false;
    if (waiting.size < most.total) return true;
    const [largest] = [...Map.groupBy(waiting, (each) => each.holder).values()].sort((a, b) => b.length - a.length);
    if (largest === undefined || largest.length <= own + 1) return false;
    // Its answer shows the nodes as they are now, as at the end of its wait.
    end(largest.slice(0, 1), ({ resolve }) => resolve(null));
    return true;
  }

  return {
    until: async (arrival, signal) => {
      signal.throwIfAborted();
      if (!takePlace(arrival)) return read();
      const { promise, resolve, reject } = Promise.withResolvers<readonly LivingRow[] | null>();
      const each: Waiting = { ...arrival, resolve, reject };
      const cancel = clock.setTimeout(() => resolve(null), arrival.waitMs);
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(each);
      start();
      try {
        return (await promise) ?? (await read());
      } finally {
        waiting.delete(each);
        cancel();
        signal.removeEventListener('abort', onAbort);
      }
    },
    reported: () => {
      if (waiting.size > 0) waker.wake();
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

function hasArrived(rows: readonly LivingRow[], { zoneId, xids }: Arrival): boolean {
  return rows.every((row) => judgeInstance(row, zoneId, xids).state !== 'behind');
}
