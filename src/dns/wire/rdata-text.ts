/**
 * Formats RDATA from a name server in presentation form (RFC 1035 section 5.1 and the RFC of each type), for people to
 * read. It is the inverse of types/, which parses the text that users write. An unknown type or form is shown as RFC
 * 3597 section 5 says, so that nothing is hidden. Names in the RDATA must be expanded.
 */
import { Buffer } from 'node:buffer';
import { formatIpv4, formatIpv6 } from '#base/address.ts';
import { type LayoutPart, SIZES } from '../types/define.ts';
import { genericText } from '../types/generic.ts';
import { nameOfNumber, WIRE_FORMS } from '../types/numbers.ts';
import { escapeOctets } from '../types/tokens.ts';
import { readUncompressedName } from './name.ts';

/** `A`, `SOA`, …; `TYPE123` where there is no name (RFC 3597 section 5). */
export function typeName(type: number): string {
  return nameOfNumber(type) ?? `TYPE${type}`;
}

/** Never throws: RDATA that does not fit its type is shown in the form of RFC 3597. */
export function rdataText(type: number, rdata: Uint8Array): string {
  try {
    const form = WIRE_FORMS.get(type);
    if (form !== undefined) return form.text ? form.text(rdata) : layoutText(form.layout, rdata);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return genericText(rdata);
}

/** Reads an uncompressed name as text with its final dot, and returns the octets after it. @throws RangeError */
export function readNameText(octets: Uint8Array): { name: string; rest: Uint8Array } {
  const { labels, rest } = readUncompressedName(octets);
  // RFC 1035 section 5.1: escape the characters that have a meaning in a zone file, and those that are not printable.
  const name = labels.map((label) => `${[...label].map(escapedInName).join('')}.`).join('');
  return { name: name === '' ? '.' : name, rest };
}

const NAME_SPECIALS = '.\\"();@$';

function escapedInName(octet: number): string {
  const character = String.fromCharCode(octet);
  if (NAME_SPECIALS.includes(character)) return `\\${character}`;
  return octet > 0x20 && octet <= 0x7e ? character : `\\${String(octet).padStart(3, '0')}`;
}

/** The words of the parts. @throws RangeError for octets that do not have the layout, and parts without a text */
function layoutText(layout: readonly LayoutPart[], rdata: Uint8Array): string {
  const words: string[] = [];
  let rest = rdata;
  const take = (length: number): Uint8Array => {
    if (length > rest.length) throw new RangeError('too short');
    const octets = rest.subarray(0, length);
    rest = rest.subarray(length);
    return octets;
  };
  const takeString = () => take(unsigned(take(1)));
  for (const part of layout) {
    if (part === 'name') {
      const { name, rest: others } = readNameText(rest);
      words.push(name);
      rest = others;
    } else if (part === 'string') words.push(quoted(takeString()));
    else if (part === 'word') words.push(bareWord(takeString()));
    else if (part === 'strings') while (rest.length > 0) words.push(quoted(takeString()));
    else words.push(partText(part, take(SIZES[part] ?? rest.length)));
  }
  if (rest.length > 0) throw new RangeError('too long');
  return words.join(' ');
}

/** A part whose length does not depend on its octets. @throws RangeError for a part without a text */
function partText(part: LayoutPart, octets: Uint8Array): string {
  switch (part) {
    case 'octet':
    case 'number':
    case 'long':
      return String(unsigned(octets));
    case 'ipv4':
      return formatIpv4(octets);
    case 'ipv6':
      return formatIpv6(octets, { hexOnly: true });
    case 'hex':
    case 'base64':
      return Buffer.from(octets).toString(part);
    case 'quoted':
      return quoted(octets);
    default:
      throw new RangeError(`no text for ${part}`);
  }
}

function bareWord(octets: Uint8Array): string {
  const text = Buffer.from(octets).toString('latin1');
  if (!/^[a-zA-Z0-9]+$/.test(text)) throw new RangeError('not a word');
  return text;
}

function quoted(octets: Uint8Array): string {
  return octets.length === 0 ? '""' : `"${escapeOctets(octets)}"`;
}

/** In network order. */
function unsigned(octets: Uint8Array): number {
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}
