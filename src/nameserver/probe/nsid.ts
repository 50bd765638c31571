// The EDNS option NSID (RFC 5001): which of several servers behind one name or address answered. Pure.
import { Buffer } from 'node:buffer';

/** The empty option that asks for it: code 3, length 0. */
export const NSID_QUESTION = Uint8Array.of(0, 3, 0, 0);
const NSID = 3;
/** The longest name of a node. */
const MAX_LENGTH = 63;

/**
 * The identity in the RDATA of an OPT record (RFC 6891 section 6.1.2); null without one, or if it is not a short ASCII
 * text.
 */
export function parseNsid(rdata: Uint8Array): string | null {
  for (let at = 0; at + 4 <= rdata.length; ) {
    const [code, length] = [two(rdata, at), two(rdata, at + 2)];
    const value = rdata.subarray(at + 4, at + 4 + length);
    if (code === NSID) {
      const text = Buffer.from(value).toString('latin1');
      return value.length === length && length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(text) ? text : null;
    }
    at += 4 + length;
  }
  return null;
}

function two(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
