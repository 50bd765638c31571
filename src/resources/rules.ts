// Rules that a JSON schema cannot express. Each rule has a CEL form for the API server and a TypeScript form for zod, next to
// each other so that nobody changes only one; test/support/resource-cases.ts feeds the same objects to both.
import type { z } from 'zod';

export interface Rule<S> {
  /** A CEL expression over `self`. The API server refuses objects for which it is false. */
  readonly rule: string;
  /** Says which values are accepted; the API server puts the path in front of it. */
  readonly message: string;
  /** The field below the node, for example `.content`, that the error names. */
  readonly fieldPath?: string;
  /** The same rule in TypeScript. It may be stricter than the CEL expression, and never more lenient. */
  readonly holds: (self: S) => boolean;
}

/** A rule for the change of a field, which zod cannot see: `oldSelf` exists on updates only. */
interface TransitionRule {
  readonly rule: string;
  readonly message: string;
}

/** The keyword of structural schemas that holds CEL rules. */
export const CEL = 'x-kubernetes-validations';

/** Adds rules to the schema: zod checks `holds`, and the CRD carries the CEL expressions. */
export function withRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  return schema
    .superRefine((value, context) => {
      for (const { message, fieldPath, holds } of rules) {
        const path = fieldPath === undefined ? [] : [fieldPath.slice(1)];
        if (!holds(value)) context.addIssue({ code: 'custom', message, path });
      }
    })
    .meta({ [CEL]: rules.map(celOf) }) as T;
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

function celOf<S>({ rule, message, fieldPath }: Rule<S>): Record<string, string> {
  return { rule, message, ...(fieldPath === undefined ? {} : { fieldPath }) };
}
