/**
 * Formats RDATA from a name server in presentation form (RFC 1035 section 5.1 and the RFC of each type), for people to
 * read. It is the inverse of types/, which parses the text that users write. An unknown type or form is shown as RFC
 * 3597 section 5 says, so that nothing is hidden. Names in the RDATA must be expanded.
 */
import { Buffer } from 'node:buffer';
import { genericText } from '../types/generic.ts';
import { locText } from '../types/loc.ts';
import { nameOfNumber, TYPE_NUMBERS as TYPE } from '../types/numbers.ts';
import { escapeOctets } from '../types/tokens.ts';
import { readUncompressedName } from './name.ts';

const FORMS: Readonly<Record<number, (rdata: Uint8Array) => string>> = {
  [TYPE.A]: (rdata) => exactly(rdata, 4).join('.'),
  [TYPE.NS]: pointer,
  [TYPE.CNAME]: pointer,
  [TYPE.SOA]: soa,
  [TYPE.PTR]: pointer,
  [TYPE.MX]: (rdata) => `${number(rdata, 0, 2)} ${pointer(rdata.subarray(2))}`,
  [TYPE.TXT]: (rdata) => strings(rdata).join(' '),
  [TYPE.AAAA]: (rdata) => ipv6(exactly(rdata, 16)),
  [TYPE.LOC]: locText,
  [TYPE.SRV]: (rdata) =>
    `${number(rdata, 0, 2)} ${number(rdata, 2, 2)} ${number(rdata, 4, 2)} ${pointer(rdata.subarray(6))}`,
  [TYPE.NAPTR]: naptr,
  [TYPE.CERT]: (rdata) =>
    `${number(rdata, 0, 2)} ${number(rdata, 2, 2)} ${number(rdata, 4, 1)} ${base64(rdata.subarray(5))}`,
  [TYPE.DNAME]: pointer,
  [TYPE.DS]: (rdata) =>
    `${number(rdata, 0, 2)} ${number(rdata, 2, 1)} ${number(rdata, 3, 1)} ${hex(rdata.subarray(4))}`,
  [TYPE.SSHFP]: (rdata) => `${number(rdata, 0, 1)} ${number(rdata, 1, 1)} ${hex(rdata.subarray(2))}`,
  [TYPE.DNSKEY]: (rdata) =>
    `${number(rdata, 0, 2)} ${number(rdata, 2, 1)} ${number(rdata, 3, 1)} ${base64(rdata.subarray(4))}`,
  [TYPE.DHCID]: base64,
  [TYPE.TLSA]: association,
  [TYPE.SMIMEA]: association,
  [TYPE.OPENPGPKEY]: base64,
  [TYPE.URI]: (rdata) => `${number(rdata, 0, 2)} ${number(rdata, 2, 2)} ${quoted(rdata.subarray(4))}`,
  [TYPE.CAA]: caa,
};

/** `A`, `SOA`, …; `TYPE123` where there is no name (RFC 3597 section 5). */
export function typeName(type: number): string {
  return nameOfNumber(type) ?? `TYPE${type}`;
}

/** Never throws: RDATA that does not fit its type is shown in the form of RFC 3597. */
export function rdataText(type: number, rdata: Uint8Array): string {
  try {
    const form = FORMS[type];
    if (form !== undefined) return form(rdata);
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

function pointer(rdata: Uint8Array): string {
  const { name, rest } = readNameText(rdata);
  exactly(rest, 0);
  return name;
}

function soa(rdata: Uint8Array): string {
  const primary = readNameText(rdata);
  const mailbox = readNameText(primary.rest);
  const numbers = exactly(mailbox.rest, 20);
  return [primary.name, mailbox.name, ...[0, 4, 8, 12, 16].map((at) => number(numbers, at, 4))].join(' ');
}

function naptr(rdata: Uint8Array): string {
  const words = [number(rdata, 0, 2), number(rdata, 2, 2)].map(String);
  let at = 4;
  for (let count = 0; count < 3; count += 1) {
    const end = at + 1 + number(rdata, at, 1);
    if (end > rdata.length) throw new RangeError('a string runs over the end');
    words.push(quoted(rdata.subarray(at + 1, end)));
    at = end;
  }
  return [...words, pointer(rdata.subarray(at))].join(' ');
}

function association(rdata: Uint8Array): string {
  return `${number(rdata, 0, 1)} ${number(rdata, 1, 1)} ${number(rdata, 2, 1)} ${hex(rdata.subarray(3))}`;
}

function strings(rdata: Uint8Array): string[] {
  const parts: string[] = [];
  let at = 0;
  while (at < rdata.length) {
    const end = at + 1 + rdata[at]!;
    if (end > rdata.length) throw new RangeError('a string runs over the end');
    parts.push(quoted(rdata.subarray(at + 1, end)));
    at = end;
  }
  return parts;
}

function caa(rdata: Uint8Array): string {
  const begin = 2 + number(rdata, 1, 1);
  const tag = Buffer.from(rdata.subarray(2, begin)).toString('latin1');
  if (begin > rdata.length || !/^[a-zA-Z0-9]+$/.test(tag)) throw new RangeError('not a CAA');
  return `${number(rdata, 0, 1)} ${tag} ${quoted(rdata.subarray(begin))}`;
}

function quoted(octets: Uint8Array): string {
  return octets.length === 0 ? '""' : `"${escapeOctets(octets)}"`;
}

/** RFC 5952: lower case, the first longest run of two or more zero groups as `::`. */
function ipv6(octets: Uint8Array): string {
  const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => number(octets, at, 2));
  let best = { at: 0, length: 1 };
  for (let at = 0; at < groups.length; at += 1) {
    let end = at;
    while (groups[end] === 0) end += 1;
    if (end - at > best.length) best = { at, length: end - at };
  }
  const text = (some: number[]) => some.map((group) => group.toString(16)).join(':');
  if (best.length === 1) return text(groups);
  return `${text(groups.slice(0, best.at))}::${text(groups.slice(best.at + best.length))}`;
}

function base64(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64');
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}

/** An unsigned number of that many octets, in network order. @throws RangeError past the end */
function number(octets: Uint8Array, at: number, length: number): number {
  if (at + length > octets.length) throw new RangeError('too short');
  return octets.subarray(at, at + length).reduce((sum, octet) => sum * 256 + octet, 0);
}

function exactly(octets: Uint8Array, length: number): Uint8Array {
  if (octets.length !== length) throw new RangeError(`not ${length} octets`);
  return octets;
}
