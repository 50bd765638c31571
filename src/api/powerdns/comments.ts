// Comments of RRsets in the PowerDNS API. Comments in a request are ignored.

/** The comments of an RRset. */
export function commentsOf(): readonly object[] {
  return [];
}
