// What the content of a record must look like at `kubectl apply`, for the five types whose form one pattern can say. The
// others, and whatever needs the zone, are judged by dns/ in the operator (condition Accepted). It must not know status.
import { parseRdata, type RecordType } from '../../dns/types/index.ts';
import type { Rule } from './rules.ts';
import { CONTROL, HOST, MAPPED_IPV4, matches, NUMBERS, PLAIN_TEXT, QUOTED_TEXT } from './syntax.ts';

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
  {
    type: 'CNAME',
    cel: isHost,
    message: 'must be a host name such as www.example.net; a single label needs a final dot',
  },
  {
    type: 'MX',
    cel: (subject) => `(${subject} == '.' || ${isHost(subject)})`,
    message: 'must be a host name such as mail.example.net; the preference goes into priority',
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
