/**
 * Names below which the public can register: the Public Suffix List with its private part (github.io). Pure; the list
 * is as old as the package that contains it.
 */
import { getDomain, parse } from 'tldts';

/**
 * On the list, but for use inside one's own network (RFC 8375). Names that are not listed (.test, .internal) need no
 * entry.
 */
const PRIVATE_USE: ReadonlySet<string> = new Set(['home.arpa']);

const AS_GIVEN = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
} as const;

/**
 * @param name canonical: lower-case A-labels without final dot. A top-level name that is not delegated is not a public
 * suffix.
 */
export function isPublicSuffix(name: string): boolean {
  if (PRIVATE_USE.has(name)) return false;
  const { publicSuffix, isIcann, isPrivate } = parse(name, AS_GIVEN);
  // The list's own default rule makes any unknown top-level name a suffix; only what is listed counts.
  return publicSuffix === name && (isIcann === true || isPrivate === true);
}

/** The name below a public suffix that `name` is or is below. The person who registers it decides about `name`. */
export function registrableDomain(name: string): string {
  return getDomain(name, AS_GIVEN) ?? name;
}
