// Text for a terminal. Zones, sources of an import and answers of other servers can contain control characters, which a terminal
// would obey: it would hide lines, or write the clipboard.

/** The styles that commands print, as styleText of Node writes them: bold, red and green, with their ends. */
const STYLE = '\\u001b\\[(?:1|22|31|32|39)m';
const STYLE_OR_CONTROL = new RegExp(`(${STYLE})|[^\\P{Cc}\\t\\n]`, 'gu');

/** The text with a blank for each control character that is no tab, no line feed and no part of a style of ours. Pure. */
export function terminalText(text: string): string {
  return text.replaceAll(STYLE_OR_CONTROL, (_, style?: string) => style ?? ' ');
}
