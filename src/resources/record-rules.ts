// Rules between the fields of one DNSRecord. Rules that need the zone or other records are in #dns.
import { SINGLE_TYPES } from '#dns/types/record-type.ts';
import { CONTENT_RULES, VALUES_CONTENT_RULES, type ValueFields } from './content-rules.ts';
import { type Rule, type RuleGroup, together } from './rules.ts';
import { matchInCel, RECORD_TYPE } from './syntax.ts';

interface Drawn {
  readonly tier?: number | undefined;
  readonly weight?: number | undefined;
}

interface RecordFields extends ValueFields {
  readonly name: string;
  readonly values?: readonly (Value & Drawn)[] | undefined;
  readonly healthCheck?: object | undefined;
  readonly healthFrom?: object | undefined;
  readonly whenAllFail?: string | undefined;
  readonly reverse?: boolean | undefined;
}

const IS_TYPE = matchInCel('self.type', RECORD_TYPE);

const TYPE: readonly Rule<RecordFields>[] = [
  {
    rule: IS_TYPE,
    message:
      'must be a record type in capitals, such as A, AAAA, CNAME, MX or TXT, or TYPE with a number; use ALIAS for ANAME and TXT ' +
      'for SPF, and no object for SOA, which the service makes itself',
    holds: (self) => new RegExp(RECORD_TYPE).test(self.type),
  },
  {
    rule: "self.type != 'CNAME'",
    message: 'a CNAME is not accepted at the apex "@", next to SOA and NS: use type ALIAS',
    holds: (self) => self.name !== '@' || self.type !== 'CNAME',
  },
  {
    rule: "self.type != 'NS'",
    message: 'the service manages the NS records at the apex "@": set name to a name below it to delegate that name',
    holds: (self) => self.name !== '@' || self.type !== 'NS',
  },
  {
    rule: "self.type != 'DS'",
    message: 'a DS record belongs in the parent zone: set name to the name of a child zone instead of "@"',
    holds: (self) => self.name !== '@' || self.type !== 'DS',
  },
];

const ONE_OF: Rule<RecordFields> = {
  rule: 'has(self.content) != has(self.values)',
  message: 'set either content (one value) or values (a list of values)',
  holds: (self) => (self.content === undefined) !== (self.values === undefined),
};

const PRIORITY: readonly Rule<RecordFields>[] = [
  {
    rule: "!has(self.priority) || self.type == 'MX'",
    message: 'only type MX accepts a priority: remove it',
    holds: (self) => self.priority === undefined || self.type === 'MX',
  },
  {
    rule: '!has(self.priority) || has(self.content)',
    message: 'set priority together with content; in values, set the priority of each value',
    holds: (self) => self.priority === undefined || self.content !== undefined,
  },
  {
    rule: "self.type != 'MX' || !has(self.content) || self.content != '.' || (has(self.priority) && self.priority == 0)",
    message: 'a null MX (content ".") has priority 0 (RFC 7505): set priority to 0, or set content to a mail host',
    holds: (self) => self.type !== 'MX' || self.content !== '.' || self.priority === 0,
  },
];

const IS_ADDRESS = "self.type in ['A', 'AAAA']";
const isAddress = ({ type }: RecordFields) => type === 'A' || type === 'AAAA';
const tierOf = ({ tier = 0 }: { readonly tier?: number | undefined }) => tier;

const IS_CHECKED = '(has(self.healthCheck) || has(self.healthFrom))';
const isChecked = ({ healthCheck, healthFrom }: RecordFields) => healthCheck !== undefined || healthFrom !== undefined;

