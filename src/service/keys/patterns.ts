// The patterns of owner names that restrict a key. `*` matches any sequence of characters, including dots, so
// `_acme-challenge*` matches `_acme-challenge.www`. dns/names/certified.ts says which names a record needs. Pure.
import { PROOF_LABELS } from '#dns/names/certified.ts';
import { matchesPattern } from '#dns/names/pattern.ts';

/** The characters of a pattern: those of owner names in lower case, `@` for the apex, and `*`. */
export const PATTERN = /^[a-z0-9_.*@-]{1,253}$/;

/**
 * The patterns of the names that a key with these patterns may read: also the names with `_` in front of them, which it
 * may write. Reading proves nothing to a CA, so a name that a pattern matches may be read even if it may not be
 * written.
 */
export function readablePatterns(patterns: readonly string[]): string[] {
  const hasApex = patterns.some((pattern) => matchesPattern(pattern, '@'));
  const inFront = patterns.filter((pattern) => /^[^_*]/.test(pattern)).map((pattern) => `_*.${pattern}`);
  return [...new Set([...patterns, ...inFront, ...(hasApex ? PROOF_LABELS : [])])];
}

/** The same as an SQL LIKE pattern. */
export function likePattern(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
