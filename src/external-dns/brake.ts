// The brake on mass deletion. An empty source, for instance because of a wrong namespace, must not empty the DNS, also if
// external-dns notices it piece by piece over several rounds. Pure.

/** The names and types that one round deleted, or that it would have deleted. */
export interface Deleted {
  /** In ms. */
  at: number;
  count: number;
}

/** So many deletions are possible at any time. */
const MOST_ALWAYS = 20;
/** Deletions count together for so long: several rounds of external-dns, which begin every minute by default. */
const WINDOW_MS = 5 * 60_000;

/** The deletions that still count. */
export function recentOf(before: readonly Deleted[], now: number): Deleted[] {
  return before.filter(({ at }) => now - at < WINDOW_MS);
}

/** Whether a round with so many deletions can be too much: the number of held sets is not needed for fewer. */
export function mayBeMass(recent: readonly Deleted[], count: number): boolean {
  return count > 0 && totalOf(recent) + count > MOST_ALWAYS;
}

/**
 * Whether the deletions are more than a user is likely to want: more than 20, and more than half of everything.
 * @param held the names and types that the instance has in all zones
 */
export function isMass(recent: readonly Deleted[], count: number, held: number): boolean {
  const before = totalOf(recent);
  return mayBeMass(recent, count) && before + count > (before + held) / 2;
}

/** A round that is held back keeps the deletions before it in the window, so that waiting does not let the rest pass. */
export function heldBack(recent: readonly Deleted[], now: number): Deleted[] {
  return recent.map(({ count }) => ({ at: now, count }));
}

function totalOf(recent: readonly Deleted[]): number {
  return recent.reduce((total, { count }) => total + count, 0);
}
