// Limits the calls that run at the same time; groups take turns. Otherwise a group with hundreds of calls would make the single
// call of another group wait behind all of them.
import type { FairPlaces } from './places.ts';
import { FairQueue } from './queue.ts';

/** Runs the work when its turn comes. @throws the error of the work; the signal's reason when it aborts first */
export type TakeTurn = <T>(group: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param places limits all calls together, and those of one group */
export function createTurns(places: FairPlaces): TakeTurn {
  const waiting = new FairQueue<() => void>();

  const serve = (): void => {
    while (!places.isFull()) {
      const share = places.share(waiting);
      const start = waiting.next({ groupMayGo: (group) => places.of(group) < share });
      if (start === undefined) return;
      waiting.take(start);
      start();
    }
  };

  const turn = (group: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        waiting.remove(start);
        reject(signal?.reason);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        places.take(group);
        resolve();
      };
      waiting.add(start, { group });
      signal?.addEventListener('abort', onAbort, { once: true });
      serve();
    });

  return async (group, work, signal) => {
    await turn(group, signal);
    try {
      return await work();
    } finally {
      places.give(group);
      serve();
    }
  };
}
