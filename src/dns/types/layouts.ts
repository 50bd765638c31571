/**
 * Old types that the service takes by their numbers only, and whose RDATA Knot checks and shows in their own forms: their
 * octets must have the layout of the type, or Knot could not show the zone any more.
 */
import { readUncompressedName } from '../wire/name.ts';
import { concat } from '../wire/octets.ts';

/** `rest`, `strings`: any number of octets, or of character strings, at the end. Numbers have two octets. */
export type Part = 'number' | 'name' | 'string' | 'strings' | 'ipv4' | 'identifier' | 'eui48' | 'eui64' | 'rest';

export interface Layout {
  name: string;
  parts: readonly Part[];
}

/** By number: RFC 1035, 1183, 2230, 4408, 6742 and 7043. */
export const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [10, { name: 'NULL', parts: ['rest'] }],
  [13, { name: 'HINFO', parts: ['string', 'string'] }],
  [14, { name: 'MINFO', parts: ['name', 'name'] }],
  [17, { name: 'RP', parts: ['name', 'name'] }],
  [18, { name: 'AFSDB', parts: ['number', 'name'] }],
  [21, { name: 'RT', parts: ['number', 'name'] }],
  [36, { name: 'KX', parts: ['number', 'name'] }],
  [99, { name: 'SPF', parts: ['strings'] }],
  [104, { name: 'NID', parts: ['number', 'identifier'] }],
  [105, { name: 'L32', parts: ['number', 'ipv4'] }],
  [106, { name: 'L64', parts: ['number', 'identifier'] }],
  [107, { name: 'LP', parts: ['number', 'name'] }],
  [108, { name: 'EUI48', parts: ['eui48'] }],
  [109, { name: 'EUI64', parts: ['eui64'] }],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map([...LAYOUTS].map(([number, { name }]) => [name, number]));

/** Null if no type of this name is in the table. */
export function numberOfLayout(name: string): number | null {
  return NUMBERS.get(name) ?? null;
}

/** Octets of the parts that always have the same number. */
export const SIZES: Readonly<Partial<Record<Part, number>>> = { number: 2, ipv4: 4, identifier: 8, eui48: 6, eui64: 8 };

/** The octets with all names in lower case (RFC 4034 section 6.2); null if they do not have the layout. */
export function inLayout({ parts }: Layout, octets: Uint8Array): Uint8Array | null {
  const found: Uint8Array[] = [];
  let rest = octets;
  const take = (length: number) => {
    if (length > rest.length) throw new RangeError('too short');
    found.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  };
  const takeString = () => take(1 + (rest[0] ?? 255));
  try {
    for (const part of parts) {
      if (part === 'name') {
        const name = readUncompressedName(rest);
        found.push(wireOf(name.labels));
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
  return rest.length === 0 ? concat(found) : null;
}

/** Labels in lower case, with the root at the end. */
export function wireOf(labels: readonly Uint8Array[]): Uint8Array {
  const lower = (octet: number) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet);
  return concat([...labels.flatMap((label) => [Uint8Array.of(label.length), label.map(lower)]), Uint8Array.of(0)]);
}
