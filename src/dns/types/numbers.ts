// Numbers of the record types on the wire (IANA, DNS parameters). It must not know who reads or writes them.
import type { RecordType } from './record-type.ts';

/** ALIAS has none: it is served as A and AAAA. */
export const RECORD_TYPE_NUMBERS: Readonly<Record<Exclude<RecordType, 'ALIAS'>, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  TLSA: 52,
  HTTPS: 65,
  CAA: 257,
};
