// DNS messages in wire form: the query, and the parts of an answer that a comparison needs, with RDATA in canonical
// form. Libraries return RDATA as objects, but values are compared in wire form, so this room has its own reader.

import { numberOfType } from '#dns/types/numbers.ts';
import { rdataInMessage } from '#dns/wire/message-rdata.ts';
import { readName } from '#dns/wire/name.ts';
import { concat, nameToWire, uint16 } from '#dns/wire/octets.ts';
import { NSID_QUESTION, parseNsid } from './nsid.ts';
import type { WireType } from './types.ts';

export interface ProbeQuestion {
  /** Absolute; case and a final dot do not matter. */
  readonly name: string;
  readonly type: WireType;
  /** Ask for signatures too (EDNS0 DO). (Default: false.) */
  readonly dnssec?: boolean;
  /** Ask which server answers (NSID). (Default: false.) */
  readonly nsid?: boolean;
  /** Ask a resolver to find the answer (RD). (Default: false: only data that the server itself has.) */
  readonly recursive?: boolean;
}

export interface ResourceRecord {
  /** Lower case, without final dot; `''` is the root. */
  readonly name: string;
  readonly type: number;
  /** Seconds. */
  readonly ttl: number;
  /** Names expanded and in lower case (RFC 4034 section 6.2). */
  readonly rdata: Uint8Array;
}

export interface ProbeMessage {
  readonly id: number;
  readonly rcode: number;
  /** The server has authority for the name. */
  readonly aa: boolean;
  /** The answer is truncated: ask again over TCP. */
  readonly tc: boolean;
  readonly question: { readonly name: string; readonly type: number } | null;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  /** The server that answered, if it was asked and tells (RFC 5001); otherwise null. */
  readonly nsid: string | null;
}

/** Fits one unfragmented datagram on every path (DNS flag day 2020). */
const UDP_PAYLOAD = 1232;
const DO = 0x8000;
const RD = 0x0100;
const HEADER = 12;
/** The pseudo-record of EDNS0 (RFC 6891). */
const OPT = 41;
const IN = 1;

/** A query with EDNS0 (RFC 6891). */
export function encodeQuery(id: number, question: ProbeQuestion): Uint8Array {
  const [flags, one, none] = [uint16(question.recursive === true ? RD : 0), uint16(1), uint16(0)];
  const options = question.nsid === true ? NSID_QUESTION : new Uint8Array(0);
  return concat([
    ...[uint16(id), flags, one, none, none, one],
    ...[nameToWire(question.name.toLowerCase()), uint16(numberOfType(question.type)), uint16(IN)],
    ...[Uint8Array.of(0), uint16(OPT), uint16(UDP_PAYLOAD)],
    ...[uint16(0), uint16(question.dnssec === true ? DO : 0), uint16(options.length), options],
  ]);
}

/**
 * Reads a response; the sections of a truncated one stay empty.
 * @throws {RangeError} when it is a query or malformed: anyone can send such bytes
 */
export function decodeMessage(receivedOctets: Uint8Array): ProbeMessage {
  // A copy, because the slices of a Buffer from a socket are views.
  const bytes = Uint8Array.from(receivedOctets);
  if (bytes.length < HEADER) throw new RangeError('shorter than a header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(2);
  if ((flags & 0x8000) === 0) throw new RangeError('a query, not a response');
  // The content of a truncated message must be ignored (RFC 2181 section 9), and may end in the middle of a record.
  const tc = (flags & 0x0200) !== 0;
  const counts = [4, 6, 8, 10].map((at) => (tc && at > 4 ? 0 : view.getUint16(at))) as [number, number, number, number];
  if (counts[0] > 1) throw new RangeError('more than one question');

  let at = HEADER;
  let question: ProbeMessage['question'] = null;
  if (counts[0] === 1) {
    const { name, next } = readName(bytes, at);
    question = { name, type: view.getUint16(next) };
    at = next + 4;
  }
  const section = (count: number): ResourceRecord[] => {
    const records: ResourceRecord[] = [];
    for (let index = 0; index < count; index++) {
      const { record, next } = readRecord(bytes, view, at);
      records.push(record);
      at = next;
    }
    return records;
  };
  const answers = section(counts[1]);
  const authorities = section(counts[2]);
  const additionals = section(counts[3]);
  // The first octet of an OPT record's TTL contains the upper bits of an extended RCODE (RFC 6891 6.1.3).
  const opt = additionals.find(({ type }) => type === OPT);
  return {
    id: view.getUint16(0),
    rcode: (flags & 0xf) | ((opt === undefined ? 0 : opt.ttl >>> 24) << 4),
    aa: (flags & 0x0400) !== 0,
    tc,
    question,
    answers,
    authorities,
    additionals: additionals.filter((record) => record !== opt),
    nsid: opt === undefined ? null : parseNsid(opt.rdata),
  };
}

function readRecord(bytes: Uint8Array, view: DataView, start: number): { record: ResourceRecord; next: number } {
  const { name, next: at } = readName(bytes, start);
  const type = view.getUint16(at);
  const ttl = view.getUint32(at + 4);
  const begin = at + 10;
  const next = begin + view.getUint16(at + 8);
  if (next > bytes.length) throw new RangeError('a record runs over the end');
  return { record: { name, type, ttl, rdata: rdataInMessage(bytes, type, begin, next) }, next };
}
