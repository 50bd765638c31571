/** The result of parsing a record's content: the three forms in which a value exists. */
import { type Problem, refuse, type Verdict } from '../verdict.ts';

/** RDATA octets of one record: leaves room for its signature and the rest of a message of 65535 octets. */
export const MAX_RDATA = 64_000;

/**
 * Characters of RDATA in its presentation form. Knot 3.2 cannot return a longer text over its control socket, so a name
 * server could not compare it. It fits 64,000 octets of ASCII text in strings of 255; every other octet takes four
 * characters.
 */
export const MAX_RDATA_TEXT = 65_000;

export interface ParsedRdata {
  /**
   * The form that the API returns. TXT is echoed as sent; every other type has one canonical form: names as lower-case
   * A-labels without final dot (but `.` and single labels keep theirs), addresses per RFC 5952, digests in lower case.
   * Parsing it again gives the same value.
   */
  content: string;
  /**
   * RDATA in its canonical presentation form, at most MAX_RDATA_TEXT characters.
   */
  rdata: string;
  /** RDATA on the wire, names uncompressed and lower-cased (RFC 4034 section 6.2): the value's identity. */
  wire: Uint8Array;
  /**
   * The host that a CNAME, ALIAS, DNAME, NS, MX, PTR, SRV, NAPTR, SVCB or HTTPS record points to: canonical, never with
   * a final dot. Null for the other types and where the target is the root (null MX, a service not offered, "this
   * name").
   */
  target: string | null;
  /** MX only. */
  priority: number | null;
}

/** A type's own parser. `priority` is meaningful for MX only. */
export type ParseContent = (content: string, priority: number) => Verdict<ParsedRdata>;

/** The value of a type that has neither target nor priority. */
export function plainRdata(content: string, rdata: string, wire: Uint8Array): ParsedRdata {
  return { content, rdata, wire, target: null, priority: null };
}

/** The refusal of a value whose presentation form is too long. */
export function textTooLong(characters: number): { ok: false; problem: Problem } {
  const sizeText = `The value has ${characters} characters in zone file form`;
  return refuse(
    'content',
    `${sizeText}; at most ${MAX_RDATA_TEXT} are allowed. Octets outside of printable ASCII take four characters each.`,
  );
}

/** The refusal of a value of `octets` on the wire or more. */
export function tooLong(octets: number): { ok: false; problem: Problem } {
  return refuse('content', `The value has ${octets} octets or more on the wire; at most ${MAX_RDATA} are allowed.`);
}
