// The form of the content of each of the 13 record types, as far as a pattern can describe it; the API server checks it at
// `kubectl apply`. The operator checks the rest with #dns (nested grammars, and rules that need the zone) and reports the
// result in the condition Accepted.
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { quoted, type RuleGroup } from './rules.ts';
import {
  ADDRESS_LAST,
  ALIAS_FORM_PARAMS,
  CAA,
  CONTROL,
  DS,
  HOST,
  HTTPS,
  IPV4,
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
    cel: (subject) => matches(subject, IPV4),
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

/** Each form with the types that have it. `subject` is the content in the expression that `wrap` makes of a form. */
function formOfType(subject: string, wrap: (form: string) => string): string {
  const typesOf = new Map<string, RecordType[]>();
  for (const { type, cel } of FORMS) {
    const form = cel(subject);
    typesOf.set(form, [...(typesOf.get(form) ?? []), type]);
  }
  const branches = [...typesOf].map(([form, types]) => `${isOneOf(types)} ? ${wrap(form)} : `);
  // A type that is not in the list breaks its enum, and an error about its content would not help.
  return `[self.type].all(t, ${branches.join('')}true)`;
}

const literal = (type: RecordType) => `'${type}'`;
const isOneOf = (types: readonly RecordType[]) => types.map((type) => `t == ${literal(type)}`).join(' || ');

/** A rule for each type. `self.type` is read once, because each reading copies the description of all fields. */
function contentRules(what: string, rule: string, contentsOf: (self: ValueFields) => readonly string[]) {
  const messages = FORMS.map(({ type, message }) => ({ type, message: `${what} of type ${type} ${message}` }));
  const texts = messages.map(({ type, message }) => `${literal(type)}: ${quoted(message)}`);
  return {
    rule,
    messageExpression: `{${texts.join(', ')}}[self.type]`,
    checks: messages.map(({ type, message }) => ({
      message,
      holds: (self: ValueFields) => self.type !== type || contentsOf(self).every((content) => isContent(type, content)),
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

/** Checks the content alone; other rules check the priority. */
function isContent(type: RecordType, content: string): boolean {
  const verdict = parseRdata(type, content, null);
  return verdict.ok || verdict.problem.field !== 'content';
}
