// The refusal for an error that means that the database cannot be used at the moment.
import { findOutage } from '#store/database.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A failover takes seconds, so a client need not wait longer before it tries again, in ms. */
const RETRY_MS = 1_000;

/** @returns null for an error that is not an outage of the database */
export function toOutageRefusal(error: unknown): Refusal | null {
  const writeState = findOutage(error);
  if (writeState === null) return null;
  return refusal(writeState === 'unknown' ? 'outcome-unknown' : 'database-away', {}, { retryAfterMs: RETRY_MS });
}
