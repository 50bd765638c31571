// The rule of the brakes on mass deletion (architecture A10): a deleted CRD, an empty source or a bad prune must not
// empty the DNS. Pure.

/** So many deletions are possible at any time. */
export const MAX_ALWAYS = 20;

/** The share of all objects that may be deleted, and the lower one for the time after a start. */
const SHARE = 1 / 2;
const STARTING_SHARE = 1 / 20;
/** How long a process counts as starting, in ms. */
export const STARTING_MS = 10 * 60_000;

/**
 * Whether so many deletions are more than a user is likely to want: more than 20, and more than half of all. After a
 * start, when no process has seen the deletions: more than 20, and more than 5 % of all.
 * @param all the number of existing objects, and of those that were deleted a moment ago
 * @param deletions the number of objects to delete, and of those that were deleted a moment ago
 * @param isStarting (Default: false.)
 */
export function isMassDeletion({
  all,
  deletions,
  isStarting = false,
}: {
  all: number;
  deletions: number;
  isStarting?: boolean;
}): boolean {
  return deletions > MAX_ALWAYS && deletions > all * (isStarting ? STARTING_SHARE : SHARE);
}
