// Counting writes against a key's window (SPEC section 8). What is a write, and which limit holds, the caller says.
import { type Bucket, returnPlaces, takePlaces } from '../store/windows.ts';
import type { Actor } from './actor.ts';
import type { House } from './change.ts';
import { Refusal } from './refusal.ts';

export type { Bucket } from '../store/windows.ts';

/** SPEC section 8: writes per window when a key has no number of its own. */
export const LIMITS: Readonly<Record<Bucket, number>> = { zones: 10, records: 60 };
export const WINDOW_MS = 60_000;

/**
 * Takes a place in the window for each change of a request, all or none.
 * @throws Refusal rate_limited, with a wait that is true; bad_request when no wait could help
 */
export async function countWrite(
  house: House,
  actor: Actor,
  bucket: Bucket,
  limit: number,
  places = 1,
): Promise<{ at: string; left: number }> {
  if (places > limit) {
    throw new Refusal(
      'bad_request',
      `These are ${places} changes, and this key may write ${limit} ${bucket} in ${WINDOW_MS / 1000} seconds; send at most ${limit} at once, or use a key with a higher limit.`,
    );
  }
  const taken = await takePlaces(house.db, actor.keyId, bucket, { limit, windowMs: WINDOW_MS, places });
  if (taken.ok) return taken;
  throw new Refusal(
    'rate_limited',
    `Too many ${bucket === 'zones' ? 'zone' : 'record'} writes: ${limit} in ${WINDOW_MS / 1000} seconds are allowed. Slow down and try again after Retry-After.`,
    taken.retryAfterMs,
  );
}

/** Gives the places back. */
export async function uncountWrite(house: House, actor: Actor, bucket: Bucket, at: string): Promise<void> {
  await returnPlaces(house.db, actor.keyId, bucket, at);
}
