/** The description of one record type. The tables of all types (numbers, forms, texts, layouts) are made from it. */
import { type ContentField, type FieldDescription, readFields } from './content-fields.ts';
import type { ParseContent } from './rdata.ts';

/**
 * A part of RDATA on the wire, and its word in presentation form. `octet`, `number` and `long` are integers of one, two
 * and four octets. `string` is a character string, and `word` one of letters and digits, which is written without
 * quotes. The parts `strings`, `hex`, `base64`, `quoted` (text in quotes), `params` (RFC 9460) and `rest` take all
 * octets that are left.
 */
export type LayoutPart =
  | 'octet'
  | 'number'
  | 'long'
  | 'name'
  | 'string'
  | 'word'
  | 'strings'
  | 'ipv4'
  | 'ipv6'
  | 'identifier'
  | 'eui48'
  | 'eui64'
  | 'hex'
  | 'base64'
  | 'quoted'
  | 'params'
  | 'rest';

/** Octets of the parts that always have the same number. */
export const SIZES: Readonly<Partial<Record<LayoutPart, number>>> = {
  octet: 1,
  number: 2,
  long: 4,
  ipv4: 4,
  ipv6: 16,
  identifier: 8,
  eui48: 6,
  eui64: 8,
};

/** The octets of a type, for reading. */
export interface WireForm {
  readonly layout: readonly LayoutPart[];
  /** RDATA in presentation form, if it is not the words of the layout. @throws RangeError if it is not a value */
  readonly text?: (rdata: Uint8Array) => string;
}

/** The content of a type, for people: the console and the reference show it. */
export interface TypeForm {
  /** A noun phrase. */
  readonly form: string;
  readonly example: string;
  readonly fields: readonly ContentField[];
  /** The labels that names of the type begin with. */
  readonly ownerFields?: readonly ContentField[];
}

export interface TypeDefinition extends TypeForm, WireForm {
  /** On the wire (IANA, DNS parameters). Null: the type exists in the service alone. */
  readonly number: number | null;
  readonly parse: ParseContent;
  /** The words of the content, for messages: `priority weight port target`. (Nothing: the content is one word.) */
  readonly syntax?: string;
  /** Whether a name has at most one record of the type, which stands for another name. */
  readonly isSingle?: true;
}

/** A form whose fields have examples of their own only where the example of the form is not the best one. */
type Described<T extends TypeForm> = Omit<T, 'fields'> & { readonly fields: readonly FieldDescription[] };

/** @throws Error if the example does not have the fields */
export function defineType(type: Described<TypeDefinition>): TypeDefinition {
  return { ...type, ...defineForm(type) };
}

/** @throws Error if the example does not have the fields */
export function defineForm({ form, example, fields }: Described<TypeForm>): TypeForm {
  const values = readFields(fields, example);
  if (values === null) throw new Error(`The example ${example} does not have the fields of its type.`);
  return { form, example, fields: fields.map((field) => ({ example: values[field.name] as string, ...field })) };
}
