// The read limit of each key: a token bucket in the memory of the process, so that a read costs no statement. Every
// authenticated request that counts no write (limits.ts) is a read, for all protocols. Name servers have node keys and
// no limit: they must get through.
//
// A session of the console counts like a key of its own, so that the loop of a script does not close
// the console to its owner.
export interface ReadLimit {
  /** Counts one read of a key. @throws Refusal rate_limited, with the time after which one read is possible */
  take(keyId: string): void;
  /** Counts a large answer of a key as further reads, after it was sent. */
  charge(keyId: string, bytes: number): void;
}

export interface ReadBuckets {
  /** The reads that a key may make at once. */
  readonly burst: number;
  /** Counts one read of a key. @returns the time in ms after which one is possible, and nothing was counted; else 0 */
  take(keyId: string): number;
  /** Counts a large answer of a key as further reads, after it was sent. */
  charge(keyId: string, bytes: number): void;
}

interface Bucket {
  /** Below 0 after a large answer. */
  reads: number;
  /** When `reads` was computed, in ms. */
  at: number;
}

/** A key may make the reads of so many ms at once. */
const BURST_MS = 10_000;
const MINUTE_MS = 60_000;
/** An answer is one more read for each further so many bytes. */
const BYTES_PER_READ = 64 * 1024;
/** The bucket of the key that has not read for the longest time is forgotten beyond that; it is full by then. */
const MAX_BUCKETS = 50_000;

/** @param perMinute reads that a key may make in a minute  @param now the time in ms */
export function createReadBuckets(perMinute: number, now: () => number): ReadBuckets {
  const burst = Math.max(1, Math.floor((perMinute * BURST_MS) / MINUTE_MS));
  const perMs = perMinute / MINUTE_MS;
  const buckets = new Map<string, Bucket>();

  /** The bucket at this time, as the last one of the map. */
  const refill = (keyId: string): Bucket => {
    const at = now();
    const before = buckets.get(keyId) ?? { reads: burst, at };
    const bucket = { reads: Math.min(burst, before.reads + Math.max(0, at - before.at) * perMs), at };
    buckets.delete(keyId);
    buckets.set(keyId, bucket);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= MAX_BUCKETS) break;
      buckets.delete(oldest);
    }
    return bucket;
  };

  return {
    burst,
    take(keyId) {
      const bucket = refill(keyId);
      if (bucket.reads < 1) return (1 - bucket.reads) / perMs;
      bucket.reads -= 1;
      return 0;
    },
    charge(keyId, bytes) {
      const reads = Math.floor(bytes / BYTES_PER_READ);
      if (reads < 1) return;
      const bucket = refill(keyId);
      // A key waits at most a minute after the longest answer.
      bucket.reads = Math.max(-perMinute, bucket.reads - reads);
    },
  };
}
