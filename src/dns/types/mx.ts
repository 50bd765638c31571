/**
 * MX: a mail exchanger (RFC 1035 section 3.3.9), its preference in the `priority` field; `.` is the null MX of RFC
 * 7505.
 */
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { parseTarget } from './hostname.ts';
import type { ParsedRdata } from './rdata.ts';

/** The preference of an MX record that names none. */
export const DEFAULT_MX_PRIORITY = 10;

export const MX = defineType({
  number: 15,
  layout: ['number', 'name'],
  form: 'a host name; the preference is a field of its own, priority (default 10)',
  example: 'mail.example.org',
  fields: [host('Mail server')],
  parse,
});

function parse(content: string, priority: number): Verdict<ParsedRdata> {
  const numbered = /^([0-9]{1,5})[ \t]+([^ \t]+)$/.exec(content);
  if (numbered !== null) {
    return refuse(
      'content',
      `The content of an MX record is the host alone: put ${numbered[1]} into "priority" and ${clip(numbered[2]!)} into "content".`,
    );
  }
  const target = parseTarget(content, { syntax: 'host', root: true });
  if (!target.ok) return target;
  const { text, absolute, wire, host: mailHost } = target.value;
  if (mailHost === null && priority !== 0) {
    return refuse(
      'priority',
      'A null MX (content ".") has priority 0 (RFC 7505); set "priority" to 0 or name a mail host.',
    );
  }
  return accept({
    content: text,
    rdata: `${priority} ${absolute}`,
    wire: concat([uint16(priority), wire]),
    target: mailHost,
    priority,
  });
}
