/**
 * CAA: which certificate authorities may issue (RFC 8659). A CA that cannot parse a known property must not issue, so
 * the values of the known tags are held to their grammar; unknown tags take any text.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { escapeOctets, parseUint, readStrings } from './tokens.ts';

const SYNTAX = 'flags tag value';
const SHAPE = `A CAA record is "${SYNTAX}", for instance 0 issue "letsencrypt.org".`;
/** RFC 8659 section 4.1: only the critical bit is defined. */
const CRITICAL = 128;
/** Tags whose value names an issuer: RFC 8659 sections 4.2 and 4.3, RFC 9495 section 3. */
const ISSUER_TAGS: ReadonlySet<string> = new Set(['issue', 'issuewild', 'issuemail']);

export const CAA = defineType({
  number: 257,
  layout: ['octet', 'word', 'quoted'],
  syntax: SYNTAX,
  form: 'flags, tag, value',
  example: '0 issue "letsencrypt.org"',
  fields: [
    {
      name: 'flags',
      label: 'Flags',
      choices: [
        ['0', '0: a CA may ignore an unknown tag'],
        ['128', '128: critical, an unknown tag forbids issuance'],
      ],
    },
    {
      name: 'tag',
      label: 'Tag',
      choices: [
        ['issue', 'issue: this CA may issue certificates'],
        ['issuewild', 'issuewild: this CA may issue wildcard certificates'],
        ['issuemail', 'issuemail: this CA may issue mail certificates'],
        ['iodef', 'iodef: report violations to this URL'],
      ],
    },
    {
      name: 'value',
      label: 'Value',
      hint: 'The name of the CA, or ";" for none. For iodef a URL.',
      isQuoted: true,
    },
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const strings = readStrings(Buffer.from(content, 'utf8'), 3, SHAPE);
  if (!strings.ok) return strings;
  const [first, second, third] = strings.value.map((string) => Buffer.from(string.octets).toString('latin1'));
  if (first === undefined || second === undefined || third === undefined) return refuse('content', SHAPE);

  const flags = parseUint(first, 255, 'CAA flag');
  if (!flags.ok) return flags;
  if (flags.value !== 0 && flags.value !== CRITICAL) {
    return refuse('content', `The CAA flag is ${flags.value}; it must be 0, or 128 for a critical property.`);
  }
  const tag = second.toLowerCase();
  if (!/^[a-z0-9]+$/.test(tag) || tag.length > 255) {
    return refuse(
      'content',
      `The CAA tag ${quoted(second)} is not accepted; it has letters and digits only, such as "issue".`,
    );
  }
  const value = judgeValue(tag, third);
  if (!value.ok) return value;
  const octets = Buffer.from(third, 'latin1');
  const text = `${flags.value} ${tag} "${escapeOctets(octets)}"`;
  return accept(plainRdata(text, text, concat([Uint8Array.of(flags.value, tag.length), Buffer.from(tag), octets])));
}

function judgeValue(tag: string, value: string): Verdict<null> {
  if (ISSUER_TAGS.has(tag) && !isIssuerValue(value)) {
    return refuse(
      'content',
      `The value ${quoted(value)} is not accepted for ${tag}: write "ca.example", "ca.example; name=value", or ";" for no CA at all.`,
    );
  }
  if (tag === 'iodef' && !isReportUrl(value)) {
    return refuse(
      'content',
      `The value ${quoted(value)} is not accepted for iodef: write a mailto:, http: or https: URL.`,
    );
  }
  return accept(null);
}

/** A value in a message, as its writer typed it. @param octets one character each */
function quoted(octets: string): string {
  return clip(Buffer.from(octets, 'latin1').toString('utf8'));
}

/** The grammar of issue-value, RFC 8659 section 4.2. Parameters hold no semicolon, so that splitting there is exact. */
function isIssuerValue(value: string): boolean {
  const [issuer = '', ...parameters] = value.split(';').map(trimBlanks);
  if (issuer !== '' && !issuer.split('.').every((label) => LABEL.test(label))) return false;
  if (parameters.length === 1 && parameters[0] === '') return true;
  return parameters.every((parameter) => {
    const equals = parameter.indexOf('=');
    return (
      equals > 0 &&
      LABEL.test(trimBlanks(parameter.slice(0, equals))) &&
      PARAMETER_VALUE.test(trimBlanks(parameter.slice(equals + 1)))
    );
  });
}

/** Letters and digits with inner hyphens: the labels of an issuer name and the tags of its parameters. */
const LABEL = /^[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*$/;
const PARAMETER_VALUE = /^[\x21-\x3a\x3c-\x7e]*$/;

/** A loop, because a regular expression for the end of a text is quadratic on runs of blanks inside it. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start += 1;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(start, end);
}

/** RFC 8659 section 4.4. */
function isReportUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value)) return false;
  if (/^https?:/i.test(value)) return URL.canParse(value) && /^https?:\/\/[^/]/i.test(value);
  return /^mailto:[^@?]+@[^@?]+(?:\?.*)?$/i.test(value);
}
