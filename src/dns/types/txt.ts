/**
 * TXT: one or more character strings (RFC 1035 section 3.3.14). The parser accepts the zone file form, `"one" "two"`
 * with its escapes, and any text without quotes and backslashes, which is one string as a whole: an ACME token or an
 * SPF policy can be written as it is. Strings over 255 octets are split.
 *
 * A value may have 64,000 strings, so it is read and written in one pass over octets, without one object per string.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { defineType } from './define.ts';
import { MAX_RDATA, type ParsedRdata, plainRdata, tooLong } from './rdata.ts';
import { BACKSLASH, escapeOctets, QUOTE, readCharacterString, readEscape, skipBlanks } from './tokens.ts';

const MAX_STRING = 255;

export const TXT = defineType({
  number: 16,
  layout: ['strings'],
  form: 'text as it is, or quoted strings in the form of a zone file',
  example: 'v=spf1 mx -all',
  fields: [
    {
      name: 'text',
      label: 'Text',
      hint: 'The text as it is, or quoted strings in the form of a zone file.',
      isRest: true,
      isLong: true,
    },
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const wire = content.trimStart().startsWith('"') ? quotedStrings(content) : unquotedText(content);
  return wire.ok ? accept(plainRdata(content, presentation(wire.value), wire.value)) : wire;
}

/** Character strings on the wire, at most MAX_RDATA octets of them. */
class Strings {
  readonly #wire: Uint8Array;
  #start = 0;
  size = 0;

  /** @param octets the most octets that will be added, besides the lengths of the strings that are begun */
  constructor(octets: number) {
    this.#wire = new Uint8Array(Math.min(octets + Math.ceil(octets / MAX_STRING), MAX_RDATA) + 2);
  }

  begin(): void {
    this.#start = this.size;
    this.size += 1;
  }

  add(octet: number): void {
    if (this.size - this.#start > MAX_STRING) {
      this.end();
      this.begin();
    }
    this.#wire[this.size] = octet;
    this.size += 1;
  }

  end(): void {
    this.#wire[this.#start] = this.size - this.#start - 1;
  }

  wire(): Uint8Array {
    return this.#wire.slice(0, this.size);
  }
}

function quotedStrings(content: string): Verdict<Uint8Array> {
  const source = Buffer.from(content, 'utf8');
  // Every string has two quotes in the text and one octet for its length on the wire.
  const strings = new Strings(source.length);
  let at = skipBlanks(source, 0);
  while (at < source.length) {
    if (source[at] !== QUOTE) {
      const unquoted = readCharacterString(source, at);
      if (!unquoted.ok) return unquoted;
      return refuse('content', 'Quoted and unquoted text are mixed; put every part in quotes, or none.');
    }
    strings.begin();
    at += 1;
    while (source[at] !== QUOTE) {
      const octet = source[at];
      if (octet === undefined) return refuse('content', 'A quoted text is not closed; end it with a quote.');
      if (octet === BACKSLASH) {
        const unescaped = readEscape(source, at);
        if (!unescaped.ok) return unescaped;
        strings.add(unescaped.value.octet);
        at = unescaped.value.next;
      } else {
        strings.add(octet);
        at += 1;
      }
      if (strings.size > MAX_RDATA) return tooLong(strings.size);
    }
    strings.end();
    if (strings.size > MAX_RDATA) return tooLong(strings.size);
    at = skipBlanks(source, at + 1);
  }
  return accept(strings.wire());
}

function unquotedText(content: string): Verdict<Uint8Array> {
  if (/["\\]/.test(content)) {
    const quotedText = `"${content.replace(/["\\]/g, '\\$&')}"`;
    return refuse(
      'content',
      `A text with a quote or backslash must be written in quotes, for instance ${quotedText.length <= 80 ? quotedText : '"a \\"quoted\\" text"'}.`,
    );
  }
  // Almost always a mistake, and an invisible one: a policy with one blank too many is not a policy.
  if (content !== content.trim()) {
    return refuse(
      'content',
      `The text ${clip(content)} begins or ends with a blank; remove it, or put the text in quotes.`,
    );
  }
  const source = Buffer.from(content, 'utf8');
  const strings = new Strings(source.length);
  strings.begin();
  for (const octet of source) {
    strings.add(octet);
    if (strings.size > MAX_RDATA) return tooLong(strings.size);
  }
  strings.end();
  return accept(strings.wire());
}

/** The strings in quotes, with a blank between them. */
function presentation(wire: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < wire.length; ) {
    const end = at + 1 + wire[at]!;
    parts.push(end === at + 1 ? '""' : `"${escapeOctets(wire.subarray(at + 1, end))}"`);
    at = end;
  }
  return parts.join(' ');
}
