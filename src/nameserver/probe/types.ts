// Numbers of what is asked for and answered on the wire, and names of answer codes (IANA, DNS parameters).
import { RECORD_TYPE_NUMBERS } from '../../dns/types/numbers.ts';
import type { RecordType } from '../../dns/types/record-type.ts';

export type WireType = Exclude<RecordType, 'ALIAS'> | 'SOA' | 'DNSKEY' | 'RRSIG';

export const TYPE_NUMBERS: Readonly<Record<WireType, number>> = {
  ...RECORD_TYPE_NUMBERS,
  SOA: 6,
  RRSIG: 46,
  DNSKEY: 48,
};

export const OPT = 41;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

/** `NOERROR`, `NXDOMAIN`, …; `RCODE9` for those that an authoritative server has no use for. */
export function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE${rcode}`;
}
