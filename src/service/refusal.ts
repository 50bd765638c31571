// The only error that the operations of the service throw on purpose. It holds data, and the catalogue has the
// sentence. The API translates its code to an HTTP status.
import type { Problem } from '#dns/verdict.ts';
import type { Current } from './conditions/match.ts';
import { CATALOGUE, type RuleId } from './refusals/catalogue.ts';
import { fillIn, type ParameterName, type RefusalCode, type RefusalText } from './refusals/rule.ts';

export type { RuleId } from './refusals/catalogue.ts';
export type { RefusalCode } from './refusals/rule.ts';

/** A refusal as plain JSON, for stored answers. */
export interface RefusalData {
  rule: RuleId;
  parameters: Readonly<Record<string, string | number>>;
  /**
   * The path of the wrong input field, such as `content` or `changes.3.record.name`; null if the refusal concerns no
   * field.
   */
  field: string | null;
  /** The ids of the records that conflict with the request. */
  records: readonly string[];
  /** The owner of those records, if the refusal is because of it. */
  owner?: string;
  /** The value that exists already. It belongs to `owner`, or is unowned if that is absent. */
  value?: string;
  /** Whether that owner shares that value. */
  shared?: boolean;
  /** The current state, if an If-Match or If-None-Match condition failed. */
  current?: Current;
  /**
   * For `rate_limited`, `busy` and a database that is down: the time after which the same request can succeed, in ms.
   */
  retryAfterMs: number | null;
  /** Refusals of other fields of the same input. */
  others: readonly RefusalData[];
}

export class Refusal extends Error implements RefusalData {
  readonly rule: RuleId;
  readonly parameters: RefusalData['parameters'];
  readonly field: string | null;
  readonly records: readonly string[];
  readonly owner?: string;
  readonly value?: string;
  readonly shared?: boolean;
  readonly current?: Current;
  readonly retryAfterMs: number | null;
  readonly others: readonly Refusal[];

  constructor({ rule, parameters, field, records, owner, value, shared, current, retryAfterMs, others }: RefusalData) {
    super();
    this.name = 'Refusal';
    this.rule = rule;
    this.parameters = parameters;
    this.field = field;
    this.records = records;
    if (owner !== undefined) this.owner = owner;
    if (value !== undefined) this.value = value;
    if (shared !== undefined) this.shared = shared;
    if (current !== undefined) this.current = current;
    this.retryAfterMs = retryAfterMs;
    this.others = others.map((each) => (each instanceof Refusal ? each : new Refusal(each)));
  }

  /** The code, which determines the HTTP status. */
  get code(): RefusalCode {
    return CATALOGUE[this.rule].code;
  }

  /** The sentence about this field alone, without the field's name. */
  get sentence(): string {
    return fillIn(CATALOGUE[this.rule].sentence, this.parameters);
  }

  /** Whether the sentence may begin with a name or another value, whose first letter must stay as it is. */
  get mayBeginWithValue(): boolean {
    const { code, sentence } = CATALOGUE[this.rule];
    return sentence.startsWith('{') && (code === 'conflict' || !sentence.startsWith('{problem}'));
  }

  /** The sentence with the name of its field before it. */
  get ownMessage(): string {
    return this.field === null ? this.sentence : `${this.field}: ${this.sentence}`;
  }

  /** All errors of the input: a sentence for each field. */
  override get message(): string {
    // Two rules of one field may have the same sentence.
    return [...new Set([this, ...this.others].map(({ ownMessage }) => ownMessage))].join(' ');
  }

  /** The same refusal for an input that is a part of a larger one: `path` is put before its field. */
  within(path: string): Refusal {
    const others = this.others.map((each) => each.within(path));
    return new Refusal({ ...this.toData(), field: this.field === null ? path : `${path}.${this.field}`, others });
  }

