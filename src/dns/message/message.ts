/**
 * DNS messages with all their sections (RFC 1035 section 4.1), as a server receives them: the header, and records of
 * any class with or without RDATA, which UPDATE needs (RFC 2136 section 2). Nothing is judged but the form. Pure.
 */
import { rdataInMessage } from '../wire/message-rdata.ts';
import { readName } from '../wire/name.ts';
import { concat, uint16, uint32 } from '../wire/octets.ts';

export const OPCODE = { QUERY: 0, NOTIFY: 4, UPDATE: 5 } as const;
export const CLASS = { IN: 1, NONE: 254, ANY: 255 } as const;
/** Pseudo-records of messages, and types that only questions have (RFC 6895 section 3.1). */
export const META = { OPT: 41, TSIG: 250, IXFR: 251, AXFR: 252, MAILB: 253, MAILA: 254, ANY: 255 } as const;

/** Octets of a header. */
export const HEADER = 12;
const QR = 0x8000;
const AA = 0x0400;

export interface Header {
  id: number;
  /** Whether the message is an answer. */
  isAnswer: boolean;
  opcode: number;
  /** The numbers of entries in the four sections. */
  counts: readonly [number, number, number, number];
}

/**
 * A name by its labels, from left to right, in lower case and without the root. An octet that is not printable has the
 * form `\DDD`.
 */
export type Labels = readonly string[];

export interface Question {
  name: Labels;
  /** The name on the wire, uncompressed and in lower case. */
  wire: Uint8Array;
  type: number;
  class: number;
}

export interface MessageRecord extends Question {
  /** As it is on the wire: a number of 32 bits. */
  ttl: number;
  /** Names are expanded and in lower case (RFC 4034 section 6.2). */
  rdata: Uint8Array;
  /** The index of its first octet in the message. */
  at: number;
}

export interface Message extends Header {
  /** The first section: questions, or the zone of an update. */
  questions: readonly Question[];
  /** The other three sections: of an update, prerequisites, changes and additional records. */
  sections: readonly [readonly MessageRecord[], readonly MessageRecord[], readonly MessageRecord[]];
}

/** The header; null if there are too few octets for one. */
export function readHeader(octets: Uint8Array): Header | null {
  if (octets.length < HEADER) return null;
  const view = viewOf(octets);
  const flags = view.getUint16(2);
  return {
    id: view.getUint16(0),
    isAnswer: (flags & QR) !== 0,
    opcode: (flags >> 11) & 0xf,
    counts: [view.getUint16(4), view.getUint16(6), view.getUint16(8), view.getUint16(10)],
  };
}

/**
 * Reads a whole message. Its memory is a small multiple of that of the octets, because every entry takes octets of its
 * own, and names are at most 255 octets.
 * @throws RangeError when it is malformed, or has octets after its last record
 */
export function readMessage(octets: Uint8Array): Message {
  const header = readHeader(octets);
  if (header === null) throw new RangeError('shorter than a header');
  const view = viewOf(octets);
  let at = HEADER;
  const question = (): Question & { at: number } => {
    const begin = at;
    const { wire, next } = readName(octets, at);
    const [type, class_] = [view.getUint16(next), view.getUint16(next + 2)];
    at = next + 4;
    return { name: splitLabels(wire), wire, type, class: class_, at: begin };
  };
  const record = (): MessageRecord => {
    const head = question();
    const ttl = view.getUint32(at);
    const begin = at + 6;
    at = begin + view.getUint16(at + 4);
    if (at > octets.length) throw new RangeError('a record runs over the end');
    return { ...head, ttl, rdata: begin === at ? new Uint8Array() : rdataInMessage(octets, head.type, begin, at) };
  };
  const many = <T>(count: number, read: () => T): T[] => Array.from({ length: count }, read);
  const [zone, first, second, third] = header.counts;
  const questions = many(zone, question);
  const sections = [many(first, record), many(second, record), many(third, record)] as const;
  if (at !== octets.length) throw new RangeError('octets after the last record');
  return { ...header, questions, sections };
}

/**
 * The only entry of the first section; null if there is another number of them.
 * @throws RangeError when it is malformed
 */
export function readOnlyQuestion(octets: Uint8Array): Question | null {
  if (readHeader(octets)?.counts[0] !== 1) return null;
  const { wire, next } = readName(octets, HEADER);
  const view = viewOf(octets);
  return { name: splitLabels(wire), wire, type: view.getUint16(next), class: view.getUint16(next + 2) };
}

/** The parts of an answer. */
export interface Answer {
  /** The request; null when its octets could not be read further than the header. */
  question: Question | null;
  id: number;
  opcode: number;
  rcode: number;
  /** Whole records for the additional section. */
  additional: readonly Uint8Array[];
}

/** An answer with empty answer and authority sections. */
export function writeAnswer({ question, id, opcode, rcode, additional }: Answer): Uint8Array {
  return concat([
    uint16(id),
    uint16(QR | (opcode << 11) | (rcode & 0xf)),
    ...[question === null ? 0 : 1, 0, 0, additional.length].map(uint16),
    ...questionOctets(question),
    ...additional,
  ]);
}

/** An authoritative answer to a query, with whole records in its answer section. */
export function writeRecordsAnswer({
  id,
  question,
  records,
}: Pick<Answer, 'id' | 'question'> & { records: readonly Uint8Array[] }): Uint8Array {
  return concat([
    uint16(id),
    uint16(QR | AA),
    ...[question === null ? 0 : 1, records.length, 0, 0].map(uint16),
    ...questionOctets(question),
    ...records,
  ]);
}

function questionOctets(question: Question | null): Uint8Array[] {
  return question === null ? [] : [question.wire, uint16(question.type), uint16(question.class)];
}

/** A record of any type. @param name on the wire */
export function writeRecord(
  name: Uint8Array,
  { type, class: class_, ttl, rdata }: Pick<MessageRecord, 'type' | 'class' | 'ttl' | 'rdata'>,
): Uint8Array {
  return concat([name, uint16(type), uint16(class_), uint32(ttl), uint16(rdata.length), rdata]);
}

/** Whether a name is the zone's, or below it. */
export function isWithinZone(name: Labels, zone: Labels): boolean {
  const skippedCount = name.length - zone.length;
  return skippedCount >= 0 && zone.every((label, at) => label === name[skippedCount + at]);
}

/** The labels as text without a final dot: `www.example.com`. Octets that no host name has stay escaped. */
export function nameText(name: Labels): string {
  return name.join('.');
}

function splitLabels(wire: Uint8Array): string[] {
  const labels: string[] = [];
  for (let at = 0; wire[at] !== 0; at += 1 + (wire[at] as number)) {
    labels.push([...wire.subarray(at + 1, at + 1 + (wire[at] as number))].map(character).join(''));
  }
  return labels;
}

/** RFC 1035 section 5.1. A dot in a label is escaped, so that no two names have the same text. */
function character(octet: number): string {
  const isPlain = octet > 0x20 && octet < 0x7f && !'.\\"();@$'.includes(String.fromCharCode(octet));
  return isPlain ? String.fromCharCode(octet) : `\\${String(octet).padStart(3, '0')}`;
}

function viewOf(octets: Uint8Array): DataView {
  return new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
}
