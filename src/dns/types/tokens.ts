/**
 * The small grammar that the zone file forms of all types share: fields separated by blanks, decimal numbers, hex, and
 * the character strings of RFC 1035 section 5.1 with the escapes of RFC 9499. All functions take time linear in the
 * length of the content, which may be hundreds of kilobytes of hostile text.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TAB = 0x09;
const ZERO = 0x30;
const NINE = 0x39;
const NOTHING: ReadonlySet<number> = new Set();
/**
 * Comment and continuation in a zone file (RFC 1035 section 5.1): `0 issue ;` surely means `0 issue ";"`. The canonical
 * text of a SvcParam has them as decimal escapes, even inside quotes.
 */
export const SPECIAL: ReadonlySet<number> = new Set([0x3b, 0x28, 0x29]);

/** The fields of `content`, separated by runs of spaces and tabs; none for blank content. */
export function fields(content: string): string[] {
  return content.split(/[ \t]+/).filter((field) => field !== '');
}

/** A decimal number of 0..max, leading zeros allowed. `what` names it in the problem. */
export function parseUint(text: string, max: number, what: string): Verdict<number> {
  const value = /^[0-9]{1,20}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return accept(value);
  return refuse('content', `The ${what} is ${clip(text)}; it must be a number from 0 to ${max}.`);
}

/** An even number of hex digits, at least two; lower-cased. */
export function parseHex(text: string, what: string): Verdict<string> {
  if (text !== '' && text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text)) return accept(text.toLowerCase());
  return refuse('content', `The ${what} is ${clip(text)}; it must be an even number of hexadecimal digits.`);
}

/** One or more octets in base64 (RFC 4648 section 4) in its one canonical form: padded, no bits left over. */
export function parseBase64(text: string, what: string): Verdict<Buffer> {
  const octets = Buffer.from(text, 'base64');
  if (octets.length > 0 && octets.toString('base64') === text) return accept(octets);
  return refuse('content', `The ${what} is ${clip(text)}; it must be base64 with padding (RFC 4648 section 4).`);
}

export function isBlank(octet: number | undefined): boolean {
  return octet === SPACE || octet === TAB;
}

/** The first index at or after `at` that is not a blank. */
export function skipBlanks(octets: Uint8Array, at: number): number {
  let index = at;
  while (isBlank(octets[index])) index += 1;
  return index;
}

export interface CharacterString {
  octets: Uint8Array;
  quoted: boolean;
  /** Whether a backslash was used: some SvcParams forbid escapes though their octets are right. */
  escaped: boolean;
  /** The index after the string, its closing quote included. */
  next: number;
}

/**
 * Reads the character string that begins at `at`: up to the closing quote, or unquoted up to a blank or the end. An
 * unquoted string may hold no bare quote, semicolon or parenthesis. Its octets come unescaped and are not limited to
 * 255.
 */
export function readCharacterString(source: Uint8Array, at: number): Verdict<CharacterString> {
  const isQuoted = source[at] === QUOTE;
  const start = isQuoted ? at + 1 : at;
  const octets = new Uint8Array(endOfString(source, start, isQuoted) - start);
  let length = 0;
  let isEscaped = false;
  let index = start;
  while (index < source.length) {
    const octet = source[index]!;
    if (octet === QUOTE) {
      if (isQuoted) break;
      return refuse(
        'content',
        'An unquoted text contains a quote; write the whole text in quotes and \\" for a quote.',
      );
    }
    if (!isQuoted && isBlank(octet)) break;
    if (!isQuoted && SPECIAL.has(octet)) {
      const character = String.fromCharCode(octet);
      return refuse('content', `An unquoted text may not hold ${clip(character)}; write the whole text in quotes.`);
    }
    if (octet === BACKSLASH) {
      const unescaped = readEscape(source, index);
      if (!unescaped.ok) return unescaped;
      octets[length++] = unescaped.value.octet;
      index = unescaped.value.next;
      isEscaped = true;
    } else {
      octets[length++] = octet;
      index += 1;
    }
  }
  if (isQuoted && index >= source.length) return refuse('content', 'A quoted text is not closed; end it with a quote.');
  return accept({
    octets: octets.subarray(0, length),
    quoted: isQuoted,
    escaped: isEscaped,
    next: isQuoted ? index + 1 : index,
  });
}

