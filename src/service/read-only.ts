// A service that takes no changes for a time: while a person examines damaged data, while the database
// moves, or after a restore. Reads, DNS answers and the feed continue, and the rounds of the service change nothing.
import type { ServiceContext } from './context.ts';
import { refusal } from './refusal.ts';

/** A person ends the pause, so clients need not ask often, in ms. */
const RETRY_MS = 60_000;

/** @throws Refusal read-only, if the service takes no changes */
export function mustTakeChanges({ readOnly }: Pick<ServiceContext, 'readOnly'>): void {
  if (readOnly !== undefined) throw refusal('read-only', { reason: readOnly }, { retryAfterMs: RETRY_MS });
}
