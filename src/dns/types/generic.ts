/** RDATA in generic form, `\# length hex` (RFC 3597 section 5), for types that are written as TYPE and a number. */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { defineForm } from './define.ts';
import { inLayout, OLD_TYPES } from './old-types.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import type { GenericType } from './record-type.ts';
import { fields } from './tokens.ts';

const SHAPE = 'Generic RDATA is "\\# length hex", for instance "\\# 4 c0000201" (RFC 3597 section 5).';

/** The form of all types that are written by their numbers. */
export const GENERIC_FORM = defineForm({
  form: 'generic RDATA: the number of octets, and hexadecimal digits',
  example: '\\# 4 c0000201',
  fields: [
    {
      name: 'rdata',
      label: 'Generic RDATA',
      hint: 'The number of octets, and hexadecimal digits (RFC 3597).',
      isRest: true,
      isLong: true,
    },
  ],
});

/** Octets of types that Knot has a form for must have the layout of the type. All others are taken as they are. */
export function parseGeneric(type: GenericType, content: string): Verdict<ParsedRdata> {
  const octets = genericOctets(fields(content));
  if (!octets.ok) return octets;
  const oldType = OLD_TYPES.get(Number(type.slice('TYPE'.length)));
  const wire = oldType === undefined ? new Uint8Array(octets.value) : inLayout(oldType, octets.value);
  if (wire === null) return refuse('content', `The octets are not RDATA of type ${oldType?.name}, which ${type} is.`);
  const text = genericText(wire);
  return accept(plainRdata(text, text, wire));
}

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
