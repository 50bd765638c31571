/** A: an IPv4 address (RFC 1035 section 3.4.1), a dotted quad without leading zeros. */

import { formatIpv4, parseIpv4 } from '#base/address.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';

export const A = defineType({
  number: 1,
  layout: ['ipv4'],
  form: 'an IPv4 address',
  example: '192.0.2.10',
  fields: [{ name: 'address', label: 'IPv4 address' }],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const wire = parseIpv4(content);
  if (wire === null) {
    return refuse('content', `${clip(content)} is not an IPv4 address; write four numbers such as "192.0.2.1".`);
  }
  const text = formatIpv4(wire);
  return accept(plainRdata(text, text, wire));
}
