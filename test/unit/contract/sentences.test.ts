// The messages for values that a schema has no message of its own for. Each follows the name of its field.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssue } from '#contract/sentences.ts';

const text = z.string().min(1).max(3);
const cases: [schema: z.ZodType, input: unknown, message: string][] = [
  [text, 5, 'must be a text, and not a number'],
  [text, null, 'must be a text, and not null'],
  [text, true, 'must be a text, and not true'],
  [text, {}, 'must be a text, and not a JSON object'],
  [text, undefined, 'is missing; it must be a text'],
  [text, '', 'must not be empty'],
  [text, 'long', 'must have at most 3 characters'],
  [z.string().min(2), 'x', 'must have at least 2 characters'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), '1', 'must be a number, and not a text'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.int().max(9), 10, 'must be at most 9'],
  [z.boolean(), 'yes', 'must be true or false, and not a text'],
  [z.array(z.int()), {}, 'must be a list, and not a JSON object'],
  [z.array(z.int()).min(1), [], 'must have at least 1 entry'],
  [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 entries'],
  [z.strictObject({}), [], 'must be a JSON object, and not a list'],
  [z.strictObject({}), { a: 1, b: 2 }, 'has unknown fields: a, b'],
  [z.record(z.string(), z.int()), 'x', 'must be a JSON object, and not a text'],
  [z.literal('on'), 'off', 'must be "on"'],
  [z.enum(['on', 'off']), 'up', 'must be one of on, off'],
  [z.string().regex(/^a$/), 'b', 'is not valid'],
  [z.union([z.int(), z.boolean()]), 'x', 'is not valid'],
  [z.date(), undefined, 'is missing'],
];

test.each(cases)('the sentence of case %# says: %s', (schema, input, message) => {
  const parsed = schema.safeParse(input, { error: describeIssue });
  expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([message]);
});
