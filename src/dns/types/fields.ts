/**
 * Converts the fields of a form to the content of a record, and content to fields. Pure. The parser of the type judges
 * the content, so nothing is judged here.
 */
import { type ContentField, type FieldValues, readFields, takeUntil } from './content-fields.ts';
import type { TypeForm } from './define.ts';
import { GENERIC_FORM } from './generic.ts';
import { isNamedType, type RecordType, TYPES } from './record-type.ts';

export type { FieldValues } from './content-fields.ts';

/** @param type `TYPEn`: any type by its number */
export function describeType(type: RecordType | 'TYPEn'): TypeForm {
  return isNamedType(type) ? TYPES[type] : GENERIC_FORM;
}

export function fieldsOfType(type: RecordType | 'TYPEn'): readonly ContentField[] {
  return describeType(type).fields;
}

/** An absent value counts as empty. */
export function contentOfFields(type: RecordType | 'TYPEn', values: FieldValues): string {
  const list = fieldsOfType(type);
  const only = list.length === 1 ? list[0] : undefined;
  // Blanks can be part of a text.
  if (only) return values[only.name] ?? '';
  return list
    .map(({ name, isQuoted, isOptional }) => {
      const value = (values[name] ?? '').trim();
      if (isQuoted) return quoted(value);
      return value === '' && isOptional ? null : value;
    })
    .filter((part) => part !== null)
    .join(' ');
}

/** Null if the content does not have the form of the type. A stored record always has it. */
export function fieldsOfContent(type: RecordType | 'TYPEn', content: string): FieldValues | null {
  return readFields(fieldsOfType(type), content);
}

/**
 * The fields that the content could not hold in their places: empty ones, several words instead of one, a backslash
 * without a character. The sentences begin with a verb, for instance `must not be empty`.
 */
export function fieldProblems(type: RecordType | 'TYPEn', values: FieldValues): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const field of fieldsOfType(type)) {
    const problem = findProblem(field, (values[field.name] ?? '').trim());
    if (problem !== null) problems[field.name] = problem;
  }
  return problems;
}

function findProblem({ isQuoted, isOptional, isRest, isNumber, until }: ContentField, value: string): string | null {
  if (isQuoted) return /^(?:[^\\]|\\.)*$/su.test(value) ? null : 'must not end with a single backslash';
  if (value === '') return isOptional ? null : 'must not be empty';
  if (isNumber && !/^[0-9]+$/.test(value)) return 'must be a whole number';
  if (until !== undefined && takeUntil(until, value)?.rest !== '') return `must end with ${[...until].join(' or ')}`;
  return isRest || until !== undefined || !/[ \t]/.test(value) ? null : 'must not have blanks';
}

/** A string with escapes as in a zone file, in which only the quotes still need one. */
function quoted(value: string): string {
  return `"${value.replace(/(\\.)|"/gsu, (_, pair: string | undefined) => pair ?? '\\"')}"`;
}
