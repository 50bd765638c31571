// An option whose value is a list in JSON, because the chart passes values with it.

import { z } from 'zod';
import { parseJson } from '#client/errors.ts';

/** @param what the items, for the message */
export function jsonList<T>(item: z.ZodType<T>, what: string) {
  return z.string().transform((text, context): T[] => {
    const parsed = z.array(item).safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    context.addIssue(`must be a JSON list of ${what}; ${issue?.path.join('.')}: ${issue?.message}`);
    return z.NEVER;
  });
}
