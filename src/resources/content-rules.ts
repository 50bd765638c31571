// The form of the content of each of the 13 record types, as far as a pattern can describe it; the API server checks it at
// `kubectl apply`. The operator checks the rest with #dns (nested grammars, and rules that need the zone) and reports the
// result in the condition Accepted.
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import type { Rule } from './rules.ts';
import {
  ADDRESS_LAST,
  ALIAS_FORM_PARAMS,
  CAA,
  CONTROL,
  DS,
  HOST,
  HTTPS,
  MAPPED_IPV4,
  matches,
  NUMBERS,
  PLAIN_TEXT,
  QUOTED_TEXT,
  SRV,
  TLSA,
} from './syntax.ts';

/** The fields of a spec that the rules read. */
export interface ValueFields {
  readonly type: RecordType;
  readonly content?: string | undefined;
  readonly priority?: number | undefined;
  readonly values?: readonly { readonly content: string; readonly priority?: number | undefined }[] | undefined;
}

interface ContentForm {
  readonly type: RecordType;
  /** A CEL expression that is true when the text `subject` has the right form. */
  readonly cel: (subject: string) => string;
  readonly message: string;
}

const isHost = (subject: string) => `(${matches(subject, HOST)} && !${matches(subject, NUMBERS)})`;

const FORMS: readonly ContentForm[] = [
  {
    type: 'A',
    cel: (subject) => `(isIP(${subject}) && ip(${subject}).family() == 4)`,
    message: 'must be an IPv4 address such as 192.0.2.10: four numbers from 0 to 255 without leading zeros',
  },
  {
    type: 'AAAA',
    cel: (subject) => `((isIP(${subject}) && ip(${subject}).family() == 6) || ${matches(subject, MAPPED_IPV4)})`,
    message: 'must be an IPv6 address such as 2001:db8::10',
  },
  ...(['CNAME', 'ALIAS', 'NS', 'PTR'] as const).map((type) => ({
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
  {
    type: 'HTTPS',
    cel: (subject) => `(${matches(subject, HTTPS)} && !${matches(subject, ALIAS_FORM_PARAMS)})`,
    message: 'must be "priority target params" such as "1 . alpn=h2,h3"; with priority 0, omit the params',
  },
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
  {
    type: 'TLSA',
    cel: (subject) => matches(subject, TLSA),
    message:
      'must be "usage selector matching data", for example 3 1 1 followed by the 64 hexadecimal digits of a SHA-256 digest',
  },
  {
    type: 'TXT',
    cel: (subject) =>
      `(!${matches(subject, CONTROL)} && (${matches(subject, PLAIN_TEXT)} || ${matches(subject, QUOTED_TEXT)}))`,
    message: String.raw`must be text without quotes, backslashes, and leading or trailing blanks, or one or more quoted strings such as "a \"b\" c"`,
  },
];

/** Each type has one rule for `content` and one for `values`, so that the error names the right field. */
export const CONTENT_RULES: readonly Rule<ValueFields>[] = FORMS.flatMap(({ type, cel, message }) => [
  {
    rule: `self.type != '${type}' || !has(self.content) || ${cel('self.content')}`,
    message: `content of type ${type} ${message}`,
    fieldPath: '.content',
    holds: (self: ValueFields) => self.type !== type || self.content === undefined || isContent(type, self.content),
  },
  {
    rule: `self.type != '${type}' || !has(self.values) || self.values.all(v, ${cel('v.content')})`,
    message: `each content of type ${type} ${message}`,
    fieldPath: '.values',
    holds: (self: ValueFields) =>
      self.type !== type || (self.values ?? []).every((value) => isContent(type, value.content)),
  },
]);

/** Checks the content alone; other rules check the priority. */
function isContent(type: RecordType, content: string): boolean {
  const verdict = parseRdata(type, content, null);
  return verdict.ok || verdict.problem.field !== 'content';
}
