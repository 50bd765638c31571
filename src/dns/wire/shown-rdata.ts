/**
 * RDATA as a name server or a zone file shows it, of types that the service has only by their numbers: `HINFO "PC"
 * "Linux"` is `TYPE13 \# 9 …`. Pure.
 */
import { Buffer } from 'node:buffer';
import { parseIpv4 } from '#base/address.ts';
import { type LayoutPart, SIZES } from '../types/define.ts';
import { genericText } from '../types/generic.ts';
import { encodeLabels, inLayout, numberOfOldType, OLD_TYPES, type OldType } from '../types/old-types.ts';
import { readCharacterString, readEscape } from '../types/tokens.ts';
import { concat, uint16 } from './octets.ts';

/** A type that the service has by its number only, by its name; null for all others. */
export function findOldType(name: string): OldType | null {
  const number = numberOfOldType(name);
  return number === null ? null : (OLD_TYPES.get(number) ?? null);
}

/** The type as the service has it, and the canonical text of the value. Values of all other types stay as they are. */
export function asStored(type: string, text: string): { type: string; text: string } {
  const oldType = findOldType(type);
  if (oldType === null) return { type, text };
  const octets = text.startsWith('\\#') ? null : encodeOldRdata(oldType, text);
  return { type: `TYPE${numberOfOldType(type)}`, text: octets === null ? text : genericText(octets) };
}

/** Words without blanks, and quoted strings with their quotes. */
const WORD = /"(?:[^"\\]|\\.)*"|[^ \t]+/gs;

/** Null if the text is not a value of the type. */
function encodeOldRdata(oldType: OldType, text: string): Uint8Array | null {
  const words: string[] = text.match(WORD) ?? [];
  const kinds: readonly LayoutPart[] = oldType.layout[0] === 'strings' ? words.map(() => 'string') : oldType.layout;
  if (words.length !== kinds.length) return null;
  const wordOctets = kinds.map((part, at) => octetsOfWord(part, words[at] as string));
  return wordOctets.includes(null) ? null : inLayout(oldType, concat(wordOctets as Uint8Array[]));
}

function octetsOfWord(part: LayoutPart, word: string): Uint8Array | null {
  switch (part) {
    case 'number':
      return /^[0-9]{1,5}$/.test(word) ? uint16(Number(word)) : null;
    case 'ipv4':
      return parseIpv4(word);
    case 'name':
      return encodeName(word);
    case 'string': {
      const string = readCharacterString(Buffer.from(word, 'latin1'), 0);
      return string.ok ? concat([Uint8Array.of(string.value.octets.length), string.value.octets]) : null;
    }
    default: {
      const octets = Buffer.from(word.replace(/[:-]/g, ''), 'hex');
      return octets.length === SIZES[part] ? new Uint8Array(octets) : null;
    }
  }
}

/** An absolute name with escapes. */
function encodeName(text: string): Uint8Array | null {
  const source = Buffer.from(text === '.' ? '' : text, 'latin1');
  const labels: Uint8Array[] = [];
  let label: number[] = [];
  for (let at = 0; at < source.length; ) {
    const octet = source[at] as number;
    if (octet === 0x2e) {
      labels.push(Uint8Array.from(label));
      label = [];
      at += 1;
      continue;
    }
    const escapeVerdict = octet === 0x5c ? readEscape(source, at) : null;
    if (escapeVerdict?.ok === false) return null;
    label.push(escapeVerdict?.value.octet ?? octet);
    at = escapeVerdict?.value.next ?? at + 1;
  }
  return label.length === 0 ? encodeLabels(labels) : null;
}
