// The Retry-After header of HTTP (RFC 9110 section 10.2.3), as it is read and as it is written.

/** Milliseconds to wait from `now`, for whole seconds or a date; null if the header is absent or unreadable. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The header's value for a wait of `ms`, rounded up: a client that waits exactly that long is not early. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
