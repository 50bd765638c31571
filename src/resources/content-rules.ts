// The form of the content of each record type, as far as a pattern can describe it; the API server checks it at
// `kubectl apply`. The operator checks the rest with #dns (nested grammars, and rules that need the zone) and reports the
// result in the condition Accepted.
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { isGenericType, isNamedType, type NamedType } from '#dns/types/record-type.ts';
import { quoted, type RuleGroup } from './rules.ts';
import {
  ADDRESS_LAST,
  ALIAS_FORM_PARAMS,
  ASSOCIATION,
  BASE64,
  CAA,
  CERT,
  CONTROL,
  DS,
  GENERIC,
  HOST,
  IPV4,
  LOC,
  MAPPED_IPV4,
  matches,
  NAPTR,
  NUMBERS,
  PLAIN_TEXT,
  QUOTED_TEXT,
  SERVICE,
  SRV,
  SSHFP,
  URI,
} from './syntax.ts';

/** The fields of a spec that the rules read. */
export interface ValueFields {
  readonly type: RecordType;
  readonly content?: string | undefined;
  readonly priority?: number | undefined;
  readonly values?: readonly { readonly content: string; readonly priority?: number | undefined }[] | undefined;
}

interface ContentForm {
  readonly type: NamedType | typeof BY_NUMBER;
  /** A CEL expression that is true when the text `subject` has the right form. */
  readonly cel: (subject: string) => string;
  readonly message: string;
}

/** All types that are written by their number. */
const BY_NUMBER = 'TYPEn';

const isHost = (subject: string) => `(${matches(subject, HOST)} && !${matches(subject, NUMBERS)})`;

/** Rare types are at the end, because the API server tries the types in this order. */
const FORMS: readonly ContentForm[] = [
  {
    type: 'A',
    cel: (subject) => matches(subject, IPV4),
    message: 'must be an IPv4 address such as 192.0.2.10: four numbers from 0 to 255 without leading zeros',
  },
  {
    type: 'AAAA',
    cel: (subject) => `((isIP(${subject}) && ip(${subject}).family() == 6) || ${matches(subject, MAPPED_IPV4)})`,
    message: 'must be an IPv6 address such as 2001:db8::10',
  },
  ...(['CNAME', 'ALIAS', 'NS', 'PTR', 'DNAME'] as const).map((type) => ({
    type,
    cel: isHost,
    message: 'must be a host name such as www.example.net; end a name of one label with a dot',
  })),
  {
    type: 'MX',
    cel: (subject) => `(${subject} == '.' || ${isHost(subject)})`,
    message: 'must be a host name such as mail.example.net; set the preference in priority',
  },
  {
    type: 'SRV',
    cel: (subject) => `(${matches(subject, SRV)} && !${matches(subject, ADDRESS_LAST)})`,
    message:
      'must be "priority weight port target" such as "10 5 5060 sip.example.net"; the target "." means that the service is not available',
  },
  ...(['HTTPS', 'SVCB'] as const).map((type) => ({
    type,
    cel: (subject: string) => `(${matches(subject, SERVICE)} && !${matches(subject, ALIAS_FORM_PARAMS)})`,
    message: 'must be "priority target params" such as "1 . alpn=h2,h3"; with priority 0, omit the params',
  })),
  {
    type: 'CAA',
    cel: (subject) => matches(subject, CAA),
    message: 'must be "flags tag value" such as 0 issue "ca.example.net"',
  },
  {
    type: 'DS',
    cel: (subject) => matches(subject, DS),
    message:
      'must be "keytag algorithm digesttype digest", for example 12345 13 2 followed by the 64 hexadecimal digits of a SHA-256 digest',
  },
  ...(['TLSA', 'SMIMEA'] as const).map((type) => ({
    type,
    cel: (subject: string) => matches(subject, ASSOCIATION),
    message:
      'must be "usage selector matching data", for example 3 1 1 followed by the 64 hexadecimal digits of a SHA-256 digest',
  })),
  {
    type: 'TXT',
    cel: (subject) =>
      `(!${matches(subject, CONTROL)} && (${matches(subject, PLAIN_TEXT)} || ${matches(subject, QUOTED_TEXT)}))`,
    message: String.raw`must be text without quotes, backslashes, and leading or trailing blanks, or one or more quoted strings such as "a \"b\" c"`,
  },
  {
    type: 'SSHFP',
    cel: (subject) => matches(subject, SSHFP),
    message:
      'must be "algorithm type fingerprint", for example 4 2 followed by the 64 hexadecimal digits of a SHA-256 fingerprint',
  },
  {
    type: 'NAPTR',
    cel: (subject) => matches(subject, NAPTR),
    message:
      'must be "order preference flags services regexp replacement" such as 100 10 "s" "SIP+D2U" "" _sip._udp.example.net',
  },
  {
    type: 'URI',
    cel: (subject) => matches(subject, URI),
    message: 'must be "priority weight target" such as 10 1 "https://www.example.net/"',
  },
  {
    type: 'LOC',
    cel: (subject) => matches(subject, LOC),
    message:
      'must be "latitude N|S longitude E|W altitude" such as 52 22 23 N 4 53 32 E -2m; sizes in metres may follow',
  },
  {
    type: 'CERT',
    cel: (subject) => matches(subject, CERT),
    message: 'must be "type keytag algorithm certificate", for example PKIX 0 0 followed by the certificate in base64',
  },
  ...(['OPENPGPKEY', 'DHCID'] as const).map((type) => ({
    type,
    cel: (subject: string) => matches(subject, BASE64),
    message: 'must be base64 with padding',
  })),
  {
    type: BY_NUMBER,
    cel: (subject) => matches(subject, GENERIC),
    message: String.raw`must be generic RDATA (RFC 3597) such as \# 4 c0000201: the number of octets, and hexadecimal digits`,
  },
];

