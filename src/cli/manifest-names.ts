// Names of the objects that stand for what a zone holds: valid for Kubernetes (RFC 1123 subdomain), different for different
// things, and the same at every run, so that a second import changes nothing in a repository. Pure.
import { createHash } from 'node:crypto';

/** What Kubernetes takes as the name of an object. */
const MAX_NAME = 253;
const HASH_DIGITS = 10;
const PLAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The name of the zone, where Kubernetes takes it. */
export function zoneObjectName(zoneName: string): string {
  return nameOf(zoneName, '');
}

/**
 * `www.shop.example-a`; `…-a-2` for the second object of one RRset. No two of these are alike: after the last hyphen stands
 * a type, or a number below 10 digits after a type, or a hash.
 * @param part 1 for the first
 */
export function recordObjectName(fqdn: string, type: string, part: number): string {
  return nameOf(fqdn, `-${type.toLowerCase()}${part === 1 ? '' : `-${part}`}`);
}

/** `*` and `_` have no place in an object's name: what replaces them is made unique by a hash of the whole. */
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
