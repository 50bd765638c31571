// Which types are asked for, the number of OPT, and names of answer codes (IANA, DNS parameters).
import type { TypeName } from '../../dns/types/numbers.ts';

export type WireType = Exclude<TypeName, 'NSEC' | 'NSEC3' | 'CDS' | 'CDNSKEY'>;

export const OPT = 41;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

/** `NOERROR`, `NXDOMAIN`, …; `RCODE9` for those that an authoritative server has no use for. */
export function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE${rcode}`;
}
