// What the content of a record must look like at `kubectl apply`, as far as a pattern can say it, for all 13 types. The
// rest (grammars inside, and whatever needs the zone) is judged by dns/ in the operator (condition Accepted).
import { parseRdata, type RecordType } from '../../dns/types/index.ts';
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

/** What the rules need of a spec. */
export interface ValueFields {
  readonly type: RecordType;
  readonly content?: string | undefined;
  readonly priority?: number | undefined;
  readonly values?: readonly { readonly content: string; readonly priority?: number | undefined }[] | undefined;
}

interface ContentForm {
  readonly type: RecordType;
  /** CEL that is true when the text `subject` is right. */
  readonly cel: (subject: string) => string;
  readonly message: string;
}

const isHost = (subject: string) => `(${matches(subject, HOST)} && !${matches(subject, NUMBERS)})`;

const FORMS: readonly ContentForm[] = [
  {
    type: 'A',
    cel: (subject) => `(isIP(${subject}) && ip(${subject}).family() == 4)`,
    message: 'must be an IPv4 address such as 192.0.2.10: four numbers without leading zeros',
  },
  {
    type: 'AAAA',
    cel: (subject) => `((isIP(${subject}) && ip(${subject}).family() == 6) || ${matches(subject, MAPPED_IPV4)})`,
    message: 'must be an IPv6 address such as 2001:db8::10',
  },
  ...(['CNAME', 'ALIAS', 'NS', 'PTR'] as const).map((type) => ({
    type,
    cel: isHost,
    message: 'must be a host name such as www.example.net; a single label needs a final dot',
  })),
  {
    type: 'MX',
    cel: (subject) => `(${subject} == '.' || ${isHost(subject)})`,
    message: 'must be a host name such as mail.example.net; the preference goes into priority',
  },
  {
    type: 'SRV',
    cel: (subject) => `(${matches(subject, SRV)} && !${matches(subject, ADDRESS_LAST)})`,
    message: 'must be "priority weight port target" such as "10 5 5060 sip.example.net"; "." as target offers nothing',
  },
  {
    type: 'HTTPS',
    cel: (subject) => `(${matches(subject, HTTPS)} && !${matches(subject, ALIAS_FORM_PARAMS)})`,
    message: 'must be "priority target params" such as "1 . alpn=h2,h3"; priority 0 takes no params',
  },
  {
    type: 'CAA',
    cel: (subject) => matches(subject, CAA),
    message: 'must be "flags tag value" such as 0 issue "ca.example.net"',
  },
  {
    type: 'DS',
    cel: (subject) => matches(subject, DS),
    message: 'must be "keytag algorithm digesttype digest" such as 12345 13 2 and the 64 hexadecimal digits of SHA-256',
  },
  {
    type: 'TLSA',
    cel: (subject) => matches(subject, TLSA),
    message: 'must be "usage selector matching data" such as 3 1 1 and the 64 hexadecimal digits of SHA-256',
  },
  {
    type: 'TXT',
    cel: (subject) =>
      `(!${matches(subject, CONTROL)} && (${matches(subject, PLAIN_TEXT)} || ${matches(subject, QUOTED_TEXT)}))`,
    message: String.raw`must be text without quotes, backslashes and outer blanks, or one or more quoted strings such as "a \"b\" c"`,
  },
];

/** One rule for `content` and one for `values` per type: the error then names the right field. */
export const CONTENT_RULES: readonly Rule<ValueFields>[] = FORMS.flatMap(({ type, cel, message }) => [
  {
    rule: `self.type != '${type}' || !has(self.content) || ${cel('self.content')}`,
    message: `content of type ${type} ${message}`,
    fieldPath: '.content',
    holds: (self: ValueFields) => self.type !== type || self.content === undefined || isContent(type, self.content),
  },
  {
    rule: `self.type != '${type}' || !has(self.values) || self.values.all(v, ${cel('v.content')})`,
    message: `every content of type ${type} ${message}`,
    fieldPath: '.values',
    holds: (self: ValueFields) =>
      self.type !== type || (self.values ?? []).every((value) => isContent(type, value.content)),
  },
]);

/** The content alone: whether its priority fits is another rule's question. */
function isContent(type: RecordType, content: string): boolean {
  const verdict = parseRdata(type, content, null);
  return verdict.ok || verdict.problem.field !== 'content';
}
