/**
 * Names that the public DNS does not have by definition: a resolver says that they do not exist, and this means
 * nothing.
 */
import { listSuffixes } from './name.ts';

/** RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476, and `internal`, which ICANN reserved for private use. */
const PRIVATE_USE = ['alt', 'home.arpa', 'internal', 'local', 'localhost', 'onion'] as const;

/** @param privateTlds more top-level names of private networks */
export function isPrivateUse(name: string, privateTlds: ReadonlySet<string>): boolean {
  const suffixes = listSuffixes(name);
  return PRIVATE_USE.some((suffix) => suffixes.includes(suffix)) || privateTlds.has(suffixes.at(-1) ?? '');
}
