// Limits how long each of many things waits for another one before it continues on its own.
import type { Clock } from './clock.ts';

/** The limit in ms. The event that it waits for may never happen, for example because a write fails. */
const MAX_WAIT_MS = 10_000;

/** Whether the key must keep waiting. @param hasCause whether there is a cause to wait now */
export type BoundedWait = (key: string, hasCause: boolean) => boolean;

/** Remembers since when each key waits. Create one for each cause. */
export function createBoundedWait(clock: Clock): BoundedWait {
  const since = new Map<string, number>();
  return (key, hasCause) => {
    if (!hasCause) {
      since.delete(key);
      return false;
    }
    const start = since.get(key) ?? clock.now();
    since.set(key, start);
    return clock.now() - start < MAX_WAIT_MS;
  };
}
