// The words for values that no schema has a message of its own for: a wrong JSON type, a missing or an unknown field, a
// text that is too long. Zod's own messages are about its schemas, and do not fit behind the name of a field.
import type { z } from 'zod';

/** The types of JSON as people call them. */
const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
  null: 'null',
};

/** The message for an issue, to be read behind the name of its field and without a final dot. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return ofType(issue.expected, issue.input);
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${shown(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return ofSize(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return ofSize(issue.origin, 'at most', Number(issue.maximum));
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
}

function ofType(expected: string, input: unknown): string {
  const noun = NOUNS[expected];
  if (input === undefined) return noun === undefined ? 'is missing' : `is missing; it must be ${noun}`;
  if (noun === undefined) return 'is not valid';
  const inputType = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  // Only a number can be of the wrong kind without being of another type.
  return NOUNS[inputType] === noun || (expected === 'int' && inputType === 'number')
    ? `must be ${noun}`
    : `must be ${noun}, and not ${inputType === 'boolean' ? String(input) : NOUNS[inputType]}`;
}

function ofSize(origin: string, bound: 'at least' | 'at most', limit: number): string {
  if (origin === 'string') {
    return bound === 'at least' && limit === 1 ? 'must not be empty' : `must have ${bound} ${limit} characters`;
  }
  if (origin === 'array') return `must have ${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `must be ${bound} ${limit}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
