// Numbers of record types on the wire (IANA, DNS parameters). ALIAS has none: it is served as A and AAAA.
import type { RecordType } from '../../dns/types/record-type.ts';

export type WireType = Exclude<RecordType, 'ALIAS'> | 'SOA' | 'DNSKEY' | 'RRSIG';

export const TYPE_NUMBERS: Readonly<Record<WireType, number>> = {
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
  DNSKEY: 48,
  TLSA: 52,
  HTTPS: 65,
  CAA: 257,
};

export const OPT = 41;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

/** `NOERROR`, `NXDOMAIN`, …; `RCODE9` for those that an authoritative server has no use for. */
export function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE${rcode}`;
}
