// Reverse records: the PTR record that the service writes for an A or AAAA record with `reverse`. The functions with
// `reverse` in their names in store/migrations/ decide and write; here are the words for it. Pure.
import type { RecordType } from './types/record-type.ts';

/**
 * Whether the PTR of a record with `reverse` is written, or why not:
 *
 *     Written         the PTR points to this record
 *     NoReverseZone   no zone of the same owner holds the reverse name of the address
 *     Delegated       the reverse name is delegated, or is an alias of a name outside of the owner's reverse zones
 *     HandWritten     a client wrote a PTR record at the reverse name, which the service leaves as it is
 *     NotPermitted    the key that wrote the record last may not write the PTR
 *     OtherName       the PTR points to another record with this address, which was first
 *     Wildcard        a wildcard has no name that a PTR can point to
 *     NotAHostName    the name has characters that a PTR record cannot point to
 *     ReverseZone     the record itself is in a reverse zone
 *     Withdrawn       all clusters that own the record are drained or lost
 */
export const REVERSE_STATES = [
  'Written',
  'NoReverseZone',
  'Delegated',
  'HandWritten',
  'NotPermitted',
  'OtherName',
  'Wildcard',
  'NotAHostName',
  'ReverseZone',
  'Withdrawn',
] as const;
export type ReverseState = (typeof REVERSE_STATES)[number];

/**
 * The name of an address in in-addr.arpa (RFC 1035 section 3.5) or ip6.arpa (RFC 3596 section 2.5).
 * @param wire its 4 or 16 octets
 */
export function reverseName(wire: Uint8Array): string {
  if (wire.length === 4) return `${[...wire].reverse().join('.')}.in-addr.arpa`;
  const digits = Buffer.from(wire).toString('hex');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** Whether a zone or name is in the trees of reverse names. @param name canonical, without the final dot */
export function isReverseName(name: string): boolean {
  return /(^|\.)(in-addr|ip6)\.arpa$/.test(name);
}

/** The type of a reverse record, for which a key needs the right. */
export const REVERSE_TYPE: RecordType = 'PTR';

/** The places where a PTR may be written: `{}` is every zone of the owner. */
export interface ReverseScope {
  /** Only in these zones. */
  zones?: readonly string[];
  /** Not in these zones. */
  not?: readonly string[];
  /** Only at names, relative to the zone, that match one of these LIKE patterns. */
  names?: readonly string[];
}
