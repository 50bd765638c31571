// Counts the writes of a key in its window (contract L1), and changes of account routes in the window of the person.
// The caller decides which requests are writes, and the limit.
import { writesOf } from '#base/bulk-writes.ts';
import { type Bucket, returnPlaces, takePlaces, type WindowHolder } from '#store/windows.ts';
import type { Actor } from './accounts/actor.ts';
import type { ServiceContext } from './context.ts';
import { refusal } from './refusal.ts';

export type { Bucket } from '#store/windows.ts';

/**
 * Writes per window (contract L1), unless the key has its own limit; those of `account` and `sign-ins` are a person's.
 */
export const LIMITS: Readonly<Record<Bucket, number>> = { zones: 10, records: 60, account: 30, 'sign-ins': 30 };

const KINDS: Readonly<Record<Bucket, string>> = {
  zones: 'zone writes',
  records: 'record writes',
  account: 'changes of teams, members, keys and trusts',
  'sign-ins': 'sign-ins',
};
export const WINDOW_MS = 60_000;

/** An RRset is one write for each so many of its records that change. */
const RECORDS_PER_WRITE = 100;

/** The writes that the changed records of one RRset count as. */
export function placesFor(records: number): number {
  return Math.ceil(records / RECORDS_PER_WRITE);
}

/** The places that a request takes for so many records before it is judged: none if it is small. */
export function placesBefore(records: number): number {
  return Math.floor(records / RECORDS_PER_WRITE);
}

/** The places that a request took. */
export interface Counted {
  /** Gives these places back. */
  at: string;
  /** How many places of the window are left. */
  left: number;
  /** The places of the whole request so far. */
  places: number;
}

/**
 * Counts the changes of a request in the window: all or none.
 * @param changes the number of changes of the whole request; it counts as `writesOf` them
 * @param counted the places that the request took before. (Default: none.)
 * @returns null if these were enough
 * @throws Refusal rate_limited, with a time after which the whole request fits into the window; forbidden if the limit is 0
 */
export async function countWrite(
  context: ServiceContext,
  actor: Actor,
  bucket: Bucket,
  limit: number,
  changes: number,
  counted = 0,
): Promise<Counted | null> {
  if (limit < 1) throw refusal('writes-nothing', { bucket });
  const places = writesOf(changes, limit);
  if (places <= counted) return null;
  const wanted = { limit, windowMs: WINDOW_MS, places: places - counted, changes: places };
  const taken = await takePlaces(context.db, holderOfWindow(actor, bucket), bucket, wanted);
  if (taken.ok) return { at: taken.at, left: taken.left, places };
  throw refusal(
    'too-many-writes',
    { kind: KINDS[bucket], limit, seconds: WINDOW_MS / 1000 },
    { retryAfterMs: taken.retryAfterMs },
  );
}

/** Removes the writes that countWrite counted at `at`. */
export async function uncountWrite(context: ServiceContext, actor: Actor, bucket: Bucket, at: string): Promise<void> {
  await returnPlaces(context.db, holderOfWindow(actor, bucket), bucket, at);
}

/** A person has many sessions and keys: together they make no more changes of teams than one. */
function holderOfWindow({ keyId, user }: Actor, bucket: Bucket): WindowHolder {
  return bucket === 'account' && user !== null ? { userId: user.id } : { keyId };
}
