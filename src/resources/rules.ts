// Rules that a JSON schema cannot express. Each rule has a CEL form for the API server and a TypeScript form for zod,
// next to each other so that no change misses one; test/support/resources/resource-cases.ts feeds the same objects to
// both.
//
// The API server runs every expression of a CRD for every write, also of the status. Starting an expression costs it
// several times what a comparison costs, and so does each `self.field`. So rules about the same field are one
// expression (`together`), which chooses its message when it fails.
import type { z } from 'zod';

interface Check<S> {
  /** Says which values are accepted; the API server puts the path in front of it. */
  readonly message: string;
  /** The same rule in TypeScript. It may be stricter than the CEL expression, and never more lenient. */
  readonly holds: (self: S) => boolean;
}

export interface Rule<S> extends Check<S> {
  /** A CEL expression over `self`. The API server refuses objects for which it is false. */
  readonly rule: string;
  /** The field below the node, for example `.content`, that the error names. */
  readonly fieldPath?: string;
}

/** Several rules in one CEL expression. */
export interface RuleGroup<S> {
  /** True when all rules hold. */
  readonly rule: string;
  /** A CEL expression for the messages of the rules that do not hold. Text in double quotes is a message. */
  readonly messageExpression: string;
  readonly fieldPath?: string;
  readonly checks: readonly Check<S>[];
}

/** A rule for the change of a field, which zod cannot see: `oldSelf` exists on updates only. */
interface TransitionRule {
  readonly rule: string;
  readonly message: string;
}

/** The keyword of structural schemas that holds CEL rules. */
export const CEL = 'x-kubernetes-validations';

/** Adds rules to the schema: zod checks `holds`, and the CRD carries the CEL expressions. */
export function withRules<T extends z.ZodType>(
  schema: T,
  rules: readonly (Rule<z.output<T>> | RuleGroup<z.output<T>>)[],
): T {
  return schema
    .superRefine((value, context) => {
      for (const each of rules) {
        const path = each.fieldPath === undefined ? [] : [each.fieldPath.slice(1)];
        for (const { message, holds } of checksOf(each)) {
          if (!holds(value)) context.addIssue({ code: 'custom', message, path });
        }
      }
    })
    .meta({ [CEL]: rules.map(toCel) }) as T;
}

/** Makes the field immutable: the API server refuses each change of its value. @param what the name of the field */
export function immutable<T extends z.ZodType>(schema: T, what: string): T {
  const rule: TransitionRule = {
    rule: 'self == oldSelf',
    message: `${what} is immutable: delete this object and create a new one`,
  };
  const before = schema.meta()?.[CEL];
  return schema.meta({ [CEL]: [...(Array.isArray(before) ? before : []), rule] }) as T;
}

/**
 * Makes rules about one field one expression. An object that breaks several of them gets all messages in one error.
 * @param fieldPath null: the messages name the fields, and the error is at the node itself
 * @param unless a CEL expression: if it is true, the rules are not evaluated and hold.
 */
export function together<S>(
  fieldPath: string | null,
  rules: readonly (Rule<S> | RuleGroup<S>)[],
  unless?: string,
): RuleGroup<S> {
  const all = rules.map(({ rule }) => `(${rule})`).join(' && ');
  const messages = rules.map((each) => `((${each.rule}) ? '' : ${messageOf(each)} + '; ')`);
  return {
    rule: unless === undefined ? all : `${unless} || (${all})`,
    // The pattern omits the separator at the end.
    messageExpression: `(${messages.join(' + ')}).find('^.*[^; ]')`,
    ...(fieldPath === null ? {} : { fieldPath }),
    checks: rules.flatMap(checksOf),
  };
}

/** A CEL string for a message. The rest of an expression has its strings in single quotes, see `messagesIn`. */
export const quoteCel = (message: string): string => JSON.stringify(message);

/** The messages that a `messageExpression` chooses from. */
export function messagesIn(messageExpression: string): string[] {
  return [...messageExpression.matchAll(/(?<!\w)r?'[^']*'|"(?:[^"\\]|\\.)*"/g)]
    .map(([text]) => text)
    .filter((text) => text.startsWith('"'))
    .map((text) => JSON.parse(text) as string);
}

const checksOf = <S>(rule: Rule<S> | RuleGroup<S>): readonly Check<S>[] => ('checks' in rule ? rule.checks : [rule]);

const messageOf = <S>(rule: Rule<S> | RuleGroup<S>): string =>
  'checks' in rule ? rule.messageExpression : quoteCel(rule.message);

function toCel<S>(each: Rule<S> | RuleGroup<S>): Record<string, string> {
  const { rule, fieldPath } = each;
  return {
    rule,
    ...('checks' in each ? { messageExpression: each.messageExpression } : { message: each.message }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}
