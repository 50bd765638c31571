// Characters that a person does not see: controls, separators of lines, characters that change the direction of a text,
// tags, halves of surrogate pairs, characters that Unicode has not assigned. In the text of others, they hide or
// disguise what a line says.

/** All characters that are not printed, for a class of a regular expression with the flag u. */
export const UNPRINTABLE = String.raw`\p{C}\p{Zl}\p{Zp}`;

const ALL = new RegExp(`[${UNPRINTABLE}]`, 'gu');
const RUNS = new RegExp(`[${UNPRINTABLE}]+`, 'gu');

/** The text with `\u` and four digits, or `\U` and eight, for each character that is not printed. Pure. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(ALL, escapeCharacter);
}

/** The text in one line, with a blank for each run of characters that are not printed. Pure. */
export function dropUnprintable(text: string): string {
  return text.replaceAll(RUNS, ' ');
}

/** `\u0085`, `\U000E0041`: in a double-quoted scalar, YAML reads both. */
export function escapeCharacter(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/**
 * Text of others in a sentence: escaped, and cut off after a number of characters.
 * @param most the characters of the text that are shown
 */
export function shownText(text: string, most: number): string {
  return escapeUnprintable(text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text);
}
