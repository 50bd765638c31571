// RDATA out of a message in the form in which dns/ gives the wire of a value: names uncompressed and in lower case
// (RFC 4034 section 6.2; for HTTPS our own rule, since it compares values and signs nothing). It must not know messages.

import { TYPE_NUMBERS } from '../../dns/types/numbers.ts';
import { concat } from '../../dns/wire.ts';
import { readName } from './wire-name.ts';

/** Octets before the first name, and how many names follow; what comes then is kept as it is. */
const NAMES_AT = new Map<number, { readonly before: number; readonly names: number }>([
  [TYPE_NUMBERS.NS, { before: 0, names: 1 }],
  [TYPE_NUMBERS.CNAME, { before: 0, names: 1 }],
  [TYPE_NUMBERS.PTR, { before: 0, names: 1 }],
  [TYPE_NUMBERS.SOA, { before: 0, names: 2 }],
  [TYPE_NUMBERS.MX, { before: 2, names: 1 }],
  [TYPE_NUMBERS.SRV, { before: 6, names: 1 }],
  [TYPE_NUMBERS.HTTPS, { before: 2, names: 1 }],
]);

/** The RDATA from `begin` to `end` of a message. @throws {RangeError} when its names do not fit in there. */
export function canonicalRdata(bytes: Uint8Array, type: number, begin: number, end: number): Uint8Array {
  const layout = NAMES_AT.get(type);
  if (layout === undefined) return bytes.slice(begin, end);
  const parts: Uint8Array[] = [bytes.slice(begin, begin + layout.before)];
  let at = begin + layout.before;
  for (let count = 0; count < layout.names; count++) {
    const { wire, next } = readName(bytes, at);
    if (next > end) throw new RangeError('a name runs over its record');
    parts.push(wire);
    at = next;
  }
  return concat([...parts, bytes.slice(at, end)]);
}

/** The serial inside canonical SOA RDATA; null when it is too short to be one. */
export function serialOfSoa(rdata: Uint8Array): number | null {
  // Five numbers of 32 bits end it, the serial first (RFC 1035 section 3.3.13).
  if (rdata.length < 22) return null;
  return new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength).getUint32(rdata.length - 20);
}
