// The type of a record in a form: one of the names, or TYPEn together with a number in a field of its own.
import { isGenericType, isNamedType, RECORD_TYPES } from '#dns/types/record-type.ts';
import { type Typed, textField } from './forms.ts';

/** The last one stands for all types by number. */
export const NAMED_OR_NUMBER = [...RECORD_TYPES, 'TYPEn'] as const;

/** The type as the REST API has it. A missing number gives a text that is not a type, and the API refuses it. */
export function typedType(typed: Typed): string {
  const type = textField(typed, 'type');
  return type === 'TYPEn' ? `TYPE${textField(typed, 'number').replace(/^TYPE/i, '')}` : type;
}

/** The fields that `typedType` reads. */
export function splitType(type: string): { type: string; number: string } {
  return isGenericType(type) ? { type: 'TYPEn', number: type.slice('TYPE'.length) } : { type, number: '' };
}

/** The names, and the type by number that a page already shows. */
export function namedAnd(type: string | undefined): readonly string[] {
  return type === undefined || isNamedType(type) ? RECORD_TYPES : [...RECORD_TYPES, type];
}
