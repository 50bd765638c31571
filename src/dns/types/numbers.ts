// The numbers of record types on the wire (IANA, DNS parameters): the types that users can write, and those that
// answers contain in addition.
import type { RecordType } from './record-type.ts';

/** ALIAS has none: it is served as A and AAAA. */
export type TypeName =
  | Exclude<RecordType, 'ALIAS'>
  | ('SOA' | 'RRSIG' | 'NSEC' | 'DNSKEY' | 'NSEC3' | 'CDS' | 'CDNSKEY');

export const TYPE_NUMBERS: Readonly<Record<TypeName, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  TLSA: 52,
  CDS: 59,
  CDNSKEY: 60,
  HTTPS: 65,
  CAA: 257,
};
