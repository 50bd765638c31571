// A list in a sentence: its first texts, and how many follow.

/** `a, b and 3 more`. @param most the texts that are written, at least 1 */
export function writeFew(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}
