// Rules between the fields of one DNSRecord. Rules that need the zone or other records are in #dns.
import { CONTENT_RULES, type ValueFields } from './content-rules.ts';
import type { Rule } from './rules.ts';

interface RecordFields extends ValueFields {
  readonly name: string;
}

const NOT_AT_APEX: readonly Rule<RecordFields>[] = [
  {
    rule: "self.name != '@' || self.type != 'CNAME'",
    message: 'a CNAME is not accepted at the apex "@", next to SOA and NS: use type ALIAS',
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'CNAME',
  },
  {
    rule: "self.name != '@' || self.type != 'NS'",
    message: 'the service manages the NS records at the apex "@": set name to a name below it to delegate that name',
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'NS',
  },
  {
    rule: "self.name != '@' || self.type != 'DS'",
    message: 'a DS record belongs in the parent zone: set name to the name of a child zone instead of "@"',
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'DS',
  },
];

const ONE_OF: readonly Rule<RecordFields>[] = [
  {
    rule: 'has(self.content) != has(self.values)',
    message: 'set either content (one value) or values (a list of values)',
    holds: (self) => (self.content === undefined) !== (self.values === undefined),
  },
  {
    rule: "!has(self.values) || self.values.size() < 2 || !(self.type in ['CNAME', 'ALIAS'])",
    message: 'a CNAME or ALIAS has exactly one value: remove all other values',
    fieldPath: '.values',
    holds: (self) => (self.values ?? []).length < 2 || !['CNAME', 'ALIAS'].includes(self.type),
  },
  {
    rule:
      '!has(self.values) || self.values.all(v, self.values.exists_one(w, w.content == v.content && ' +
      '(has(w.priority) ? w.priority : 10) == (has(v.priority) ? v.priority : 10)))',
    message: 'each value must be unique: remove the duplicate',
    fieldPath: '.values',
    holds: (self) => {
      const keys = (self.values ?? []).map((value) => `${value.priority ?? 10} ${value.content}`);
      return new Set(keys).size === keys.length;
    },
  },
];

const PRIORITY: readonly Rule<RecordFields>[] = [
  {
    rule: "!has(self.priority) || self.type == 'MX'",
    message: 'only type MX accepts a priority: remove it',
    fieldPath: '.priority',
    holds: (self) => self.priority === undefined || self.type === 'MX',
  },
  {
    rule: '!has(self.priority) || has(self.content)',
    message: 'set priority together with content; in values, set the priority of each value',
    fieldPath: '.priority',
    holds: (self) => self.priority === undefined || self.content !== undefined,
  },
  {
    rule: "!has(self.values) || self.type == 'MX' || self.values.all(v, !has(v.priority))",
    message: 'only type MX accepts a priority: remove it from the values',
    fieldPath: '.values',
    holds: (self) => self.type === 'MX' || (self.values ?? []).every((value) => value.priority === undefined),
  },
  {
    rule: "self.type != 'MX' || !has(self.content) || self.content != '.' || (has(self.priority) && self.priority == 0)",
    message: 'a null MX (content ".") has priority 0 (RFC 7505): set priority to 0, or set content to a mail host',
    fieldPath: '.priority',
    holds: (self) => self.type !== 'MX' || self.content !== '.' || self.priority === 0,
  },
  {
    rule: "self.type != 'MX' || !has(self.values) || !self.values.exists(v, v.content == '.')",
    message: 'a null MX (content ".") must be the only value (RFC 7505): use content: "." with priority: 0',
    fieldPath: '.values',
    holds: (self) => self.type !== 'MX' || !(self.values ?? []).some((value) => value.content === '.'),
  },
];

export const RECORD_RULES: readonly Rule<RecordFields>[] = [...ONE_OF, ...PRIORITY, ...NOT_AT_APEX, ...CONTENT_RULES];