/** Each form with the types that have it. `subject` is the content in the expression that `wrap` makes of a form. */
function formOfType(subject: string, wrap: (form: string) => string): string {
  const typesOf = new Map<string, ContentForm['type'][]>();
  for (const { type, cel } of FORMS) {
    const form = cel(subject);
    typesOf.set(form, [...(typesOf.get(form) ?? []), type]);
  }
  const branches = [...typesOf].map(([form, types]) => `${isOneOf(types)} ? ${wrap(form)} : `);
  // A type that is not in the list breaks its enum, and an error about its content would not help.
  return `[self.type].all(t, ${branches.join('')}true)`;
}

const literal = (type: string) => `'${type}'`;
const isByNumber = (type: string) => `${type}.startsWith('TYPE')`;
const isOneOf = (types: readonly ContentForm['type'][]) =>
  types.map((type) => (type === BY_NUMBER ? isByNumber('t') : `t == ${literal(type)}`)).join(' || ');

/** A rule for each type. `self.type` is read once, because each reading copies the description of all fields. */
function contentRules(what: string, rule: string, contentsOf: (self: ValueFields) => readonly string[]) {
  const messages = FORMS.map(({ type, message }) => ({ type, message: `${what} of type ${type} ${message}` }));
  const texts = messages.map(({ type, message }) => `${literal(type)}: ${quoted(message)}`);
  return {
    rule,
    messageExpression: `{${texts.join(', ')}}[${isByNumber('self.type')} ? ${literal(BY_NUMBER)} : self.type]`,
    checks: messages.map(({ type, message }) => ({
      message,
      holds: (self: ValueFields) =>
        formTypeOf(self.type) !== type || contentsOf(self).every((content) => isContent(self.type, content)),
    })),
  } satisfies RuleGroup<ValueFields>;
}

/** The form of `content`, which is read once. An empty one breaks its minLength. */
export const CONTENT_RULES: RuleGroup<ValueFields> = {
  ...contentRules(
    'content',
    `[self.?content.orValue('')].all(c, c == '' || ${formOfType('c', (form) => form)})`,
    ({ content }) => (content === undefined ? [] : [content]),
  ),
  fieldPath: '.content',
};

/** The form of each content in `values`, which must exist. */
export const VALUES_CONTENT_RULES: RuleGroup<ValueFields> = contentRules(
  'each content',
  formOfType('v.content', (form) => `self.values.all(v, ${form})`),
  ({ values = [] }) => values.map(({ content }) => content),
);

/** Null for a text that is no type: its pattern refuses it. */
function formTypeOf(type: string): ContentForm['type'] | null {
  if (isNamedType(type)) return type;
  return isGenericType(type) ? BY_NUMBER : null;
}

/** Checks the content alone; other rules check the priority. */
function isContent(type: RecordType, content: string): boolean {
  const verdict = parseRdata(type, content, null);
  return verdict.ok || verdict.problem.field !== 'content';
}
