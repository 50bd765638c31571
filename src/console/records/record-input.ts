// Reads a record from a form. A form of the console has the fields of the type (`f-target`); a program may send the
// whole content instead.
import { CHECKED_TYPES, type WhenAllFail } from '#dns/members.ts';
import { parseTtlText } from '#dns/ttl-text.ts';
import {
  contentOfFields,
  describeType,
  type FieldValues,
  fieldProblems,
  fieldsOfContent,
  fieldsOfType,
} from '#dns/types/fields.ts';
import { nameOfFields } from '#dns/types/owner-fields.ts';
import { isNamedType, type RecordType } from '#dns/types/record-type.ts';
import { toIssuesRefusal } from '#service/refusal.ts';
import { type FormErrors, type Typed, textField } from '../shell/forms.ts';

const PREFIX = 'f-';
const NAME_PREFIX = 'n-';
const FIELDS = [
  'name',
  'type',
  'number',
  'content',
  'ttl',
  'priority',
  'comment',
  'anyway',
  'check',
  'tier',
  'whenAllFail',
  'weight',
  'reverse',
];

/** The name of the input for a field of the content. */
export function inputName(field: string): string {
  return `${PREFIX}${field}`;
}

/** The name of the input for a label that the name begins with. */
export function nameInputName(field: string): string {
  return `${NAME_PREFIX}${field}`;
}

/** The typed name, with the labels of its own fields before it. */
export function readName(typed: Typed, type: string): string {
  const { ownerFields = [] } = describeType(chooseForm(type));
  const values = Object.fromEntries(ownerFields.map(({ name }) => [name, textField(typed, nameInputName(name))]));
  return nameOfFields(ownerFields, values, textField(typed, 'name'));
}

/** The fields that can show an error. */
export function listErrorFields(type: string): string[] {
  return [...FIELDS, ...listFields(type).map(({ name }) => inputName(name))];
}

/** The errors of a form. The API's error about the whole content belongs to the field of a type with a single one. */
export function placeErrors(errors: FormErrors = {}, type: string): FormErrors {
  const [field, ...others] = listFields(type);
  if (errors.content === undefined || field === undefined || others.length > 0) return errors;
  const { content, ...rest } = errors;
  return { [inputName(field.name)]: content, ...rest };
}

/** The form as a JSON body. @throws Refusal bad_request if a field could not be in its place in the content */
export function readRecordInput(typed: Typed, name: string, type: string) {
  const values = typedValues(typed);
  if (values !== null) {
    const issues = Object.entries(fieldProblems(chooseForm(type), values));
    if (issues.length > 0) {
      throw toIssuesRefusal(issues.map(([field, message]) => ({ path: [inputName(field)], message })));
    }
  }
  return buildBody(typed, name, type, values);
}

/** The same for a preview, without the check of the fields. */
export function readPreviewInput(typed: Typed, name: string, type: string) {
  return buildBody(typed, name, type, typedValues(typed));
}

function buildBody(typed: Typed, name: string, type: string, values: FieldValues | null) {
  const whole = [typed.content ?? ''].flat().at(-1) ?? '';
  const [ttl, priority] = [textField(typed, 'ttl'), textField(typed, 'priority')];
  return {
    name,
    type,
    // Only line ends are removed, because spaces can be part of a value.
    content: (values === null ? whole : contentOfFields(chooseForm(type), values)).replace(/[\r\n]+$/, ''),
    ...(ttl === '' ? {} : { ttl: secondsIn(ttl) }),
    ...(priority === '' ? {} : { priority: Number(priority) }),
    ...(typed.comment === undefined ? {} : { comment: textField(typed, 'comment') }),
    ...readHealth(typed, type),
  };
}

/** The form for an address has all of these fields. A checkbox that is not checked is not sent. */
function readHealth(typed: Typed, type: string) {
  if (typed.check === undefined || !CHECKED_TYPES.includes(type)) return {};
  const fields = ['check', 'tier', 'whenAllFail', 'weight'];
  const [check, tier, whenAllFail, weight] = fields.map((field) => textField(typed, field));
  return {
    check: check || null,
    tier: Number(tier || 0),
    whenAllFail: (whenAllFail || 'ServeAll') as WhenAllFail,
    weight: weight ? Number(weight) : null,
    reverse: typed.reverse !== undefined,
  };
}

/** A TTL as people write it: `300`, `5m`, `1h`, `1 d`. NaN for any other text, which the API then refuses. */
export function secondsIn(text: string): number {
  return parseTtlText(text.replaceAll(' ', '')) ?? Number.NaN;
}

/** The typed values with the fields of a whole content that was sent, so that the form shows it. */
export function withFields(typed: Typed, type: string): Typed {
  if (typed.content === undefined || typedValues(typed) !== null) return typed;
  const content = [typed.content].flat().at(-1) ?? '';
  const values = fieldsOfContent(chooseForm(type), content) ?? { [listFields(type).at(-1)?.name ?? '']: content };
  return { ...typed, ...Object.fromEntries(Object.entries(values).map(([name, value]) => [inputName(name), value])) };
}

/** Null if the form has no fields of a type. */
function typedValues(typed: Typed): FieldValues | null {
  const values = Object.entries(typed).flatMap(([name, value]): [string, string][] =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), [value ?? ''].flat().at(-1) ?? '']] : [],
  );
  return values.length === 0 ? null : Object.fromEntries(values);
}

/** The type whose fields a form for this type has. */
export function chooseForm(type: string): RecordType | 'TYPEn' {
  return isNamedType(type) ? type : 'TYPEn';
}

function listFields(type: string) {
  return fieldsOfType(chooseForm(type));
}
