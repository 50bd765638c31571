// The numbers of record types on the wire (IANA, DNS parameters): the types that users can write, and those that
// answers contain in addition.
import type { WireForm } from './define.ts';
import { type GenericType, type NamedType, type RecordType, TYPES } from './record-type.ts';

/** Types whose records the service and its name servers make themselves, for every zone. */
const OWN = {
  SOA: { number: 6, layout: ['name', 'name', 'long', 'long', 'long', 'long', 'long'] },
  DNSKEY: { number: 48, layout: ['number', 'octet', 'octet', 'base64'] },
  RRSIG: { number: 46 },
  NSEC: { number: 47 },
  NSEC3: { number: 50 },
  NSEC3PARAM: { number: 51 },
  CDS: { number: 59 },
  CDNSKEY: { number: 60 },
} as const satisfies Record<string, Partial<WireForm> & { number: number }>;

export type OwnType = keyof typeof OWN;

export const OWN_TYPES = Object.keys(OWN) as readonly OwnType[];

export function isOwnType(text: string): text is OwnType {
  return Object.hasOwn(OWN, text);
}

/** ALIAS has none: it is served as A and AAAA. */
export type TypeName = Exclude<NamedType, 'ALIAS'> | OwnType;

const SERVED: readonly (readonly [string, Partial<WireForm> & { number: number | null }])[] = [
  ...Object.entries(TYPES),
  ...Object.entries(OWN),
].filter(([, { number }]) => number !== null);

export const TYPE_NUMBERS = Object.fromEntries(SERVED.map(([name, { number }]) => [name, number])) as Readonly<
  Record<TypeName, number>
>;

/** By number: the types of which this room reads the octets. */
export const WIRE_FORMS: ReadonlyMap<number, WireForm> = new Map(
  SERVED.flatMap(([, { number, layout, text }]): [number, WireForm][] =>
    number === null || layout === undefined ? [] : [[number, text ? { layout, text } : { layout }]],
  ),
);

const NAMES: ReadonlyMap<number, TypeName> = new Map(
  Object.entries(TYPE_NUMBERS).map(([name, number]) => [number, name as TypeName]),
);

/** `A`, `SOA`, …; undefined where there is no name. */
export function nameOfNumber(number: number): TypeName | undefined {
  return NAMES.get(number);
}

/** The number of a type that is served under its own name. */
export function numberOfType(type: Exclude<RecordType, 'ALIAS'> | OwnType): number {
  return isByNumber(type) ? Number(type.slice('TYPE'.length)) : TYPE_NUMBERS[type];
}

function isByNumber(type: string): type is GenericType {
  return !(type in TYPE_NUMBERS);
}
