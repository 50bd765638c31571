// Limits the calls to the API server that run at the same time; namespaces take turns. Otherwise a namespace with
// hundreds of objects to write would make the single write of another namespace wait behind all of them.
import type { KubeApi } from './api.ts';

/** Runs the work when its turn comes. @throws the signal's reason when it aborts first */
type TakeTurn = <T>(group: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param places the number of calls that run at the same time */
export function createTurns(places: number): TakeTurn {
  // The order of the map is the round robin: a group that was served goes to the end.
  const waiting = new Map<string, Set<() => void>>();
  let running = 0;

  const next = (): void => {
    for (const [group, starts] of waiting) {
      if (running >= places) return;
      const start = starts.values().next().value as () => void;
      starts.delete(start);
      waiting.delete(group);
      if (starts.size > 0) waiting.set(group, starts);
      running += 1;
      start();
    }
  };

  const turn = (group: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const starts = waiting.get(group) ?? new Set();
      const onAbort = () => {
        starts.delete(start);
        if (starts.size === 0 && waiting.get(group) === starts) waiting.delete(group);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      waiting.set(group, starts.add(start));
      signal?.addEventListener('abort', onAbort, { once: true });
      next();
    });

  return async (group, work, signal) => {
    await turn(group, signal);
    try {
      return await work();
    } finally {
      running -= 1;
      next();
    }
  };
}

/** The same calls; a call about one object waits for its namespace's turn. */
export function inTurns(api: KubeApi, take: TakeTurn): KubeApi {
  return {
    ...api,
    get: (type, at, signal) => take(at.namespace ?? '', () => api.get(type, at, signal), signal) as never,
    applyStatus: (type, object, options, signal) =>
      take(object.metadata.namespace ?? '', () => api.applyStatus(type, object, options, signal), signal) as never,
    merge: (type, at, patch, options, signal) =>
      take(at.namespace ?? '', () => api.merge(type, at, patch, options, signal), signal) as never,
  };
}
