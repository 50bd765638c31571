// The rule of the brakes on mass deletion (architecture A10): a deleted CRD, an empty source or a bad prune must not
// empty the DNS. Pure.

/** So many deletions are possible at any time. */
export const MAX_ALWAYS = 20;

/**
 * Whether so many deletions are more than a user is likely to want: more than 20, and more than half of all.
 * @param all the number of existing objects, and of those that were deleted a moment ago
 * @param deletions the number of objects to delete, and of those that were deleted a moment ago
 */
export function isMassDeletion({ all, deletions }: { all: number; deletions: number }): boolean {
  return deletions > MAX_ALWAYS && deletions > all / 2;
}
