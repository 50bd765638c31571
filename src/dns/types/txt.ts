/**
 * TXT: one or more character strings (RFC 1035 section 3.3.14). Accepted are the zone file form, `"one" "two"` with its
 * escapes, and any text without quotes and backslashes, which is one string as a whole: an ACME token or an SPF policy
 * works as it is. Strings over 255 octets are split. What the text means is not known here.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire.ts';
import { MAX_RDATA, type ParseContent, plainRdata, tooLong } from './rdata.ts';
import { escapeOctets, readCharacterString, skipBlanks } from './tokens.ts';

const MAX_STRING = 255;

export const parseTxt: ParseContent = (content) => {
  const strings = content.trimStart().startsWith('"') ? quotedStrings(content) : unquotedText(content);
  if (!strings.ok) return strings;
  const chunks = strings.value.flatMap(split);
  const rdata = chunks.map((chunk) => `"${escapeOctets(chunk)}"`).join(' ');
  const wire = concat(chunks.flatMap((chunk) => [Uint8Array.of(chunk.length), chunk]));
  return accept(plainRdata(content, rdata, wire));
};

function quotedStrings(content: string): Verdict<Uint8Array[]> {
  const source = Buffer.from(content, 'utf8');
  const strings: Uint8Array[] = [];
  let size = 0;
  let at = skipBlanks(source, 0);
  while (at < source.length) {
    const string = readCharacterString(source, at);
    if (!string.ok) return string;
    if (!string.value.quoted) {
      return refuse('content', 'Quoted and unquoted text are mixed; put every part in quotes, or none.');
    }
    strings.push(string.value.octets);
    size += string.value.octets.length + 1;
    // Before anything is built of a hundred thousand empty strings.
    if (size > MAX_RDATA) return tooLong(size);
    at = skipBlanks(source, string.value.next);
  }
  return accept(strings);
}

function unquotedText(content: string): Verdict<Uint8Array[]> {
  if (/["\\]/.test(content)) {
    const quoted = `"${content.replace(/["\\]/g, '\\$&')}"`;
    return refuse(
      'content',
      `A text with a quote or backslash must be written in quotes, for instance ${quoted.length <= 80 ? quoted : '"a \\"quoted\\" text"'}.`,
    );
  }
  // Almost always a slip, and an invisible one: a policy with a blank too many is no policy.
  if (content !== content.trim()) {
    return refuse(
      'content',
      `The text ${clip(content)} begins or ends with a blank; remove it, or put the text in quotes.`,
    );
  }
  return accept([Buffer.from(content, 'utf8')]);
}

/** An empty string stays one empty string. */
function split(string: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  do {
    chunks.push(string.subarray(at, at + MAX_STRING));
    at += MAX_STRING;
  } while (at < string.length);
  return chunks;
}
