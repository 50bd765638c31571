// The price of a request of many changes: how many writes it counts as in the write window of a key. Pure, so that a
// client can say before a request what the service will count.

/**
 * A request counts each of its changes, and at most half of the writes of a window: so a first import of an ordinary
 * zone passes, and a key still cannot write without end.
 * @param changes at least 1
 * @param limit the writes of the key in a window, at least 1
 */
export function countBulkWrites(changes: number, limit: number): number {
  return Math.min(changes, Math.ceil(limit / 2));
}
