// Text for a terminal. Zones, sources of an import and answers of other servers can contain control characters, which a
// terminal would obey: it would hide lines, or write the clipboard. Characters that turn the direction of a line, or
// that are not seen, would make it say something else.
import { UNPRINTABLE } from '#base/printable.ts';

/** The styles that commands print, as styleText of Node writes them: bold, red and green, with their ends. */
const STYLE = '\\u001b\\[(?:1|22|31|32|39)m';
const STYLE_OR_HIDDEN = new RegExp(`(${STYLE})|(?![\\t\\n])[${UNPRINTABLE}]`, 'gu');

/**
 * The text with a blank for each hidden character that is not a tab, a line feed or a part of a style of ours. Pure.
 */
export function terminalText(text: string): string {
  return text.replaceAll(STYLE_OR_HIDDEN, (_, style?: string) => style ?? ' ');
}
