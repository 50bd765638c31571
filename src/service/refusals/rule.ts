// The form of an entry in the catalogue of refusals, and the types that are derived from its sentence.

export type RefusalCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'no_zone'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'rate_limited'
  | 'internal'
  | 'busy';

export interface RefusalText {
  code: RefusalCode;
  /** The wrong input field. Absent: the field that the caller of `refusal` names, if any. */
  field?: string;
  /** The message for people: the wrong value, and the values that are accepted. `{name}` stands for a parameter. */
  sentence: string;
  /** The explanation on the reference page. (Default: the sentence.) */
  about?: string;
}

/** The names between braces in a sentence. */
export type ParameterName<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

/** Replaces the parameters in a sentence. */
export function fillIn(sentence: string, parameters: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ''));
}
