// A number of places that waiting work takes in the order of its arrival.

export interface Slots {
  /** Waits for a place. @returns a function that releases it @throws the signal's reason */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(total: number): Slots {
  let free = total;
  const waiting = new Set<() => void>();
  const give = () => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free -= 1;
          return resolve(give);
        }
        const onAbort = () => {
          waiting.delete(start);
          reject(signal.reason);
        };
        const start = () => {
          signal.removeEventListener('abort', onAbort);
          resolve(give);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.add(start);
      }),
  };
}
