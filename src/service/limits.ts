// Counts the writes of a key in its window (contract L1), and changes of account routes in the window of the person.
// The caller decides which requests are writes, and the limit. A large request counts as `countBulkWrites` its changes.
import { BUCKETS, type Bucket } from '#base/buckets.ts';
import { countBulkWrites } from '#base/bulk-writes.ts';
import { returnPlaces, takePlaces, type WindowHolder } from '#store/windows.ts';
import type { Actor } from './accounts/actor.ts';
import type { WriteBudget } from './change/write-budget.ts';
import type { ServiceContext } from './context.ts';
import { Refusal, refusal } from './refusal.ts';

/** An RRset is one write for each so many of its records that change. */
const RECORDS_PER_WRITE = 100;

/** The writes that the changed records of one RRset count as. */
export function writesForRecords(records: number): number {
  return Math.ceil(records / RECORDS_PER_WRITE);
}

/** The writes that a request with so many records counts before it is judged: none if it is small. */
export function writesBeforeJudging(records: number): number {
  return Math.floor(records / RECORDS_PER_WRITE);
}

/** The writes of one request in the window of its key. */
export interface WindowBudget extends WriteBudget {
  /** How many writes the window allowed after the last count; null: nothing was counted. */
  left: number | null;
  /** Removes the writes of the request from the window, because it wrote nothing. */
  giveBack(): Promise<void>;
}

/** The writes of one request in the two windows of records. */
export interface RecordBudget extends WindowBudget {
  readonly windows: Readonly<Record<'records' | 'challenges', WindowBudget>>;
}

/**
 * Counts the writes of a request in a window: all or none.
 * @param limit writes per window
 */
export function openBudget(
  { db }: Pick<ServiceContext, 'db'>,
  holder: WindowHolder,
  bucket: Bucket,
  limit: number,
): WindowBudget {
  const { windowMs, kind } = BUCKETS[bucket];
  const times: string[] = [];
  const budget: WindowBudget = {
    counted: 0,
    left: null,
    /**
     * @throws Refusal rate_limited, with a time after which the whole request fits into the window; forbidden if the
     * limit is 0
     */
    async count(writes) {
      if (limit < 1) throw refusal('writes-nothing', { bucket });
      const places = countBulkWrites(writes, limit);
      if (places <= budget.counted) return;
      const placeRequest = { limit, windowMs, places: places - budget.counted, changes: places };
      const takeResult = await takePlaces(db, holder, bucket, placeRequest);
      if (!takeResult.ok) {
        const { retryAfterMs } = takeResult;
        throw refusal('too-many-writes', { kind, limit, seconds: windowMs / 1000 }, { retryAfterMs });
      }
      times.push(takeResult.at);
      budget.left = takeResult.left;
      budget.counted = places;
    },
    async giveBack() {
      const taken = times.splice(0);
      budget.counted = 0;
      await Promise.all(taken.map((at) => returnPlaces(db, holder, bucket, at)));
    },
  };
  return budget;
}

/**
 * The budget of a request that writes records: as many of its writes as it names challenges count in their window, and
 * the others in that of records. Both have the limit of the key.
 * @param challenges how many of the records of the request are those of challenges
 */
export function openRecordBudget(
  context: Pick<ServiceContext, 'db'>,
  actor: Actor,
  limit: number,
  challenges: number,
): RecordBudget {
  const open = (bucket: Bucket) => openBudget(context, windowHolder(actor, bucket), bucket, limit);
  const windows = { records: open('records'), challenges: open('challenges') };
  const both = [windows.records, windows.challenges] as const;
  const budget: RecordBudget = {
    windows,
    counted: 0,
    left: null,
    async count(writes) {
      const own = Math.min(writes, challenges);
      if (own > 0) await windows.challenges.count(own);
      try {
        if (writes > own) await windows.records.count(writes - own);
      } catch (error) {
        // A request that is refused takes no place in either window.
        if (own > 0 && error instanceof Refusal) await windows.challenges.giveBack();
        throw error;
      }
      budget.counted = Math.max(budget.counted, writes);
      budget.left = (own === writes ? windows.challenges : windows.records).left;
    },
    async giveBack() {
      await Promise.all(both.map((each) => each.giveBack()));
    },
  };
  return budget;
}

/** A person has many sessions and keys: together they make no more changes of teams than one. */
export function windowHolder({ keyId, user }: Actor, bucket: Bucket): WindowHolder {
  return BUCKETS[bucket].holder === 'person' && user !== null ? { userId: user.id } : { keyId };
}
