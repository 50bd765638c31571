/**
 * Old types that the service takes by their numbers only, and whose RDATA Knot checks and shows in their own forms:
 * their octets must have the layout of the type, or Knot could not show the zone any more.
 */
import { readUncompressedName } from '../wire/name.ts';
import { concat } from '../wire/octets.ts';
import { SIZES, type WireForm } from './define.ts';

export interface OldType extends WireForm {
  readonly name: string;
}

/** By number: RFC 1035, 1183, 2230, 4408, 6742 and 7043. */
export const OLD_TYPES: ReadonlyMap<number, OldType> = new Map([
  [10, { name: 'NULL', layout: ['rest'] }],
  [13, { name: 'HINFO', layout: ['string', 'string'] }],
  [14, { name: 'MINFO', layout: ['name', 'name'] }],
  [17, { name: 'RP', layout: ['name', 'name'] }],
  [18, { name: 'AFSDB', layout: ['number', 'name'] }],
  [21, { name: 'RT', layout: ['number', 'name'] }],
  [36, { name: 'KX', layout: ['number', 'name'] }],
  [99, { name: 'SPF', layout: ['strings'] }],
  [104, { name: 'NID', layout: ['number', 'identifier'] }],
  [105, { name: 'L32', layout: ['number', 'ipv4'] }],
  [106, { name: 'L64', layout: ['number', 'identifier'] }],
  [107, { name: 'LP', layout: ['number', 'name'] }],
  [108, { name: 'EUI48', layout: ['eui48'] }],
  [109, { name: 'EUI64', layout: ['eui64'] }],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map([...OLD_TYPES].map(([number, { name }]) => [name, number]));

/** Null if no type of this name is in the table. */
export function numberOfOldType(name: string): number | null {
  return NUMBERS.get(name) ?? null;
}

/** The octets with all names in lower case (RFC 4034 section 6.2); null if they do not have the layout. */
export function inLayout({ layout }: OldType, octets: Uint8Array): Uint8Array | null {
  const chunks: Uint8Array[] = [];
  let rest = octets;
  const take = (length: number) => {
    if (length > rest.length) throw new RangeError('too short');
    chunks.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  };
  const takeString = () => take(1 + (rest[0] ?? 255));
  try {
    for (const part of layout) {
      if (part === 'name') {
        const name = readUncompressedName(rest);
        chunks.push(encodeLabels(name.labels));
        rest = name.rest;
      } else if (part === 'string') takeString();
      else if (part === 'strings')
        do takeString();
        while (rest.length > 0);
      else take(SIZES[part] ?? rest.length);
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return rest.length === 0 ? concat(chunks) : null;
}

/** Labels in lower case, with the root at the end. */
export function encodeLabels(labels: readonly Uint8Array[]): Uint8Array {
  const lower = (octet: number) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet);
  return concat([...labels.flatMap((label) => [Uint8Array.of(label.length), label.map(lower)]), Uint8Array.of(0)]);
}
