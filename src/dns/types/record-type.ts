/** The record types of the service: the one list that names, contents, schemas and rows share. */

/** Types with a form of their own. */
export const RECORD_TYPES = [
  'A',
  'AAAA',
  'ALIAS',
  'CAA',
  'CERT',
  'CNAME',
  'DHCID',
  'DNAME',
  'DS',
  'HTTPS',
  'LOC',
  'MX',
  'NAPTR',
  'NS',
  'OPENPGPKEY',
  'PTR',
  'SMIMEA',
  'SRV',
  'SSHFP',
  'SVCB',
  'TLSA',
  'TXT',
  'URI',
] as const;

export type NamedType = (typeof RECORD_TYPES)[number];

/** A type by its number, with RDATA in generic form (RFC 3597): `TYPE65280`. `isRecordType` says which are accepted. */
export type GenericType = `TYPE${number}`;

export type RecordType = NamedType | GenericType;

/** The form of a generic type, for JavaScript, JSON schemas and Go. It does not limit the number. */
export const GENERIC_TYPE = '^TYPE(0|[1-9][0-9]{0,4})$';

/** All accepted types, to be read after "use one of". */
export const TYPES_IN_WORDS = `${RECORD_TYPES.join(', ')}, or TYPE with the number of another type, such as TYPE65280`;

/** Types of which a name has at most one record: it stands for another name. */
export const SINGLE_TYPES: readonly RecordType[] = ['ALIAS', 'CNAME', 'DNAME'];

export function isNamedType(text: string): text is NamedType {
  return (RECORD_TYPES as readonly string[]).includes(text);
}

/** Whether the text has the form of a generic type. */
export function isGenericType(text: string): text is GenericType {
  return new RegExp(GENERIC_TYPE).test(text);
}
