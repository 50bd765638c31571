// Converts the form of a check to the API's definition and back. Validates nothing, so that the API's own sentence is
// shown about every field. Pure.
import { CHECK_RANGES, readStatus } from '#base/check-form.ts';
import type { CheckDefinition } from '#contract/checks.ts';
import { list, type Typed, textField } from '../shell/forms.ts';

const TEXTS = ['path', 'host', 'tls'] as const;
const NUMBERS = ['port', 'interval', 'timeout', 'failures', 'retryInterval', 'successes'] as const;

/** The fields at which a refusal of the API is shown. */
export const CHECK_FIELDS = ['name', 'owner', 'type', 'expect', ...TEXTS, ...NUMBERS];

/** The body of the request. An empty field has its default. */
export function readCheckForm(typed: Typed): Record<string, unknown> {
  const type = textField(typed, 'type');
  // The form has the fields of probes for every type.
  if (type === 'signal') return { type };
  const expect = list(typed, 'expect').map(readStatus);
  const values = [
    ...TEXTS.map((name) => [name, textField(typed, name)] as const),
    ...NUMBERS.map((name) => [name, readNumber(textField(typed, name))] as const),
  ];
  // The form has the field for every type.
  const isKept = (name: string) => name !== 'tls' || type === 'https';
  return {
    type,
    ...(expect.length === 0 ? {} : { expect }),
    ...Object.fromEntries(values.filter(([name, value]) => value !== '' && isKept(name))),
  };
}

/** The text itself if it is not a number: the API refuses it with its own sentence. */
function readNumber(text: string): number | string {
  return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

/** The form of a stored check. */
export function typedOfCheck(check: CheckDefinition): Typed {
  if (check.type === 'signal') return { ...NEW_CHECK, type: 'signal' };
  const { expect, ...definition } = check;
  const fields = Object.entries(definition).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  return { ...Object.fromEntries(fields), ...(expect === undefined ? {} : { expect: expect.join(', ') }) };
}

/** The form of a new check. */
export const NEW_CHECK: Typed = {
  type: 'https',
  ...Object.fromEntries(Object.entries(CHECK_RANGES).map(([name, { standard }]) => [name, String(standard)])),
};
