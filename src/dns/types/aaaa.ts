/** AAAA: an IPv6 address (RFC 3596) in any form of RFC 4291, returned per RFC 5952. */

import { describeUnusable, formatIpv6, parseIpv6 } from '#base/address.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';

export const AAAA = defineType({
  number: 28,
  layout: ['ipv6'],
  form: 'an IPv6 address',
  example: '2001:db8::10',
  fields: [{ name: 'address', label: 'IPv6 address' }],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const wire = parseIpv6(content);
  if (wire === null) {
    const reason = describeUnusable(content);
    if (reason !== null) return refuse('content', `${clip(content)} ${reason}.`);
    return refuse('content', `${clip(content)} is not an IPv6 address; write one such as "2001:db8::1".`);
  }
  return accept(plainRdata(formatIpv6(wire, { hexOnly: false }), formatIpv6(wire, { hexOnly: true }), wire));
}
