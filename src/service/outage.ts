// The refusal for an error that means that the database cannot be used at the moment.
import { findOutage } from '#store/database.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A failover takes seconds, so a client need not wait longer before it tries again, in ms. */
const RETRY_MS = 1_000;

/**
 * Reads for the answer to a change that is committed. An outage of the database must not be answered as one before the
 * change, which says that nothing was written.
 * @throws Refusal outcome-unknown
 */
export async function readAfterChange<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (findOutage(error) === null) throw error;
    throw refusal('outcome-unknown', {}, { retryAfterMs: RETRY_MS });
  }
}

/** @returns null for an error that is not an outage of the database */
export function toOutageRefusal(error: unknown): Refusal | null {
  const writeState = findOutage(error);
  if (writeState === null) return null;
  return refusal(writeState === 'unknown' ? 'outcome-unknown' : 'database-away', {}, { retryAfterMs: RETRY_MS });
}
