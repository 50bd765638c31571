/**
 * Walks over a message without reading its names and data. A few octets of a compressed name can stand for a hundred
 * labels, so only messages with a valid signature are read in full. Pure.
 */
import { HEADER, META, readHeader } from './message.ts';

/** The fields of a record between its name and its RDATA. */
const FIXED = 10;

/**
 * Where the TSIG record of a message begins; null if its last record is none.
 * @throws RangeError when a record runs over the end, octets follow the last record, or a TSIG record is not the last
 * one of the additional section (RFC 8945 section 5.2)
 */
export function placeOfTsig(octets: Uint8Array): number | null {
  const header = readHeader(octets);
  if (header === null) throw new RangeError('shorter than a header');
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const [questions, ...sections] = header.counts;
  let at = HEADER;
  for (let index = 0; index < questions; index += 1) at = skipName(octets, at) + 4;
  const records = sections[0] + sections[1] + sections[2];
  let place: number | null = null;
  for (let index = 0; index < records; index += 1) {
    const begin = at;
    const fields = skipName(octets, at);
    at = fields + FIXED + view.getUint16(fields + FIXED - 2);
    if (view.getUint16(fields) !== META.TSIG) continue;
    if (index + 1 < records || sections[2] === 0) throw new RangeError('a TSIG record is not the last one');
    place = begin;
  }
  if (at !== octets.length) throw new RangeError('the records do not end with the message');
  return place;
}

/** The index after a name. A pointer ends a name, and is not followed here. */
function skipName(octets: Uint8Array, start: number): number {
  for (let at = start; ; ) {
    const length = octets[at];
    if (length === undefined) throw new RangeError('a name runs over the end');
    if (length >= 0xc0) return at + 2;
    if (length > 63) throw new RangeError('a label of unknown kind');
    at += 1 + length;
    if (length === 0) return at;
  }
}
