// The e-mail address of a person.
import { REMOVED_DOMAIN } from '#store/people-list.ts';

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 254;

/**
 * The address with its ASCII letters in lower case. Two addresses are the same person, so no mapping of Unicode may
 * make one from another: the KELVIN SIGN, for instance, has the lower case letter k.
 * @returns null unless the local part is ASCII without quotes (RFC 5321 section 4.1.2) and the domain has A-labels (RFC
 * 5890). Null also for the address in the row of a removed person, so that a search by it finds no person
 */
export function readAddress(text: string): string | null {
  const address = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const at = address.lastIndexOf('@');
  const isSound = LOCAL.test(address.slice(0, Math.max(0, at))) && DOMAIN.test(address.slice(at + 1));
  if (address.endsWith(`@${REMOVED_DOMAIN}`)) return null;
  return at > 0 && isSound && address.length <= MAX_LENGTH ? address : null;
}
