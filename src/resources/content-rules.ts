// The form of the content of each record type, as far as a pattern can describe it; the API server checks it at
// `kubectl apply`. The operator checks the rest with #dns (nested grammars, and rules that need the zone) and reports
// the result in the condition Accepted.
import type { TypeDefinition } from '#dns/types/define.ts';
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { isGenericType, isNamedType, type NamedType, TYPES } from '#dns/types/record-type.ts';
import { quoteCel, type RuleGroup } from './rules.ts';
import {
  ADDRESS_LAST,
  ALIAS_FORM_PARAMS,
  ASSOCIATION,
  BASE64,
  CAA_PATTERN,
  CERT_PATTERN,
  CONTROL,
  DS_PATTERN,
  GENERIC,
  HOST,
  IPV4,
  LOC_PATTERN,
  MAPPED_IPV4,
  matchInCel,
  NAPTR_PATTERN,
  NUMBERS,
  PLAIN_TEXT,
  QUOTED_TEXT,
  SERVICE,
  SRV_PATTERN,
  SSHFP_PATTERN,
  URI_PATTERN,
} from './syntax.ts';

/** The fields of a spec that the rules read. */
export interface ValueFields {
  readonly type: RecordType;
  readonly content?: string | undefined;
  readonly priority?: number | undefined;
  readonly values?: readonly { readonly content: string; readonly priority?: number | undefined }[] | undefined;
}

interface ContentRule {
  /** A CEL expression that is true when the text `subject` has the right form. */
  readonly cel: (subject: string) => string;
  readonly message: string;
}

/** All types that are written by their number. */
const BY_NUMBER = 'TYPEn';

type RuledType = NamedType | typeof BY_NUMBER;

const isHost = (subject: string) => `(${matchInCel(subject, HOST)} && !${matchInCel(subject, NUMBERS)})`;

/** The rule of a type whose content the pattern describes completely. */
function pattern(source: string, message: string): ContentRule {
  return { cel: (subject) => matchInCel(subject, source), message };
}

/** The words of the content, as the service names them in its own messages. */
function words({ syntax }: TypeDefinition): string {
  return `must be "${syntax}"`;
}

const POINTER: ContentRule = {
  cel: isHost,
  message: 'must be a host name such as www.example.net; end a name of one label with a dot',
};

const SERVICE_BINDING: ContentRule = {
  cel: (subject) => `(${matchInCel(subject, SERVICE)} && !${matchInCel(subject, ALIAS_FORM_PARAMS)})`,
  message: `${words(TYPES.SVCB)} such as "1 . alpn=h2,h3"; with priority 0, omit the params`,
};

const CERTIFICATE_ASSOCIATION = pattern(
  ASSOCIATION,
  `${words(TYPES.TLSA)}, for example 3 1 1 followed by the 64 hexadecimal digits of a SHA-256 digest`,
);

const BASE64_ALONE = pattern(BASE64, 'must be base64 with padding');

