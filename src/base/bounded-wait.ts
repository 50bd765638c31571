// Limits how long each of many things waits for another one before it continues on its own.
import type { Clock } from './clock.ts';

/** The limit in ms. The event that it waits for may never happen, for example because a write fails. */
const MAX_WAIT_MS = 10_000;
/** A key that no caller asks about for this long, in ms, is forgotten: the thing that waited no longer exists. */
const FORGET_MS = 60 * 60_000;

/** Whether the key must keep waiting. @param hasCause whether there is a cause to wait now */
export type BoundedWait = (key: string, hasCause: boolean) => boolean;

/** Remembers since when each key waits. Create one for each cause. */
export function createBoundedWait(clock: Clock): BoundedWait {
  const waits = new Map<string, { since: number; askedAt: number }>();
  let sweptAt = clock.now();
  return (key, hasCause) => {
    const now = clock.now();
    if (now - sweptAt >= FORGET_MS) {
      for (const [other, { askedAt }] of waits) if (now - askedAt >= FORGET_MS) waits.delete(other);
      sweptAt = now;
    }
    if (!hasCause) {
      waits.delete(key);
      return false;
    }
    const lastWait = waits.get(key);
    const since = lastWait !== undefined && now - lastWait.askedAt < FORGET_MS ? lastWait.since : now;
    waits.set(key, { since, askedAt: now });
    return now - since < MAX_WAIT_MS;
  };
}
