/** The record types of the service: the one list that names, contents, schemas and rows share. */
import * as all from './all.ts';
import type { TypeDefinition } from './define.ts';

/** A type with a form of its own. */
export type NamedType = keyof typeof all;

export const TYPES: Readonly<Record<NamedType, TypeDefinition>> = { ...all };

/** In alphabetical order. */
export const RECORD_TYPES: readonly NamedType[] = (Object.keys(TYPES) as NamedType[]).sort();

/** A type by its number, with RDATA in generic form (RFC 3597): `TYPE65280`. `isRecordType` says which are accepted. */
export type GenericType = `TYPE${number}`;

export type RecordType = NamedType | GenericType;

/** The form of a generic type, for JavaScript, JSON schemas and Go. It does not limit the number. */
export const GENERIC_TYPE = '^TYPE(0|[1-9][0-9]{0,4})$';

/** All accepted types, to be read after "use one of". */
export const TYPES_IN_WORDS = `${RECORD_TYPES.join(', ')}, or TYPE with the number of another type, such as TYPE65280`;

/** Types of which a name has at most one record: it stands for another name. */
export const SINGLE_TYPES: readonly RecordType[] = RECORD_TYPES.filter((type) => TYPES[type].isSingle);

/** The sentences for types that other software has and the service does not. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  ANAME: 'use ALIAS, which is the same',
  SPF: 'use TXT, because SPF has no type of its own any more (RFC 7208)',
  SOA: 'the service makes the SOA record of a zone itself',
  ...Object.fromEntries(
    ['CDNSKEY', 'CDS', 'DNSKEY', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'RRSIG'].map((type) => [
      type,
      'the service signs its zones and makes these records itself',
    ]),
  ),
};

/** A sentence for a type that other software has and the service does not; undefined for any other text. */
export function otherTypeRule(text: string): string | undefined {
  return Object.hasOwn(OTHER_TYPES, text.toUpperCase()) ? OTHER_TYPES[text.toUpperCase()] : undefined;
}

/** The rule that a text breaks which is not an accepted type. */
export function typeRule(text: unknown): string {
  return (typeof text === 'string' ? otherTypeRule(text) : undefined) ?? `must be one of ${TYPES_IN_WORDS}`;
}

export function isNamedType(text: string): text is NamedType {
  return Object.hasOwn(TYPES, text);
}

/** Whether the text has the form of a generic type. */
export function isGenericType(text: string): text is GenericType {
  return new RegExp(GENERIC_TYPE).test(text);
}
