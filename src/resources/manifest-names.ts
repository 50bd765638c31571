// The names of the objects that an import creates. They are valid in Kubernetes (RFC 1123 subdomain), unique, and the
// same at every run, so that a second import changes nothing in a repository. Pure.
import { createHash } from 'node:crypto';

/** The longest name of an object in Kubernetes. */
const MAX_NAME = 253;
const HASH_DIGITS = 10;
const PLAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The name of the zone if Kubernetes accepts it. */
export function zoneObjectName(zoneName: string): string {
  return nameOf(zoneName, '');
}

/**
 * `www.shop.example-a`; `…-a-2` for the second object of one RRset. All names are unique, because the text after the
 * last hyphen is a type, or a number of less than 10 digits after a type, or a hash.
 * @param part 1 for the first
 */
export function recordObjectName(fqdn: string, type: string, part: number): string {
  return nameOf(fqdn, `-${type.toLowerCase()}${part === 1 ? '' : `-${part}`}`);
}

/** The name of an object cannot contain `*` and `_`. A hash of the whole DNS name makes the replacement unique. */
function nameOf(dnsName: string, suffix: string): string {
  const whole = `${dnsName}${suffix}`;
  if (PLAIN.test(whole) && whole.length <= MAX_NAME) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_DIGITS);
  const legible = dnsName
    .split('.')
    .map((label) => (label === '*' ? 'wildcard' : label.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')))
    .filter((label) => label !== '')
    .join('.');
  const room = MAX_NAME - suffix.length - 1 - HASH_DIGITS;
  const start = legible.slice(0, room).replace(/[-.]+$/, '');
  return `${start === '' ? 'name' : start}${suffix}-${hash}`;
}