const HEALTH: readonly Rule<RecordFields>[] = [
  {
    rule: `!${IS_CHECKED} || ${IS_ADDRESS}`,
    message: 'only the addresses of types A and AAAA can be checked: remove healthCheck and healthFrom',
    holds: (self) => !isChecked(self) || isAddress(self),
  },
  {
    rule: '!(has(self.healthCheck) && has(self.healthFrom))',
    message:
      'an address has one check: set either healthCheck (the DNS service probes it) or healthFrom (the operator watches a Service)',
    holds: ({ healthCheck, healthFrom }) => healthCheck === undefined || healthFrom === undefined,
  },
  {
    rule: `!has(self.whenAllFail) || ${IS_CHECKED}`,
    message: 'no address fails without a check: set healthCheck or healthFrom, or remove whenAllFail',
    holds: (self) => self.whenAllFail === undefined || isChecked(self),
  },
  {
    rule: `!has(self.reverse) || !self.reverse || ${IS_ADDRESS}`,
    message: 'only the addresses of types A and AAAA have PTR records: remove reverse',
    holds: (self) => self.reverse !== true || isAddress(self),
  },
];

const VALUES: readonly (Rule<RecordFields> | RuleGroup<RecordFields>)[] = [
  {
    rule: `self.values.size() < 2 || !(self.type in [${SINGLE_TYPES.map((type) => `'${type}'`).join(', ')}])`,
    message: 'a CNAME, ALIAS or DNAME has exactly one value: remove all other values',
    holds: (self) => (self.values ?? []).length < 2 || !SINGLE_TYPES.includes(self.type),
  },
  {
    rule: "self.type == 'MX' || self.values.all(v, !has(v.priority))",
    message: 'only type MX accepts a priority: remove it from the values',
    holds: (self) => self.type === 'MX' || (self.values ?? []).every((value) => value.priority === undefined),
  },
  {
    rule: "self.type != 'MX' || !self.values.exists(v, v.content == '.')",
    message: 'a null MX (content ".") must be the only value (RFC 7505): use content: "." with priority: 0',
    holds: (self) => self.type !== 'MX' || !(self.values ?? []).some((value) => value.content === '.'),
  },
  {
    rule: `${IS_ADDRESS} || self.values.all(v, !has(v.tier))`,
    message: 'only types A and AAAA accept a tier: remove it from the values',
    holds: (self) => isAddress(self) || (self.values ?? []).every(({ tier }) => tier === undefined),
  },
  {
    rule:
      `${IS_CHECKED} || self.values.all(v, ` +
      '(has(v.tier) ? v.tier : 0) == (has(self.values[0].tier) ? self.values[0].tier : 0))',
    message:
      'name servers answer with one tier, and without a check none fails: set healthCheck or healthFrom, or give all values ' +
      'one tier',
    holds: (self) => isChecked(self) || new Set((self.values ?? []).map(tierOf)).size < 2,
  },
  {
    rule: `(${IS_ADDRESS} && !self.name.startsWith('*')) || self.values.all(v, !has(v.weight))`,
    message:
      'only types A and AAAA accept a weight, and only at a name that is not a wildcard: remove it from the values',
    holds: (self) =>
      (isAddress(self) && !self.name.startsWith('*')) ||
      (self.values ?? []).every(({ weight }) => weight === undefined),
  },
  VALUES_CONTENT_RULES,
];

/** Rules of the spec: one for each field that an error names. */
export const RECORD_RULES: readonly (Rule<RecordFields> | RuleGroup<RecordFields>)[] = [
  together(null, [ONE_OF, ...HEALTH]),
  together('.type', TYPE, `self.name != '@' && ${IS_TYPE}`),
  together('.priority', PRIORITY, "!has(self.priority) && self.type != 'MX'"),
  CONTENT_RULES,
  together('.values', VALUES, '!has(self.values)'),
];

type Value = NonNullable<ValueFields['values']>[number];

/**
 * A rule of the list itself. It compares lists of two elements instead of their texts, because the API server charges
 * for the comparison of texts by their lengths: a hundred long ones would exceed its limit. CEL has no variables, and a
 * list of one element stands for one: without it every comparison would make the whole list again.
 */
export const UNIQUE: Rule<readonly Value[]> = {
  rule:
    'self.size() < 2 || [self.map(v, [dyn(v.content), dyn(has(v.priority) ? v.priority : 10)])]' +
    '.all(all, all.all(v, all.exists_one(w, w == v)))',
  message: 'each value must be unique: remove the duplicate',
  holds: (self) => new Set(self.map(({ content, priority = 10 }) => `${priority} ${content}`)).size === self.length,
};
