/**
 * TLSA and SMIMEA: an association of a certificate or key with a service (RFC 6698 section 2) or with a mail address
 * (RFC 8162 section 2). The parser checks ranges and lengths.
 */
import { Buffer } from 'node:buffer';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import { type ParseContent, type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseHex, parseUint } from './tokens.ts';

/** Hex digits by matching type: SHA-256, SHA-512. Type 0 is the whole certificate or key. */
const DATA_LENGTH: ReadonlyMap<number, number> = new Map([
  [1, 64],
  [2, 128],
]);

export const parseTlsa: ParseContent = (content) => parse('A TLSA', content);
export const parseSmimea: ParseContent = (content) => parse('An SMIMEA', content);

function parse(what: string, content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', third = '', ...hex] = fields(content);
  if (hex.length === 0) {
    return refuse('content', `${what} record is "usage selector matching data", for instance "3 1 1 <64 hex digits>".`);
  }
  const usage = parseUint(first, 3, 'certificate usage');
  if (!usage.ok) return usage;
  const selector = parseUint(second, 1, 'selector');
  if (!selector.ok) return selector;
  const matching = parseUint(third, 2, 'matching type');
  if (!matching.ok) return matching;
  const data = parseHex(hex.join(''), 'certificate association data');
  if (!data.ok) return data;
  const expected = DATA_LENGTH.get(matching.value);
  if (expected !== undefined && data.value.length !== expected) {
    return refuse(
      'content',
      `The data has ${data.value.length} hexadecimal digits; matching type ${matching.value} has ${expected}.`,
    );
  }
  const numbers = [usage.value, selector.value, matching.value];
  const text = `${numbers.join(' ')} ${data.value}`;
  return accept(plainRdata(text, text, concat([Uint8Array.from(numbers), Buffer.from(data.value, 'hex')])));
}
