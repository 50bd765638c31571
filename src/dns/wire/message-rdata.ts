/**
 * RDATA from a message in the wire form of this room: names uncompressed and in lower case (RFC 4034 section 6.2). For SVCB and
 * HTTPS this is our own rule, since the values are only compared and not signed.
 */

import { LAYOUTS } from '../types/layouts.ts';
import { TYPE_NUMBERS } from '../types/numbers.ts';
import { readName } from './name.ts';
import { concat } from './octets.ts';

interface Layout {
  /** Octets before the first name. */
  readonly before: number;
  /** Character strings between those octets and the first name. (Default: none.) */
  readonly strings?: number;
  /** The number of names. The octets after them stay as they are. */
  readonly names: number;
}

/** Types that the service has by their numbers only. */
const BY_NUMBER = [...LAYOUTS].flatMap(([type, { parts }]): [number, Layout][] => {
  const names = parts.filter((part) => part === 'name').length;
  return names === 0 ? [] : [[type, { before: 2 * (parts.length - names), names }]];
});

const NAMES_AT = new Map<number, Layout>([
  ...BY_NUMBER,
  [TYPE_NUMBERS.NS, { before: 0, names: 1 }],
  [TYPE_NUMBERS.CNAME, { before: 0, names: 1 }],
  [TYPE_NUMBERS.PTR, { before: 0, names: 1 }],
  [TYPE_NUMBERS.SOA, { before: 0, names: 2 }],
  [TYPE_NUMBERS.MX, { before: 2, names: 1 }],
  [TYPE_NUMBERS.SRV, { before: 6, names: 1 }],
  [TYPE_NUMBERS.NAPTR, { before: 4, strings: 3, names: 1 }],
  [TYPE_NUMBERS.DNAME, { before: 0, names: 1 }],
  [TYPE_NUMBERS.SVCB, { before: 2, names: 1 }],
  [TYPE_NUMBERS.HTTPS, { before: 2, names: 1 }],
]);

/** The RDATA from `begin` to `end` of a message. @throws {RangeError} when a name is longer than the RDATA. */
export function rdataInMessage(bytes: Uint8Array, type: number, begin: number, end: number): Uint8Array {
  const layout = NAMES_AT.get(type);
  if (layout === undefined) return bytes.slice(begin, end);
  let at = begin + layout.before;
  for (let count = 0; count < (layout.strings ?? 0); count++) at += 1 + (bytes[at] ?? 0);
  const parts: Uint8Array[] = [bytes.slice(begin, at)];
  for (let count = 0; count < layout.names; count++) {
    const { wire, next } = readName(bytes, at);
    if (next > end) throw new RangeError('a name runs over its record');
    parts.push(wire);
    at = next;
  }
  return concat([...parts, bytes.slice(at, end)]);
}
