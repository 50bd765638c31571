/** RDATA in generic form, `\# length hex` (RFC 3597 section 5), for types that are written as TYPE and a number. */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { type ParseContent, plainRdata } from './rdata.ts';
import { fields } from './tokens.ts';

const SHAPE = 'Generic RDATA is "\\# length hex", for instance "\\# 4 c0000201" (RFC 3597 section 5).';

export const parseGeneric: ParseContent = (content) => {
  const octets = genericOctets(fields(content));
  if (!octets.ok) return octets;
  const text = genericText(octets.value);
  return accept(plainRdata(text, text, new Uint8Array(octets.value)));
};

/** @param words `\#`, the number of octets, and hexadecimal digits in any number of words */
export function genericOctets([mark, length = '', ...hex]: readonly string[]): Verdict<Buffer> {
  const digits = hex.join('');
  if (mark !== '\\#' || !/^[0-9]{1,5}$/.test(length) || !/^[0-9a-fA-F]*$/.test(digits)) return refuse('content', SHAPE);
  if (digits.length === 2 * Number(length)) return accept(Buffer.from(digits, 'hex'));
  return refuse(
    'content',
    `${SHAPE} The length is ${Number(length)}, and there are ${digits.length} hexadecimal digits.`,
  );
}

/** The canonical text of octets. */
export function genericText(octets: Uint8Array): string {
  return octets.length === 0 ? '\\# 0' : `\\# ${octets.length} ${Buffer.from(octets).toString('hex')}`;
}
