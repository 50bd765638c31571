/**
 * Converts the fields of a form to the content of a record, and content to fields. Pure. The parser of the type judges the
 * content, so nothing is judged here.
 */
import { type ContentField, TYPE_FIELDS } from './field-lists.ts';
import { isNamedType, type RecordType } from './record-type.ts';

export type FieldValues = Readonly<Record<string, string>>;

export function fieldsOfType(type: RecordType | 'TYPEn'): readonly ContentField[] {
  return TYPE_FIELDS[isNamedType(type) ? type : 'TYPEn'];
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
  const list = fieldsOfType(type);
  const only = list.length === 1 ? list[0] : undefined;
  if (only) return { [only.name]: content };
  const values: Record<string, string> = {};
  let rest = content.trim();
  for (const field of list) {
    const found = take(field, rest);
    if (found === null) return null;
    values[field.name] = found.value;
    rest = found.rest;
  }
  return rest === '' ? values : null;
}

/**
 * The fields that the content could not hold in their places: empty ones, several words instead of one, a backslash without a
 * character. The sentences begin with a verb, for instance `must not be empty`.
 */
export function fieldProblems(type: RecordType | 'TYPEn', values: FieldValues): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const field of fieldsOfType(type)) {
    const problem = problemOf(field, (values[field.name] ?? '').trim());
    if (problem !== null) problems[field.name] = problem;
  }
  return problems;
}

function problemOf({ isQuoted, isOptional, isRest, isNumber, until }: ContentField, value: string): string | null {
  if (isQuoted) return /^(?:[^\\]|\\.)*$/su.test(value) ? null : 'must not end with a single backslash';
  if (value === '') return isOptional ? null : 'must not be empty';
  if (isNumber && !/^[0-9]+$/.test(value)) return 'must be a whole number';
  if (until !== undefined && takeUntil(until, value)?.rest !== '') return `must end with ${[...until].join(' or ')}`;
  return isRest || until !== undefined || !/[ \t]/.test(value) ? null : 'must not have blanks';
}

function take(field: ContentField, text: string): { value: string; rest: string } | null {
  if (field.isRest) return text === '' && !field.isOptional ? null : { value: text, rest: '' };
  if (field.until !== undefined) return takeUntil(field.until, text);
  const quotedString = /^"((?:[^"\\]|\\.)*)"(?:[ \t]+|$)/su.exec(text);
  if (field.isQuoted && quotedString) {
    const [whole, inside = ''] = quotedString;
    return { value: unquoted(inside), rest: text.slice(whole.length) };
  }
  const word = /^([^ \t]+)[ \t]*/u.exec(text);
  return word ? { value: word[1] as string, rest: text.slice(word[0].length) } : null;
}

/** The words up to and with the first one that is one of the letters. */
function takeUntil(letters: string, text: string): { value: string; rest: string } | null {
  const words = text.split(/[ \t]+/);
  const end = words.findIndex((word) => word.length === 1 && letters.includes(word.toUpperCase()));
  if (end < 0) return null;
  return { value: words.slice(0, end + 1).join(' '), rest: words.slice(end + 1).join(' ') };
}

/** A string with escapes as in a zone file, in which only the quotes still need one. */
function quoted(value: string): string {
  return `"${value.replace(/(\\.)|"/gsu, (_, pair: string | undefined) => pair ?? '\\"')}"`;
}

function unquoted(inside: string): string {
  return inside.replace(/\\(.)/gsu, (pair, character: string) => (character === '"' ? '"' : pair));
}
