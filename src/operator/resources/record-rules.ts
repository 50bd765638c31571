// What the fields of one DNSRecord must be to each other. It must not know any other object, nor the zone.
import { CONTENT_RULES, type ValueFields } from './content-rules.ts';
import type { Rule } from './rules.ts';

interface RecordFields extends ValueFields {
  readonly name: string;
}

const NOT_AT_APEX: readonly Rule<RecordFields>[] = [
  {
    rule: "self.name != '@' || self.type != 'CNAME'",
    message: 'a CNAME cannot stand at the apex "@", beside SOA and NS: use type ALIAS',
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'CNAME',
  },
  {
    rule: "self.name != '@' || self.type != 'NS'",
    message: "the NS records at the apex are the service's own: delegate a name below it",
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'NS',
  },
  {
    rule: "self.name != '@' || self.type != 'DS'",
    message: "DS records belong into the parent zone: set name to that of a child zone, not '@'",
    fieldPath: '.type',
    holds: (self) => self.name !== '@' || self.type !== 'DS',
  },
];

const ONE_OF: readonly Rule<RecordFields>[] = [
  {
    rule: 'has(self.content) != has(self.values)',
    message: 'set exactly one of content (one value) and values (a list)',
    holds: (self) => (self.content === undefined) !== (self.values === undefined),
  },
  {
    rule: "!has(self.values) || self.values.size() < 2 || !(self.type in ['CNAME', 'ALIAS'])",
    message: 'a CNAME or ALIAS has one value: leave one',
    fieldPath: '.values',
    holds: (self) => (self.values ?? []).length < 2 || !['CNAME', 'ALIAS'].includes(self.type),
  },
  {
    rule:
      '!has(self.values) || self.values.all(v, self.values.exists_one(w, w.content == v.content && ' +
      '(has(w.priority) ? w.priority : 10) == (has(v.priority) ? v.priority : 10)))',
    message: 'the same value stands twice: remove one',
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
    message: 'priority is for type MX only: remove it',
    fieldPath: '.priority',
    holds: (self) => self.priority === undefined || self.type === 'MX',
  },
  {
    rule: '!has(self.priority) || has(self.content)',
    message: 'priority goes with content: with values, give each value its own',
    fieldPath: '.priority',
    holds: (self) => self.priority === undefined || self.content !== undefined,
  },
  {
    rule: "!has(self.values) || self.type == 'MX' || self.values.all(v, !has(v.priority))",
    message: 'priority is for type MX only: remove it from the values',
    fieldPath: '.values',
    holds: (self) => self.type === 'MX' || (self.values ?? []).every((value) => value.priority === undefined),
  },
  {
    rule: "self.type != 'MX' || !has(self.content) || self.content != '.' || (has(self.priority) && self.priority == 0)",
    message: 'a null MX (content ".") has priority 0 (RFC 7505): set priority to 0, or name a mail host',
    fieldPath: '.priority',
    holds: (self) => self.type !== 'MX' || self.content !== '.' || self.priority === 0,
  },
  {
    rule: "self.type != 'MX' || !has(self.values) || !self.values.exists(v, v.content == '.')",
    message: 'a null MX (content ".") stands alone (RFC 7505): use content: "." with priority: 0',
    fieldPath: '.values',
    holds: (self) => self.type !== 'MX' || !(self.values ?? []).some((value) => value.content === '.'),
  },
];

export const RECORD_RULES: readonly Rule<RecordFields>[] = [...ONE_OF, ...PRIORITY, ...NOT_AT_APEX, ...CONTENT_RULES];
