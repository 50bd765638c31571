// Writers of one zone wait here, in order of arrival, before they take a database connection: otherwise a busy zone's
// waiting writers would hold every connection, and other zones would starve. Between replicas the row lock decides.
import { Refusal } from './refusal.ts';

export interface ZoneQueue {
  /**
   * Runs `work` when all earlier work of this zone is done.
   * @param work gets how long it waited, in ms
   * @throws Refusal busy when its turn did not come in time; `work` was then not started
   */
  run<T>(zoneId: string, work: (waitedMs: number) => Promise<T>): Promise<T>;
  /** Whether somebody is at work, so that `run` would wait. */
  isBusy(zoneId: string): boolean;
}

export const BUSY_RETRY_MS = 1_000;

export function busy(): Refusal {
  return new Refusal(
    'busy',
    'The zone is busy with another change. Nothing was written; try again in a moment.',
    BUSY_RETRY_MS,
  );
}

interface Waiter {
  start(): void;
}

/** @param patienceMs how long a writer waits for its turn */
export function createZoneQueue(patienceMs: number, now: () => number = () => performance.now()): ZoneQueue {
  // An entry means: somebody of this zone is at work; the array holds who comes after.
  const zones = new Map<string, Waiter[]>();

  function leave(zoneId: string, waiting: Waiter[]): void {
    const next = waiting.shift();
    if (next) next.start();
    else zones.delete(zoneId);
  }

  function turn(zoneId: string): Promise<void> {
    const waiting = zones.get(zoneId);
    if (!waiting) {
      zones.set(zoneId, []);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        const at = waiting.indexOf(waiter);
        if (at >= 0) waiting.splice(at, 1);
        reject(busy());
      }, patienceMs);
      waiting.push(waiter);
    });
  }

  return {
    isBusy: (zoneId) => zones.has(zoneId),
    async run(zoneId, work) {
      const since = now();
      await turn(zoneId);
      try {
        return await work(now() - since);
      } finally {
        leave(zoneId, zones.get(zoneId) ?? []);
      }
    },
  };
}
