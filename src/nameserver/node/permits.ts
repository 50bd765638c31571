// Permits for work at the name server: at most four zones at once, because Knot gains little from more and refuses connections
// beyond eight. Bulk never takes the last permit, so a small change waits for at most one small change.

const PERMITS = 4;
const BULK_PERMITS = 3;

type Lane = 'small' | 'bulk';

export interface Permits {
  /** Whether a small change would get a permit at once. */
  isFree(): boolean;
  /** Runs the work when its turn comes. @throws the reason of the signal; the error of the work */
  run<T>(lane: Lane, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createPermits(): Permits {
  const taken = { small: 0, bulk: 0 };
  const waiting: Record<Lane, Set<() => void>> = { small: new Set(), bulk: new Set() };
  const isFree = () => taken.small + taken.bulk < PERMITS;

  const next = (): void => {
    for (const lane of ['small', 'bulk'] as const) {
      for (const begin of waiting[lane]) {
        if (!isFree() || (lane === 'bulk' && taken.bulk >= BULK_PERMITS)) break;
        waiting[lane].delete(begin);
        taken[lane] += 1;
        begin();
      }
    }
  };

  return {
    isFree: () => isFree() && waiting.small.size === 0,
    run: async (lane, work, signal) => {
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const begin = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = () => {
          waiting[lane].delete(begin);
          reject(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting[lane].add(begin);
        next();
      });
      try {
        return await work();
      } finally {
        taken[lane] -= 1;
        next();
      }
    },
  };
}
