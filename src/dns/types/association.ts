/**
 * TLSA and SMIMEA: an association of a certificate or key with a service (RFC 6698 section 2) or with a mail address
 * (RFC 8162 section 2). The parser checks ranges and lengths.
 */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import { hexField } from './content-fields.ts';
import { defineType } from './define.ts';
import { PORT_LABELS } from './owner-fields.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseHex, parseUint } from './tokens.ts';

const SYNTAX = 'usage selector matching data';
/** Hex digits by matching type: SHA-256, SHA-512. Type 0 is the whole certificate or key. */
const DATA_LENGTH: ReadonlyMap<number, number> = new Map([
  [1, 64],
  [2, 128],
]);

const CONTENT = {
  layout: ['octet', 'octet', 'octet', 'hex'],
  syntax: SYNTAX,
  form: 'usage, selector, matching type, data',
  example: '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6',
  fields: [
    {
      name: 'usage',
      label: 'Usage',
      choices: [
        ['3', 'DANE-EE: this certificate or key'],
        ['2', 'DANE-TA: this trust anchor'],
        ['1', 'PKIX-EE: this certificate, and a public CA'],
        ['0', 'PKIX-TA: this public CA'],
      ],
    },
    {
      name: 'selector',
      label: 'Selector',
      choices: [
        ['1', 'the public key'],
        ['0', 'the whole certificate'],
      ],
    },
    {
      name: 'matching',
      label: 'Matching type',
      choices: [
        ['1', 'SHA-256'],
        ['2', 'SHA-512'],
        ['0', 'the data itself'],
      ],
    },
    hexField('data', 'Data'),
  ],
} as const;

export const TLSA = defineType({
  number: 52,
  ...CONTENT,
  ownerFields: PORT_LABELS,
  parse: (content) => parse('A TLSA', content),
});
export const SMIMEA = defineType({ number: 53, ...CONTENT, parse: (content) => parse('An SMIMEA', content) });

function parse(what: string, content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', third = '', ...digits] = fields(content);
  if (digits.length === 0) {
    return refuse('content', `${what} record is "${SYNTAX}", for instance "3 1 1 <64 hex digits>".`);
  }
  const usage = parseUint(first, 3, 'certificate usage');
  if (!usage.ok) return usage;
  const selector = parseUint(second, 1, 'selector');
  if (!selector.ok) return selector;
  const matching = parseUint(third, 2, 'matching type');
  if (!matching.ok) return matching;
  const data = parseHex(digits.join(''), 'certificate association data');
  if (!data.ok) return data;
  const expectedLength = DATA_LENGTH.get(matching.value);
  if (expectedLength !== undefined && data.value.length !== expectedLength) {
    return refuse(
      'content',
      `The data has ${data.value.length} hexadecimal digits; matching type ${matching.value} has ${expectedLength}.`,
    );
  }
  const numbers = [usage.value, selector.value, matching.value];
  const text = `${numbers.join(' ')} ${data.value}`;
  return accept(plainRdata(text, text, concat([Uint8Array.from(numbers), Buffer.from(data.value, 'hex')])));
}