/** The types in the order in which the API server tries them: rare ones are at the end. */
const RULES: Readonly<Record<RuledType, ContentRule>> = {
  A: pattern(IPV4, `must be ${example(TYPES.A)}: four numbers from 0 to 255 without leading zeros`),
  AAAA: {
    cel: (subject) => `((isIP(${subject}) && ip(${subject}).family() == 6) || ${matchInCel(subject, MAPPED_IPV4)})`,
    message: `must be ${example(TYPES.AAAA)}`,
  },
  CNAME: POINTER,
  ALIAS: POINTER,
  NS: POINTER,
  PTR: POINTER,
  DNAME: POINTER,
  MX: {
    cel: (subject) => `(${subject} == '.' || ${isHost(subject)})`,
    message: 'must be a host name such as mail.example.net; set the preference in priority',
  },
  SRV: {
    cel: (subject) => `(${matchInCel(subject, SRV_PATTERN)} && !${matchInCel(subject, ADDRESS_LAST)})`,
    message: `${words(TYPES.SRV)} such as "10 5 5060 sip.example.net"; the target "." means that the service is not available`,
  },
  HTTPS: SERVICE_BINDING,
  SVCB: SERVICE_BINDING,
  CAA: pattern(CAA_PATTERN, `${words(TYPES.CAA)} such as 0 issue "ca.example.net"`),
  DS: pattern(
    DS_PATTERN,
    `${words(TYPES.DS)}, for example 12345 13 2 followed by the 64 hexadecimal digits of a SHA-256 digest`,
  ),
  TLSA: CERTIFICATE_ASSOCIATION,
  SMIMEA: CERTIFICATE_ASSOCIATION,
  TXT: {
    cel: (subject) =>
      `(!${matchInCel(subject, CONTROL)} && (${matchInCel(subject, PLAIN_TEXT)} || ${matchInCel(subject, QUOTED_TEXT)}))`,
    message: String.raw`must be text without quotes, backslashes, and leading or trailing blanks, or one or more quoted strings such as "a \"b\" c"`,
  },
  SSHFP: pattern(
    SSHFP_PATTERN,
    `${words(TYPES.SSHFP)}, for example 4 2 followed by the 64 hexadecimal digits of a SHA-256 fingerprint`,
  ),
  NAPTR: pattern(NAPTR_PATTERN, `${words(TYPES.NAPTR)} such as 100 10 "s" "SIP+D2U" "" _sip._udp.example.net`),
  URI: pattern(URI_PATTERN, `${words(TYPES.URI)} such as 10 1 "https://www.example.net/"`),
  LOC: pattern(
    LOC_PATTERN,
    'must be "latitude N|S longitude E|W altitude" such as 52 22 23 N 4 53 32 E -2m; sizes in metres may follow',
  ),
  CERT: pattern(CERT_PATTERN, `${words(TYPES.CERT)}, for example PKIX 0 0 followed by the certificate in base64`),
  OPENPGPKEY: BASE64_ALONE,
  DHCID: BASE64_ALONE,
  [BY_NUMBER]: pattern(
    GENERIC,
    String.raw`must be generic RDATA (RFC 3597) such as \# 4 c0000201: the number of octets, and hexadecimal digits`,
  ),
};

const RULED_TYPES = Object.keys(RULES) as readonly RuledType[];

function example(type: TypeDefinition): string {
  return `${type.form} such as ${type.example}`;
}

/** Each form with the types that have it. `subject` is the content in the expression that `wrap` makes of a form. */
function formOfType(subject: string, wrap: (form: string) => string): string {
  const typesOf = new Map<string, RuledType[]>();
  for (const type of RULED_TYPES) {
    const form = RULES[type].cel(subject);
    typesOf.set(form, [...(typesOf.get(form) ?? []), type]);
  }
  const branches = [...typesOf].map(([form, types]) => `${isOneOf(types)} ? ${wrap(form)} : `);
  // A type that is not in the list breaks its enum, and an error about its content would not help.
  return `[self.type].all(t, ${branches.join('')}true)`;
}

const literal = (type: string) => `'${type}'`;
const isByNumber = (type: string) => `${type}.startsWith('TYPE')`;
const isOneOf = (types: readonly RuledType[]) =>
  types.map((type) => (type === BY_NUMBER ? isByNumber('t') : `t == ${literal(type)}`)).join(' || ');

/** A rule for each type. `self.type` is read once, because each reading copies the description of all fields. */
function contentRules(what: string, rule: string, contentsOf: (self: ValueFields) => readonly string[]) {
  const messages = RULED_TYPES.map((type) => ({ type, message: `${what} of type ${type} ${RULES[type].message}` }));
  const texts = messages.map(({ type, message }) => `${literal(type)}: ${quoteCel(message)}`);
  return {
    rule,
    messageExpression: `{${texts.join(', ')}}[${isByNumber('self.type')} ? ${literal(BY_NUMBER)} : self.type]`,
    checks: messages.map(({ type, message }) => ({
      message,
      holds: (self: ValueFields) =>
        chooseFormType(self.type) !== type || contentsOf(self).every((content) => isContent(self.type, content)),
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

/** Null for a text that is not a type: its pattern refuses it. */
function chooseFormType(type: string): RuledType | null {
  if (isNamedType(type)) return type;
  return isGenericType(type) ? BY_NUMBER : null;
}

/** Checks the content alone; other rules check the priority. */
function isContent(type: RecordType, content: string): boolean {
  const verdict = parseRdata(type, content, null);
  return verdict.ok || verdict.problem.field !== 'content';
}
