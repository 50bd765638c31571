/**
 * Converts RDATA in the generic form `\# length hex…` (RFC 3597 section 5), which a zone file may use for any type, to
 * the words of the type's own form. The words are then checked as if they had been written that way.
 */
import { Buffer } from 'node:buffer';
import { isRecordType, type RecordType } from '../types/index.ts';
import { TYPE_NUMBERS } from '../types/numbers.ts';
import { escapeOctets, SPECIAL } from '../types/tokens.ts';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { readLines, type Word } from '../zonefile/lexer.ts';
import { rdataText, readNameText, typeName } from './rdata-text.ts';

export function isGeneric([first]: readonly Word[]): boolean {
  return first?.quoted === false && first.text === '\\#';
}

/** @param words RDATA in generic form */
export function wordsOfGeneric(type: RecordType, [, length, ...hex]: readonly Word[]): Verdict<Word[]> {
  const octets = Buffer.from(hex.map(({ text }) => text).join(''), 'hex');
  const isWhole = hex.every(({ text, quoted }) => !quoted && /^[0-9a-f]*$/i.test(text));
  const digits = hex.reduce((sum, { text }) => sum + text.length, 0);
  if (!isWhole || !/^[0-9]{1,5}$/.test(length?.text ?? '') || digits !== 2 * Number(length?.text)) {
    return refuse('content', 'Generic RDATA is "\\# length hex", for instance "\\# 4 c0000201" (RFC 3597 section 5).');
  }
  const text = textOf(type, octets);
  const [line] = text === null ? [] : readLines(text);
  if (line !== undefined && 'words' in line && !isGeneric(line.words)) return accept(line.words);
  return refuse('content', `The generic RDATA is no value of type ${type}.`);
}

/** Presentation form for the parsers of types/; null if the octets are no value of the type. */
export function textOf(type: RecordType, octets: Uint8Array): string | null {
  if (type === 'ALIAS') return null;
  if (type !== 'HTTPS') return rdataText(TYPE_NUMBERS[type], octets);
  try {
    return httpsText(octets);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Every key in its generic form, which takes the wire value (RFC 9460 section 2.1). @throws RangeError */
function httpsText(octets: Uint8Array): string {
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

/** `TYPE1` as `A` (RFC 3597 section 5); any other word as it is. */
export function typeOfNumber(word: string): string {
  const [, digits] = /^TYPE([0-9]{1,5})$/.exec(word) ?? [];
  if (digits === undefined) return word;
  const name = typeName(Number(digits));
  return isRecordType(name) ? name : word;
}
