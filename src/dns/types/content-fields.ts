/** The fields of the content of a type, for forms: labels, kinds and choices. Pure. */

export interface FieldDescription {
  /** Unique within the type. */
  readonly name: string;
  readonly label: string;
  /** (Nothing: the field's part of the example of its type.) */
  readonly example?: string;
  /** A sentence. */
  readonly hint?: string;
  /** Values with their meaning. The list need not be complete: a stored value may be another one. */
  readonly choices?: readonly (readonly [value: string, meaning: string])[];
  /** Whether the value is a number. */
  readonly isNumber?: true;
  /** Whether the content has the value as a quoted string. */
  readonly isQuoted?: true;
  /** Whether the value is all the rest of the content, which may have blanks. Only the last field. */
  readonly isRest?: true;
  /** Whether the value may be long, so that it needs several lines. */
  readonly isLong?: true;
  /** Whether the value may be empty. Only the last field. */
  readonly isOptional?: true;
  /** Letters that end the value, which is several words long. */
  readonly until?: string;
}

export interface ContentField extends FieldDescription {
  readonly example: string;
}

export type FieldValues = Readonly<Record<string, string>>;

export function host(label: string, hint?: string): FieldDescription {
  return hint === undefined ? { name: 'target', label } : { name: 'target', label, hint };
}

export function number(name: string, label: string, hint?: string): FieldDescription {
  return hint === undefined ? { name, label, isNumber: true } : { name, label, hint, isNumber: true };
}

export function hexField(name: string, label: string): FieldDescription {
  return { name, label, hint: 'Hexadecimal digits.', isRest: true, isLong: true };
}

export function base64(name: string, label: string): FieldDescription {
  return { name, label, hint: 'Base64 (RFC 4648).', isRest: true, isLong: true };
}

/** Null if the content does not have the fields. */
export function readFields(fields: readonly FieldDescription[], content: string): FieldValues | null {
  const only = fields.length === 1 ? fields[0] : undefined;
  // Blanks can be part of a text.
  if (only) return { [only.name]: content };
  const values: Record<string, string> = {};
  let rest = content.trim();
  for (const field of fields) {
    const part = take(field, rest);
    if (part === null) return null;
    values[field.name] = part.value;
    rest = part.rest;
  }
  return rest === '' ? values : null;
}

interface FieldPart {
  value: string;
  rest: string;
}

function take(field: FieldDescription, text: string): FieldPart | null {
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
export function takeUntil(letters: string, text: string): FieldPart | null {
  const words = text.split(/[ \t]+/);
  const end = words.findIndex((word) => word.length === 1 && letters.includes(word.toUpperCase()));
  if (end < 0) return null;
  return { value: words.slice(0, end + 1).join(' '), rest: words.slice(end + 1).join(' ') };
}

function unquoted(inside: string): string {
  return inside.replace(/\\(.)/gsu, (pair, character: string) => (character === '"' ? '"' : pair));
}
