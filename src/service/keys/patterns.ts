// The patterns of owner names that restrict a key. `*` matches any sequence of characters, including dots, so
// `_acme-challenge*` matches `_acme-challenge.www`. Pure.

/** The characters of a pattern: those of owner names in lower case, `@` for the apex, and `*`. */
export const PATTERN = /^[a-z0-9_.*@-]{1,253}$/;

/**
 * Whether a stored owner name matches. The time is linear in both lengths. A regular expression made from a user's pattern could
 * run for hours.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === head;
  if (!name.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let at = head.length;
  // The first match of a part leaves the most characters for the parts after it.
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}

/** The same as an SQL LIKE pattern. */
export function likePattern(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
