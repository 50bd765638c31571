// Plain text in one line, as comments and the contents of records must be. Pure.

// Control characters, the line separators of Unicode, halves of surrogate pairs, and characters that change the
// direction of the text that follows, which could disguise what a page shows next to it. YAML 1.1 ends a line at
// U+0085, U+2028 and U+2029.
const REFUSED = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The first character that is not plain text; null if there is none. */
export function findSpecialCharacter(text: string): string | null {
  return REFUSED.exec(text)?.[0] ?? null;
}

/** `U+0085` */
export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
