// Patterns in which `*` matches any sequence of characters, including dots, so `*.dev` matches `a.b.dev`.

/**
 * Whether the text matches. The time is linear in both lengths. A regular expression made from a user's pattern could
 * run for hours.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === head;
  if (!text.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let at = head.length;
  // The first match of a part leaves the most characters for the parts after it.
  for (const part of rest) {
    const position = text.indexOf(part, at);
    if (position < 0) return false;
    at = position + part.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}
