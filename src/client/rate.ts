// What answers say of the write limit of a key, and how much may go out at once because of it. Pure; it must not know who
// writes, nor wait for anything.
//
// unknown → a first answer → unlimited (it said nothing) or a window with places left; each answer says it anew. Requests
// under way may not be counted in it yet, so their places are taken off: too few in one batch costs a round trip, too many
// costs a pause until there are places for all of them.

/** One bucket, as RateLimit and RateLimit-Policy tell it (draft-ietf-httpapi-ratelimit-headers). */
export interface Rate {
  /** Places left in the window. */
  readonly remaining: number;
  /** Places of the whole window. */
  readonly quota: number;
  readonly windowMs: number;
}

export interface Budget {
  /** Undefined before the first answer; null when the key has no limit. */
  rate: Rate | null | undefined;
  /** Changes under way. */
  places: number;
}

const DEFAULT_WINDOW_S = 60;
/** Between two writes of a key whose limit nobody has told. */
const DEFAULT_SPACING_MS = 1_000;

export function emptyBudget(): Budget {
  return { rate: undefined, places: 0 };
}

/** Null when there are no such headers, or unreadable ones. */
export function rateOf(limit: string | undefined, policy: string | undefined): Rate | null {
  const remaining = parameter(limit, 'r');
  const quota = parameter(policy, 'q');
  if (remaining === null || quota === null) return null;
  return { remaining, quota, windowMs: (parameter(policy, 'w') ?? DEFAULT_WINDOW_S) * 1000 };
}

/** How many changes one request may hold now: at least one, since only an answer tells when there is a place again. */
export function batchSize({ rate, places }: Budget, most: number): number {
  if (rate === undefined) return 1;
  if (rate === null) return most;
  return Math.max(1, Math.min(most, rate.remaining - places));
}

/** How far apart single writes must be to stay within the limit, in ms. */
export function spacing({ rate }: Budget): number {
  return rate ? rate.windowMs / Math.max(1, rate.quota) : DEFAULT_SPACING_MS;
}

// RFC 9651: parameters of the first item of a list, all of them integers here.
function parameter(header: string | undefined, name: string): number | null {
  const found = new RegExp(`^[^,]*?;\\s*${name}=(\\d{1,9})(?![\\d.])`).exec(header ?? '');
  return found ? Number(found[1]) : null;
}
