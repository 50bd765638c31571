/** SOA serials in the serial number arithmetic of RFC 1982 on 32 bits. Pure; the clock is a parameter. */

const SPACE = 2 ** 32;
const HALF = 2 ** 31;

/**
 * Returns the serial after `current`: the greater, in serial arithmetic, of `current + 1` and `nowSeconds` (Unix time).
 * A serial therefore shows roughly when it was made, and the serial of a zone that moves to a new database still
 * increases. It advances by at most 2^31 - 1, the largest step that a secondary accepts (RFC 1982 section 3.1). It is
 * never 0, which some tools take for "unset".
 */
export function nextSerial(current: number, nowSeconds: number): number {
  const now = Math.floor(nowSeconds) % SPACE || 1;
  const advance = (now - current + SPACE) % SPACE;
  const next = advance >= 1 && advance < HALF ? now : (current + 1) % SPACE;
  return next === 0 ? 1 : next;
}

/** Whether `serial` is later than `other` (RFC 1982 section 3.2). */
export function isLater(serial: number, other: number): boolean {
  const advance = (serial - other + SPACE) % SPACE;
  return advance > 0 && advance < HALF;
}
