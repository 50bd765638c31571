// The numbers of record types on the wire (IANA, DNS parameters): the types that users can write, and those that
// answers contain in addition.
import type { GenericType, NamedType, RecordType } from './record-type.ts';

/** Types whose records the service and its name servers make themselves, for every zone. */
export const OWN_TYPES = ['SOA', 'DNSKEY', 'RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'CDS', 'CDNSKEY'] as const;

export type OwnType = (typeof OWN_TYPES)[number];

export function isOwnType(text: string): text is OwnType {
  return (OWN_TYPES as readonly string[]).includes(text);
}

/** ALIAS has none: it is served as A and AAAA. */
export type TypeName = Exclude<NamedType, 'ALIAS'> | OwnType;

export const TYPE_NUMBERS: Readonly<Record<TypeName, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  CERT: 37,
  DNAME: 39,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  SVCB: 64,
  HTTPS: 65,
  URI: 256,
  CAA: 257,
};

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