/**
 * Exactly `count` character strings between blanks; any of them may be quoted.
 * @param shape a sentence that shows the form of the content, for the problem
 */
export function readStrings(source: Uint8Array, count: number, shape: string): Verdict<CharacterString[]> {
  const strings: CharacterString[] = [];
  let at = skipBlanks(source, 0);
  while (at < source.length) {
    if (strings.length === count) return refuse('content', `${shape} Put a value with blanks in quotes.`);
    const string = readCharacterString(source, at);
    if (!string.ok) return string;
    strings.push(string.value);
    const { next } = string.value;
    if (next < source.length && !isBlank(source[next])) return refuse('content', shape);
    at = skipBlanks(source, next);
  }
  return strings.length === count ? accept(strings) : refuse('content', shape);
}

/**
 * Finds the end first, so that a string takes memory by its own length and not by the length of the remaining content.
 */
function endOfString(source: Uint8Array, start: number, isQuoted: boolean): number {
  let index = start;
  while (index < source.length) {
    const octet = source[index]!;
    if (octet === QUOTE || (!isQuoted && isBlank(octet))) break;
    index += octet === BACKSLASH ? 2 : 1;
  }
  return Math.min(index, source.length);
}

/** Reads the escape whose backslash is at `at` (RFC 1035 section 5.1). */
export function readEscape(source: Uint8Array, at: number): Verdict<{ octet: number; next: number }> {
  const [first, second, third] = [source[at + 1], source[at + 2], source[at + 3]];
  if (first === undefined)
    return refuse('content', 'The content ends in a lone backslash; write \\\\ for a backslash.');
  if (!isDigit(first)) return accept({ octet: first, next: at + 2 });
  const value =
    isDigit(second) && isDigit(third) ? (first - ZERO) * 100 + (second! - ZERO) * 10 + (third! - ZERO) : 256;
  if (value <= 255) return accept({ octet: value, next: at + 4 });
  const escapeText = Buffer.from(source.subarray(at, at + 4)).toString('latin1');
  return refuse(
    'content',
    `${clip(escapeText)} is not an escape: a backslash before a digit takes three digits, \\000 to \\255.`,
  );
}

function isDigit(octet: number | undefined): boolean {
  return octet !== undefined && octet >= ZERO && octet <= NINE;
}

/**
 * Octets as the inside of a quoted string: printable ASCII as it is, `"` and `\` escaped, all other octets and those in
 * `avoid` as `\DDD`.
 */
export function escapeOctets(octets: Uint8Array, avoid: ReadonlySet<number> = NOTHING): string {
  let length = 0;
  for (const octet of octets) length += writtenLength(octet, avoid);
  const text = Buffer.allocUnsafe(length);
  if (length === octets.length) {
    text.set(octets);
    return text.toString('latin1');
  }
  let at = 0;
  for (const octet of octets) {
    const textLength = writtenLength(octet, avoid);
    if (textLength > 1) text[at] = BACKSLASH;
    if (textLength === 4) {
      text[at + 1] = ZERO + Math.trunc(octet / 100);
      text[at + 2] = ZERO + (Math.trunc(octet / 10) % 10);
      text[at + 3] = ZERO + (octet % 10);
    } else {
      text[at + textLength - 1] = octet;
    }
    at += textLength;
  }
  return text.toString('latin1');
}

/** Characters that an octet takes: itself, `\"` or `\DDD`. */
function writtenLength(octet: number, avoid: ReadonlySet<number>): 1 | 2 | 4 {
  if (octet === QUOTE || octet === BACKSLASH) return 2;
  return octet >= SPACE && octet < 0x7f && !avoid.has(octet) ? 1 : 4;
}
