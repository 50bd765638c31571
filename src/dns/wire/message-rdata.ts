/**
 * RDATA from a message in the wire form of this room: names uncompressed and in lower case (RFC 4034 section 6.2). For
 * SVCB and HTTPS this is our own rule, since the values are only compared and not signed.
 */
import { type LayoutPart, SIZES } from '../types/define.ts';
import { WIRE_FORMS } from '../types/numbers.ts';
import { OLD_TYPES } from '../types/old-types.ts';
import { readName } from './name.ts';
import { concat } from './octets.ts';

interface Names {
  /** Octets before the first name. */
  readonly before: number;
  /** Character strings between those octets and the first name. */
  readonly strings: number;
  /** The number of names. The octets after them stay as they are. */
  readonly count: number;
}

/**
 * By number: the types with names in their RDATA. The types that the service has by their numbers only are among them.
 */
const NAMES_AT: ReadonlyMap<number, Names> = new Map(
  [...OLD_TYPES, ...WIRE_FORMS].flatMap(([number, { layout }]): [number, Names][] =>
    layout.includes('name') ? [[number, findNames(layout)]] : [],
  ),
);

function findNames(layout: readonly LayoutPart[]): Names {
  const first = layout.slice(0, layout.indexOf('name'));
  return {
    before: first.reduce((sum, part) => sum + (SIZES[part] ?? 0), 0),
    strings: first.filter((part) => part === 'string').length,
    count: layout.filter((part) => part === 'name').length,
  };
}

/** The RDATA from `begin` to `end` of a message. @throws {RangeError} when a name is longer than the RDATA. */
export function rdataInMessage(bytes: Uint8Array, type: number, begin: number, end: number): Uint8Array {
  const names = NAMES_AT.get(type);
  if (names === undefined) return bytes.slice(begin, end);
  let at = begin + names.before;
  for (let count = 0; count < names.strings; count++) at += 1 + (bytes[at] ?? 0);
  const parts: Uint8Array[] = [bytes.slice(begin, at)];
  for (let count = 0; count < names.count; count++) {
    const { wire, next } = readName(bytes, at);
    if (next > end) throw new RangeError('a name runs over its record');
    parts.push(wire);
    at = next;
  }
  return concat([...parts, bytes.slice(at, end)]);
}
