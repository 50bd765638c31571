// Decides which Events are sent and which are only counted: the series of events.k8s.io/v1 and the limit for one
// object, as a state machine without I/O.
//
// A key (object, type, reason, action, note) is
//   new ──first time──▶ single ──again within 6 min──▶ series ──6 min without──▶ forgotten
// `single` is a create. Entering `series` is a patch (count 2); later repetitions only count, and are patched every 30
// minutes and at the end. A single without a repetition within 6 minutes is forgotten. (client-go tools/events.)
// In addition, one object may have 25 new events at once and then one per 5 minutes (client-go's spam filter).
import type { Clock } from '#base/clock.ts';
import { createTokens, forgetOldest } from './tokens.ts';

export interface SeriesEntry<T> {
  readonly payload: T;
  readonly name: string;
  count: number;
  lastSeen: number;
  lastSent: number;
  sentCount: number;
}

type SeriesVerdict<T> =
  | { readonly send: 'create' | 'patch'; readonly entry: SeriesEntry<T> }
  | { readonly send: 'nothing'; readonly why: 'counted' | 'too_many' };

export interface EventSeries<T> {
  /** Counts one more occurrence of `key` at `object`; `make` builds the payload and the name of a new Event. */
  see(key: string, object: string, make: () => { payload: T; name: string }): SeriesVerdict<T>;
  /**
   * To be called about once a minute: returns the series whose count must be sent now, and forgets the series that have
   * ended.
   */
  sweep(): SeriesEntry<T>[];
  /** Every series whose count was not sent yet, for the end of the process. */
  unsent(): SeriesEntry<T>[];
  /** Records that this count of the entry is on the server; the count may have grown since. */
  sent(entry: SeriesEntry<T>, count: number): void;
}

const FINISHED_MS = 6 * 60_000;
const REFRESH_MS = 30 * 60_000;
const BURST = 25;
const REFILL_MS = 5 * 60_000;

export function createEventSeries<T>(clock: Clock): EventSeries<T> {
  const entries = new Map<string, SeriesEntry<T>>();
  const takeToken = createTokens(clock, BURST, REFILL_MS);

  return {
    see: (key, object, make) => {
      const now = clock.now();
      const knownEntry = entries.get(key);
      if (knownEntry !== undefined && now - knownEntry.lastSeen < FINISHED_MS) {
        knownEntry.count++;
        knownEntry.lastSeen = now;
        return knownEntry.count === 2 ? { send: 'patch', entry: knownEntry } : { send: 'nothing', why: 'counted' };
      }
      if (!takeToken(object)) return { send: 'nothing', why: 'too_many' };
      const entry = { ...make(), count: 1, lastSeen: now, lastSent: now, sentCount: 1 };
      entries.delete(key);
      entries.set(key, entry);
      forgetOldest(entries);
      return { send: 'create', entry };
    },
    sweep: () => {
      const now = clock.now();
      const dueEntries: SeriesEntry<T>[] = [];
      for (const [key, entry] of entries) {
        const over = now - entry.lastSeen >= FINISHED_MS;
        if (over) entries.delete(key);
        if (entry.count > entry.sentCount && (over || now - entry.lastSent >= REFRESH_MS)) dueEntries.push(entry);
      }
      return dueEntries;
    },
    unsent: () => [...entries.values()].filter((entry) => entry.count > entry.sentCount),
    sent: (entry, count) => {
      entry.sentCount = count;
      entry.lastSent = clock.now();
    },
  };
}
