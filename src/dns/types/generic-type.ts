/**
 * Which types a user may name by their numbers (RFC 3597 section 5): all that the service does not know by a name,
 * except for those that are not data of a zone (RFC 6895 section 3.1).
 */
import { PLACEHOLDER } from '../own-records.ts';
import { nameOfNumber } from './numbers.ts';
import { isGenericType, isNamedType, type RecordType } from './record-type.ts';

/** Types that have a form of their own in Knot, and that the service neither accepts nor makes. */
export const REFUSED_TYPES: ReadonlyMap<number, string> = new Map([
  [3, 'MD'],
  [4, 'MF'],
  [7, 'MB'],
  [8, 'MG'],
  [9, 'MR'],
  [24, 'SIG'],
  [25, 'KEY'],
  [26, 'PX'],
  [30, 'NXT'],
  [41, 'OPT'],
  [42, 'APL'],
  [45, 'IPSECKEY'],
  [62, 'CSYNC'],
  [63, 'ZONEMD'],
]);

/** Types of questions and of messages (RFC 6895 section 3.1). */
const META = { first: 128, last: 255 };
const MAX = 65_535;

export function isRecordType(text: string): text is RecordType {
  return isNamedType(text) || (isGenericType(text) && flawOfGenericType(text) === null);
}

/** A sentence that says why the service does not take the type by its number; null if it does. */
export function flawOfGenericType(type: `TYPE${number}`): string | null {
  const number = Number(type.slice('TYPE'.length));
  const name = nameOfNumber(number);
  if (name !== undefined) return isNamedType(name) ? `${type} is ${name}: write ${name}.` : madeByService(name, type);
  if (type === PLACEHOLDER.type) return madeByService(type, type);
  if (number === 0 || number >= MAX) return `The number ${number} is reserved or no type; types have 1 to ${MAX - 1}.`;
  if (number >= META.first && number <= META.last) {
    return `${type} is a type of questions or messages (RFC 6895 section 3.1), and no zone has records of it.`;
  }
  const other = REFUSED_TYPES.get(number);
  return other === undefined ? null : `${type} is ${other}, which the service does not have.`;
}

function madeByService(name: string, type: string): string {
  return `${name === type ? '' : `${type} is ${name}. `}${name} records are made by the service itself.`;
}
