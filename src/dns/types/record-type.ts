/** The record types of the service: the one list that names, contents, schemas and rows share. */

export const RECORD_TYPES = [
  'A',
  'AAAA',
  'ALIAS',
  'CAA',
  'CNAME',
  'DS',
  'HTTPS',
  'MX',
  'NS',
  'PTR',
  'SRV',
  'TLSA',
  'TXT',
] as const;

export type RecordType = (typeof RECORD_TYPES)[number];

export function isRecordType(text: string): text is RecordType {
  return (RECORD_TYPES as readonly string[]).includes(text);
}
