// A rule that no JSON schema can say, once for the API server (CEL) and once for zod, side by side so that nobody changes
// one alone; test/support/resource-cases.ts feeds the same objects to both. It must not know any kind.
import type { z } from 'zod';

export interface Rule<S> {
  /** CEL over `self`. Refused objects never reach the operator. */
  readonly rule: string;
  /** What would be accepted; the API server puts the path before it. */
  readonly message: string;
  /** A field below the node, as `.content`, that the error shall name. */
  readonly fieldPath?: string;
  /** The same in TypeScript. It may be stricter than the CEL, never laxer. */
  readonly holds: (self: S) => boolean;
}

/** A rule over the change of a field, which zod cannot see: `oldSelf` exists on updates only. */
export interface TransitionRule {
  readonly rule: string;
  readonly message: string;
}

/** The keyword of structural schemas that CEL rules stand under. */
export const CEL = 'x-kubernetes-validations';

/** The schema with rules: zod checks `holds`, the CRD carries the CEL. */
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

/** The schema of a field that can never change. */
export function immutable<T extends z.ZodType>(schema: T, what: string): T {
  const rule: TransitionRule = {
    rule: 'self == oldSelf',
    message: `${what} is immutable: delete this object and create another`,
  };
  const before = schema.meta()?.[CEL];
  return schema.meta({ [CEL]: [...(Array.isArray(before) ? before : []), rule] }) as T;
}

function celOf<S>({ rule, message, fieldPath }: Rule<S>): Record<string, string> {
  return { rule, message, ...(fieldPath === undefined ? {} : { fieldPath }) };
}
