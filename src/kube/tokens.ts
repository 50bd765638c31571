// Token buckets, one a key: so many at once, then one at a time. It must not know what is let through.
import type { Clock } from './clock.ts';

/** Keys remembered; of the others nobody has asked for the longest time, so their buckets are about full. */
export const MOST_KEYS = 4_096;

/** Takes a token of the key's bucket, which begins full; false when it is empty. */
export type TakeToken = (key: string) => boolean;

/** @param refillMs for one token */
export function createTokens(clock: Clock, burst: number, refillMs: number): TakeToken {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (key) => {
    const now = clock.now();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs);
    // Out and in again: the map's order becomes the order of use, so the first key is the one to let go.
    buckets.delete(key);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    forgetOldest(buckets);
    return tokens >= 1;
  };
}

export function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= MOST_KEYS) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
