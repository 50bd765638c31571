// The brake on mass deletion. An empty source, for instance because of a wrong namespace, must not empty the DNS, also
// if external-dns notices it piece by piece over several rounds. Pure.
import { isMassDeletion, MAX_ALWAYS } from '#base/mass-deletion.ts';

/** The names and types that external-dns deleted, or tried to delete, with the time in ms. */
export type Deletions = ReadonlyMap<string, number>;

/** Deletions count together for this long: several rounds of external-dns, which begin every minute by default. */
const WINDOW_MS = 5 * 60_000;

/** The deletions that still count. */
export function keepRecent(before: Deletions, now: number): Deletions {
  return new Map([...before].filter(([, at]) => now - at < WINDOW_MS));
}

/**
 * Whether the deletions of a round, with those before it, can be too many: only then the number of held sets is needed.
 */
export function mayBeMass(recent: Deletions, round: readonly string[]): boolean {
  return round.length > 0 && countDeletions(recent, round) > MAX_ALWAYS;
}

/**
 * Whether the deletions of a round are a mass deletion, with those before it. A deletion that failed and is tried again
 * counts once.
 * @param heldKeys the names and types that the instance has in all zones
 */
export function isMass(recent: Deletions, round: readonly string[], heldKeys: Iterable<string>): boolean {
  const all = union(recent.keys(), heldKeys).size;
  return round.length > 0 && isMassDeletion({ all, deletions: countDeletions(recent, round) });
}

/** The deletions after a round. */
export function withRound(recent: Deletions, round: readonly string[], now: number): Deletions {
  return new Map([...recent, ...round.map((place) => [place, now] as const)]);
}

/**
 * A round that is held back keeps the deletions before it in the window, so that waiting does not let the rest pass.
 */
export function heldBack(recent: Deletions, now: number): Deletions {
  return new Map([...recent.keys()].map((place) => [place, now]));
}

function countDeletions(recent: Deletions, round: readonly string[]): number {
  return union(recent.keys(), round).size;
}

function union(one: Iterable<string>, other: Iterable<string>): Set<string> {
  return new Set([...one, ...other]);
}
