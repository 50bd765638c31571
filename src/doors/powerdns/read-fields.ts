// Reads the bodies of the PowerDNS API. Clients send fields of their own in many places, so unknown fields are ignored;
// a known field with a wrong value is refused with a sentence. Pure.
import { clip } from '#dns/verdict.ts';
import { type Refusal, refusal } from '#service/refusal.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The refusal of a value, which is answered 422. */
export function refused(problem: string): Refusal {
  return refusal('invalid-value', { problem });
}

/**
 * @param what the name of the value in a sentence.
 * @throws Refusal
 */
export function requireFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw refused(`${what} must be a JSON object.`);
}

/** @throws Refusal */
export function requireText(fields: Fields, key: string, what: string): string {
  const value = fields[key];
  if (typeof value === 'string') return value;
  throw refused(`${what} needs the field "${key}", a text${value === undefined ? '' : `, and not ${shown(value)}`}.`);
}

/** A value in lower case, to compare it with words; the empty text if it is none. */
export function toLowerText(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Null for an absent field. @throws Refusal */
export function readListField(fields: Fields, key: string, what: string): readonly unknown[] | null {
  const value = fields[key] ?? null;
  if (value === null || Array.isArray(value)) return value;
  throw refused(`The field "${key}" of ${what} must be an array.`);
}

/**
 * A query parameter that is true or false.
 * @param preset without the parameter.
 * @throws Refusal
 */
export function readFlag(query: Fields, key: string, preset: boolean): boolean {
  const value = query[key] ?? String(preset);
  if (value === 'true' || value === 'false') return value === 'true';
  throw refused(`The query parameter "${key}" must be true or false, and not ${shown(value)}.`);
}

/** A value of a body for a sentence, cut short. */
export function shown(value: unknown): string {
  return clip(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));
}
