// The brake on mass deletion. A deleted CRD, an emptied cache or a bad prune must not empty the DNS. Pure.

/** So many releases are possible at any time. */
export const MOST_ALWAYS = 20;

/**
 * Whether so many releases are more than a user is likely to want: more than 20, and more than half of all.
 * @param owners the owners of the installation, with those that were released a moment ago
 * @param releases the owners to release, with those that were released a moment ago
 */
export function isMass({ owners, releases }: { owners: number; releases: number }): boolean {
  return releases > MOST_ALWAYS && releases > owners / 2;
}
