// Token buckets, one per key: a burst at once, then a steady rate.
import type { Clock } from '#base/clock.ts';

/**
 * The number of remembered keys. A forgotten key is the one that was not used for the longest time, so its bucket is
 * almost full.
 */
const MAX_KEYS = 4_096;

/** Takes a token of the key's bucket, which begins full; false when it is empty. */
export type TakeToken = (key: string) => boolean;

/** @param refillMs the time after which one token returns */
export function createTokens(clock: Clock, burst: number, refillMs: number): TakeToken {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (key) => {
    const now = clock.now();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs);
    // Deleting and inserting moves the key to the end of the map, so the first key is the least recently used.
    buckets.delete(key);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    forgetOldest(buckets);
    return tokens >= 1;
  };
}

export function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= MAX_KEYS) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