  toData(): RefusalData {
    const { rule, parameters, field, records, owner, value, shared, current, retryAfterMs, others } = this;
    const details = {
      ...(owner === undefined ? {} : { owner }),
      ...(value === undefined ? {} : { value }),
      ...(shared === undefined ? {} : { shared }),
      ...(current === undefined ? {} : { current }),
    };
    return { rule, parameters, field, records, ...details, retryAfterMs, others: others.map((each) => each.toData()) };
  }
}

type Parameters<R extends RuleId> = Readonly<Record<ParameterName<(typeof CATALOGUE)[R]['sentence']>, string | number>>;
type Details = Partial<Pick<RefusalData, 'records' | 'owner' | 'value' | 'shared' | 'current'>> & {
  field?: string;
  retryAfterMs?: number;
  others?: readonly Refusal[];
};
type Arguments<R extends RuleId> = [ParameterName<(typeof CATALOGUE)[R]['sentence']>] extends [never]
  ? [parameters?: Record<string, never>, details?: Details]
  : [parameters: Parameters<R>, details?: Details];

/**
 * Creates a refusal by a rule of the catalogue.
 * @param rest the parameters of the sentence, then details; `field` replaces the field that the catalogue names
 */
export function refusal<R extends RuleId>(rule: R, ...rest: Arguments<R>): Refusal {
  const [parameters = {}, { field, records = [], retryAfterMs = null, others = [], ...details } = {}] = rest;
  const { field: defaultField }: RefusalText = CATALOGUE[rule];
  return new Refusal({
    rule,
    parameters,
    field: field ?? defaultField ?? null,
    records,
    ...details,
    retryAfterMs,
    others,
  });
}

/** An error of schema validation: the path of the field, and a text such as "must be a number". */
interface Issue {
  path: readonly PropertyKey[];
  message?: string | undefined;
  code?: string | undefined;
  /** The names of fields that the schema does not know. */
  keys?: readonly string[] | undefined;
}

/** Unknown fields that a refusal names. A client may send thousands, of any length. */
const MAX_UNKNOWN = 10;
const LONGEST_NAME = 100;
const UNKNOWN = 'is unknown; remove it, or correct its spelling';

/**
 * One refusal for all errors of a schema validation.
 * @param issues at least one
 * @param rule that of an error of the whole input; an error of one field has `invalid-value`.
 */
export function toIssuesRefusal(
  issues: readonly Issue[],
  rule: 'invalid-request' | 'invalid-value' = 'invalid-request',
): Refusal {
  const [first, ...others] = issues.flatMap(fieldsAtFault).map(({ path, message = 'is not valid' }) => {
    const problem = `${message}.`;
    if (path.length === 0) return refusal(rule, { problem });
    return refusal('invalid-value', { problem }, { field: path.map(String).join('.') });
  });
  return new Refusal({ ...first!.toData(), others });
}

/** One issue for each unknown field, and nothing more about a value of a wrong type. */
function fieldsAtFault(issue: Issue, index: number, all: readonly Issue[]): Issue[] {
  const { path, keys } = issue;
  if (keys !== undefined) {
    return keys.slice(0, MAX_UNKNOWN).map((key) => ({ path: [...path, key.slice(0, LONGEST_NAME)], message: UNKNOWN }));
  }
  const place = path.join('.');
  const isKnown = all.slice(0, index).some((each) => each.code === 'invalid_type' && each.path.join('.') === place);
  return isKnown ? [] : [issue];
}

/** The refusal for a problem that a DNS rule found. */
export function toProblemRefusal({ field, message: problem, ...of }: Problem): Refusal {
  if (of.code === 'bad_request') return refusal('invalid-value', { problem }, { field });
  return refusal(of.rule, { problem }, { field, records: of.records });
}

/** Returns the value of a positive verdict. @throws Refusal */
export function insist<T>(verdict: { ok: true; value: T } | { ok: false; problem: Problem }): T {
  if (!verdict.ok) throw toProblemRefusal(verdict.problem);
  return verdict.value;
}
