// Counts the writes of a key in its window (SPEC section 8). The caller decides which requests are writes, and the limit.
import { type Bucket, returnPlaces, takePlaces } from '#store/windows.ts';
import type { Actor } from './accounts/actor.ts';
import type { ServiceContext } from './context.ts';
import { refusal } from './refusal.ts';

export type { Bucket } from '#store/windows.ts';

/** SPEC section 8: writes per window, unless the key has its own limit. */
export const LIMITS: Readonly<Record<Bucket, number>> = { zones: 10, records: 60 };
export const WINDOW_MS = 60_000;

/**
 * Counts the changes of a request in the window: all or none.
 * @param places the number of changes to count now
 * @param changes the number of changes of the whole request, if some were counted before. (Default: `places`.)
 * @throws Refusal rate_limited, with a time after which the whole request fits into the window; bad_request if it can never fit
 */
export async function countWrite(
  context: ServiceContext,
  actor: Actor,
  bucket: Bucket,
  limit: number,
  places = 1,
  changes = places,
): Promise<{ at: string; left: number }> {
  if (changes > limit) {
    throw refusal('more-than-the-limit', { changes, limit, bucket, seconds: WINDOW_MS / 1000 });
  }
  const taken = await takePlaces(context.db, actor.keyId, bucket, { limit, windowMs: WINDOW_MS, places, changes });
  if (taken.ok) return taken;
  throw refusal(
    'too-many-writes',
    { bucket: bucket === 'zones' ? 'zone' : 'record', limit, seconds: WINDOW_MS / 1000 },
    { retryAfterMs: taken.retryAfterMs },
  );
}

/** Removes the writes that countWrite counted at `at`. */
export async function uncountWrite(context: ServiceContext, actor: Actor, bucket: Bucket, at: string): Promise<void> {
  await returnPlaces(context.db, actor.keyId, bucket, at);
}
