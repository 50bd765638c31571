// Parses the write limit of a key from the headers of an answer. Pure.

/** One bucket, as RateLimit and RateLimit-Policy state it (draft-ietf-httpapi-ratelimit-headers). */
export interface Rate {
  /** Places left in the window. */
  readonly remaining: number;
  /** Places of the whole window. */
  readonly quota: number;
  readonly windowMs: number;
}

/** In seconds, for a policy without a window. */
const DEFAULT_WINDOW_S = 60;

/**
 * Null when there are no such headers, or unreadable ones. Undefined for a policy alone: the request was not counted.
 */
export function parseRate(limit: string | undefined, policy: string | undefined): Rate | null | undefined {
  const remaining = parameter(limit, 'r');
  const quota = parameter(policy, 'q');
  if (limit === undefined && quota !== null) return undefined;
  if (remaining === null || quota === null) return null;
  return { remaining, quota, windowMs: (parameter(policy, 'w') ?? DEFAULT_WINDOW_S) * 1000 };
}

// RFC 9651: parameters of the first item of a list, all of them integers here.
function parameter(header: string | undefined, name: string): number | null {
  const match = new RegExp(`^[^,]*?;\\s*${name}=(\\d{1,9})(?![\\d.])`).exec(header ?? '');
  return match ? Number(match[1]) : null;
}
