/**
 * NAPTR: a rule that turns a name into another name or into a URI (RFC 3403 section 4). The three strings are returned
 * in quotes; the regular expression is not looked into.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { number } from './content-fields.ts';
import { defineType } from './define.ts';
import { parseTarget } from './hostname.ts';
import type { ParsedRdata } from './rdata.ts';
import { type CharacterString, escapeOctets, fields, parseUint, readStrings } from './tokens.ts';

const SYNTAX = 'order preference flags services regexp replacement';
const SHAPE = `A NAPTR record is "${SYNTAX}", for instance 100 10 "s" "SIP+D2U" "" _sip._udp.example.com.`;
const MAX_STRING = 255;

export const NAPTR = defineType({
  number: 35,
  layout: ['number', 'number', 'string', 'string', 'string', 'name'],
  syntax: SYNTAX,
  form: 'order, preference, flags, services, regexp, replacement',
  example: '100 10 "s" "SIP+D2U" "" _sip._udp.example.org',
  fields: [
    number('order', 'Order'),
    number('preference', 'Preference'),
    { name: 'flags', label: 'Flags', isQuoted: true },
    { name: 'services', label: 'Services', isQuoted: true },
    { name: 'regexp', label: 'Regular expression', hint: 'Write a backslash as \\\\.', isQuoted: true },
    { name: 'replacement', label: 'Replacement', hint: 'A dot stands for none.' },
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const texts = readStrings(Buffer.from(content, 'utf8'), 6, SHAPE);
  if (!texts.ok) return texts;
  const [first, second, flags, services, regexp] = texts.value as Strings;
  const order = parseUint(latin1(first), 65_535, 'order');
  if (!order.ok) return order;
  const preference = parseUint(latin1(second), 65_535, 'preference');
  if (!preference.ok) return preference;
  const verdict = judgeStrings({ flags, services, regexp });
  if (!verdict.ok) return verdict;
  // A name has escapes of its own meaning, so it is taken as it is written.
  const replacement = parseTarget(fields(content).at(-1) as string, { syntax: 'any', root: true });
  if (!replacement.ok) return replacement;
  const { text, absolute, wire, host } = replacement.value;
  if (host !== null && regexp.octets.length > 0) {
    return refuse(
      'content',
      'A NAPTR record has a regexp or a replacement, not both (RFC 3403 section 4.1); write "" or "." in the place of one.',
    );
  }
  const strings = [flags.octets, services.octets, regexp.octets];
  const head = [order.value, preference.value, ...strings.map((octets) => `"${escapeOctets(octets)}"`)].join(' ');
  return accept({
    content: `${head} ${text}`,
    rdata: `${head} ${absolute}`,
    wire: concat([
      ...[order.value, preference.value].map(uint16),
      ...strings.flatMap((octets) => [Uint8Array.of(octets.length), octets]),
      wire,
    ]),
    target: host,
    priority: null,
  });
}

type Strings = [CharacterString, CharacterString, CharacterString, CharacterString, CharacterString];

function judgeStrings(strings: Readonly<Record<'flags' | 'services' | 'regexp', CharacterString>>): Verdict<null> {
  for (const [what, { octets }] of Object.entries(strings)) {
    if (octets.length > MAX_STRING) {
      return refuse(
        'content',
        `The ${what} of the NAPTR record has ${octets.length} octets; at most ${MAX_STRING} fit.`,
      );
    }
  }
  const flags = latin1(strings.flags);
  if (/^[A-Za-z0-9]*$/.test(flags)) return accept(null);
  return refuse(
    'content',
    `The NAPTR flags ${clip(flags)} are not accepted: use letters and digits, such as "u" or "s".`,
  );
}

function latin1({ octets }: CharacterString): string {
  return Buffer.from(octets).toString('latin1');
}
