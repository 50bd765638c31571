/**
 * Converts RDATA in the generic form `\# length hex…` (RFC 3597 section 5), which a zone file may use for any type, to
 * the words of the type's own form. The words are then checked as if they had been written that way.
 */
import { genericOctets } from '../types/generic.ts';
import type { RecordType } from '../types/index.ts';
import { nameOfNumber, numberOfType } from '../types/numbers.ts';
import { isNamedType, TYPES } from '../types/record-type.ts';
import { escapeOctets, SPECIAL } from '../types/tokens.ts';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { readEntries, type Word } from '../zonefile/lexer.ts';
import { rdataText, readNameText } from './rdata-text.ts';

export function isGeneric([first]: readonly Word[]): boolean {
  return first?.quoted === false && first.text === '\\#';
}

/** @param words RDATA in generic form */
export function wordsOfGeneric(type: RecordType, words: readonly Word[]): Verdict<readonly Word[]> {
  // A quoted word keeps a quote, which is not a hexadecimal digit.
  const octets = genericOctets(words.map(({ text, quoted }) => (quoted ? `"${text}"` : text)));
  if (!octets.ok) return octets;
  if (!isNamedType(type)) return accept(words);
  const text = formatRdata(type, octets.value);
  const [line] = text === null ? [] : readEntries(text);
  if (line !== undefined && 'words' in line && !isGeneric(line.words)) return accept(line.words);
  return refuse('content', `The generic RDATA is not a value of type ${type}.`);
}

/** Presentation form for the parsers of types/; null if the octets are not a value of the type. */
export function formatRdata(type: RecordType, octets: Uint8Array): string | null {
  if (type === 'ALIAS') return null;
  if (!isNamedType(type) || !TYPES[type].layout.includes('params')) return rdataText(numberOfType(type), octets);
  try {
    return serviceText(octets);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Every key in its generic form, which takes the wire value (RFC 9460 section 2.1). @throws RangeError */
function serviceText(octets: Uint8Array): string {
  const { name, rest } = readNameText(octets.subarray(2));
  const words = [String(uint16At(octets, 0)), name];
  for (let at = 0; at < rest.length; ) {
    const end = at + 4 + uint16At(rest, at + 2);
    if (end > rest.length) throw new RangeError('a parameter runs over the end');
    const value = rest.subarray(at + 4, end);
    words.push(`key${uint16At(rest, at)}${value.length === 0 ? '' : `="${escapeOctets(value, SPECIAL)}"`}`);
    at = end;
  }
  return words.join(' ');
}

/** @throws RangeError past the end */
function uint16At(octets: Uint8Array, at: number): number {
  if (at + 2 > octets.length) throw new RangeError('too short');
  return (octets[at]! << 8) | octets[at + 1]!;
}

/** `TYPE1` as `A` (RFC 3597 section 5), `TYPE0065280` without its zeros; any other word as it is. */
export function typeOfNumber(word: string): string {
  const [, digits] = /^TYPE([0-9]{1,9})$/.exec(word) ?? [];
  if (digits === undefined) return word;
  return nameOfNumber(Number(digits)) ?? `TYPE${Number(digits)}`;
}
