// The check of records at the service, as a field of a DNSRecord. Pure.
import { isSharedCheck } from '#base/check-form.ts';

/** A check as the REST API writes it. */
interface Definition {
  readonly type: string;
  readonly expect?: readonly (string | number)[] | undefined;
}

/** The definitions of the checks of an owner, by name. */
export type CheckDefinitions = ReadonlyMap<string, Definition>;

/** Why `checkField` is null. */
export const FOLLOWS_SERVICE =
  'an operator sends the state of the addresses by the endpoints of a Service, which the DNS service does not know; write a DNSRecord with spec.healthFrom';

/**
 * The check that an operator made for an object is the definition that the object had. A check of the team stays a
 * name.
 * @returns null: only the operator that sends the signals knows the Service, or the definition is unknown
 */
export function checkField(name: string, definitions: CheckDefinitions): Record<string, unknown> | null {
  if (isSharedCheck(name)) return { checkRef: name };
  const definition = definitions.get(name);
  if (definition === undefined || definition.type === 'signal') return null;
  const { expect, ...fields } = definition;
  return { ...fields, ...(expect === undefined ? {} : { expect: expect.map(String) }) };
}
