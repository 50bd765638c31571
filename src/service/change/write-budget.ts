// The writes that a request counts in the write window of its key. Only a request that was judged knows which of its
// sets or RRsets write something, so it counts them then, before anything is written. A large request counts some
// before it is judged.

/** The writes of one request. */
export interface WriteBudget {
  /** How many were counted so far. */
  counted: number;
  /** Counts the request as so many writes in total. @throws Refusal rate_limited, bad_request */
  count(writes: number): Promise<void>;
}

/**
 * @param budget null: the writes were counted before, or are not limited.
 * @throws Refusal rate_limited
 */
export async function countWrites(budget: WriteBudget | null, writes: number): Promise<void> {
  if (budget === null || writes <= budget.counted) return;
  await budget.count(writes);
  budget.counted = writes;
}
