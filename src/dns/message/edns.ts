/** EDNS (RFC 6891), as far as a server of updates needs it, and extended errors (RFC 8914). Pure. */
import { Buffer } from 'node:buffer';
import { concat, uint16 } from '../wire/octets.ts';
import { META, type MessageRecord, writeRecord } from './message.ts';

/** The option of extended errors. */
const EDE = 15;
/** The size that the service accepts over UDP without fragments (DNS flag day 2020). */
const UDP_PAYLOAD = 1232;
/** The largest answer over UDP for a client without EDNS (RFC 1035 section 4.2.1). */
export const PLAIN_UDP = 512;

/** Codes of extended errors (RFC 8914 section 4). */
const EDE_CODE = {
  other: 0,
  notReady: 14,
  prohibited: 18,
  notAuthoritative: 20,
  notSupported: 21,
} as const;
export type EdeCode = keyof typeof EDE_CODE;

export interface ExtendedError {
  code: EdeCode;
  text: string;
}

export interface Edns {
  version: number;
  /** The largest answer over UDP that the client accepts, in octets; at least 512. */
  payload: number;
}

/**
 * The OPT record of a message, or null without one.
 * @throws RangeError if there are several (RFC 6891 section 6.1.1)
 */
export function readEdns(additional: readonly MessageRecord[]): Edns | null {
  const [opt, ...others] = additional.filter(({ type }) => type === META.OPT);
  if (others.length > 0) throw new RangeError('more than one OPT record');
  if (opt === undefined) return null;
  if (opt.name.length > 0) throw new RangeError('an OPT record with a name');
  return { version: (opt.ttl >>> 16) & 0xff, payload: Math.max(PLAIN_UDP, opt.class) };
}

/** Octets of an OPT record with an extended error without text. */
export const OPT_OCTETS = 11 + 6;

/** @param room the most octets of the text; longer ones are cut at a character */
export function writeOpt(error: ExtendedError | null, room: number): Uint8Array {
  const text = error === null ? new Uint8Array() : cut(Buffer.from(error.text), room);
  const option = error === null ? [] : [uint16(EDE), uint16(2 + text.length), uint16(EDE_CODE[error.code]), text];
  return writeRecord(Uint8Array.of(0), {
    type: META.OPT,
    class: UDP_PAYLOAD,
    ttl: 0,
    rdata: concat(option),
  });
}

function cut(text: Uint8Array, octets: number): Uint8Array {
  let end = Math.min(text.length, Math.max(0, octets));
  // An octet of the form 10xxxxxx continues a character (RFC 3629 section 3).
  while (end > 0 && end < text.length && ((text[end] as number) & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}
