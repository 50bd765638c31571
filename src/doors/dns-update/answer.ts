// Builds the answers to messages: with a sentence as an extended error, and signed if the request was. Pure.
import { type EdeCode, type Edns, OPT_OCTETS, PLAIN_UDP, writeOpt } from '#dns/message/edns.ts';
import { HEADER, type Question, readHeader, writeAnswer } from '#dns/message/message.ts';
import { RCODE, type Rcode } from '#dns/wire/rcodes.ts';

/** The content of an answer. */
export interface UpdateOutcome {
  rcode: Rcode;
  /** A sentence for people; null: none is needed. */
  text: string | null;
  code: EdeCode;
}

/** Outcomes that tools expect and handle themselves: their sentence is only for a client that speaks EDNS. */
const EXPECTED: ReadonlySet<Rcode> = new Set(['NOERROR', 'NXDOMAIN', 'YXDOMAIN', 'YXRRSET', 'NXRRSET']);

export interface AnswerParts {
  id: number;
  opcode: number;
  question: Question | null;
  /** Null: the request has none. */
  edns: Edns | null;
  protocol: 'udp' | 'tcp';
  /** Octets that the caller adds to the answer. */
  reserved: number;
  /**
   * The most octets of the answer if the client sent no OPT record. A sentence that does not fit is omitted. Absent: no
   * limit.
   */
  most?: number;
}

/**
 * The answer without a signature. A refusal has its sentence even if the request has no OPT record: RFC 6891 section 7
 * does not provide for that, but few clients send one, some print the sentence nevertheless, and the others ignore it.
 */
export function buildAnswer({ rcode, text, code }: UpdateOutcome, parts: AnswerParts): Uint8Array {
  const { id, opcode, question, edns, protocol, reserved, most } = parts;
  const isTold = edns !== null || (text !== null && !EXPECTED.has(rcode));
  const size = protocol === 'tcp' ? 65_535 : (edns?.payload ?? PLAIN_UDP);
  const zone = question === null ? 0 : question.wire.length + 4;
  const room = Math.min(MAX_TEXT, size - HEADER - zone - OPT_OCTETS - reserved);
  const fits = (octets: number) => most === undefined || HEADER + zone + OPT_OCTETS + octets <= most;
  const shownText = text === null || fits(Buffer.byteLength(text)) ? text : '';
  const error = shownText === null || room <= 0 || !fits(0) ? null : { code, text: shownText };
  const additional = isTold && (edns !== null || error !== null) ? [writeOpt(error, room)] : [];
  return writeAnswer({ question, id, opcode, rcode: RCODE[rcode], additional });
}

/** Octets of a sentence. */
const MAX_TEXT = 480;

/** An answer that repeats nothing of the request but its id and opcode; null to octets that are not a request. */
export function bareAnswer(request: Uint8Array, rcode: number): Uint8Array | null {
  const header = readHeader(request);
  if (header === null || header.isAnswer) return null;
  return writeAnswer({ question: null, id: header.id, opcode: header.opcode, rcode, additional: [] });
}

/** The header of an answer with the flag for "come again over TCP" (TC), and the question. */
export function truncated(answer: Uint8Array, question: Question): Uint8Array {
  const { id, opcode } = readHeader(answer) as { id: number; opcode: number };
  const rcode = (answer[3] as number) & 0xf;
  const short = writeAnswer({ question, id, opcode, rcode, additional: [] });
  short[2] = (answer[2] as number) | TC;
  return short;
}

const TC = 0x02;
