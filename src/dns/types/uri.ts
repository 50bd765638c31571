/** URI: priority, weight and target of a service (RFC 7553). The target is an absolute URI in the sense of RFC 3986. */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { number } from './content-fields.ts';
import { defineType } from './define.ts';
import { SERVICE_LABELS } from './owner-fields.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { escapeOctets, parseUint, readStrings } from './tokens.ts';

const SYNTAX = 'priority weight target';
const SHAPE = `A URI record is "${SYNTAX}", for instance 10 1 "https://www.example.com/".`;
/** RFC 3986 sections 2 and 3: a scheme, and characters that a URI may have; all others are percent-encoded. */
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;

export const URI = defineType({
  number: 256,
  layout: ['number', 'number', 'quoted'],
  syntax: SYNTAX,
  form: 'priority, weight, URI',
  example: '10 1 "https://www.example.org/"',
  fields: [
    number('priority', 'Priority', 'Clients try lower numbers first.'),
    number('weight', 'Weight', 'The share among records of the same priority.'),
    { name: 'target', label: 'URI', isQuoted: true },
  ],
  ownerFields: SERVICE_LABELS,
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const texts = readStrings(Buffer.from(content, 'utf8'), 3, SHAPE);
  if (!texts.ok) return texts;
  const [first = '', second = '', target = ''] = texts.value.map(({ octets }) =>
    Buffer.from(octets).toString('latin1'),
  );
  const priority = parseUint(first, 65_535, 'priority');
  if (!priority.ok) return priority;
  const weight = parseUint(second, 65_535, 'weight');
  if (!weight.ok) return weight;
  if (!ABSOLUTE.test(target)) {
    return refuse(
      'content',
      `The target ${clip(target)} is not a URI: begin with a scheme such as "https:", and percent-encode characters that a URI may not have (RFC 3986).`,
    );
  }
  const octets = Buffer.from(target, 'latin1');
  const text = `${priority.value} ${weight.value} "${escapeOctets(octets)}"`;
  return accept(plainRdata(text, text, concat([uint16(priority.value), uint16(weight.value), octets])));
}
