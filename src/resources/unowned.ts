// The sentence of a DNSRecord whose value exists at the service without an owner. `kubectl zonestead why` recognizes
// it, because no object can be named. Pure.

const UNOWNED = 'already exists at the DNS service, and no DNSRecord owns it';

const begin = (value: string) => `The value ${value} ${UNOWNED}`;

/** @param value as the service has it, shortened for a condition */
export function unownedValue(value: string): string {
  return `${begin(value)}. Delete it there, or set spec.adopt: IfIdentical to take it over.`;
}

/** Whether a sentence is that of a value without an owner. */
export function isUnownedValue(message: string): boolean {
  return message.includes(UNOWNED);
}

/** Whether the sentence is about this value. */
export function namesUnowned(message: string, value: string): boolean {
  return message.includes(begin(value));
}
