// Patterns of owner names that a key is restricted to: `*` stands for any run of characters, dots included, so that
// `_acme-challenge*` covers `_acme-challenge.www`. Pure.

/** What a pattern may hold: the characters of owner names, `@` for the apex, `*`. Always lower case, as stored names are. */
export const PATTERN = /^[a-z0-9_.*@-]{1,253}$/;

/**
 * Whether a stored owner name fits. Linear in both lengths: the pattern is a user's, so a regular expression made of it
 * could be made to run for hours.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === head;
  if (!name.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let at = head.length;
  // The first place where a part fits leaves the most room for the parts behind it.
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
