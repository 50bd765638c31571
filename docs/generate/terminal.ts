// Draws the lines of a terminal as an SVG that is readable in light and dark. A picture of GitHub or of the site loads
// no font, so each line has the width that its characters have in the usual monospaced fonts. Pure.

/** A command with its output. */
export interface Typed {
  /** A sentence about the command, above it. */
  readonly caption: string;
  readonly command: string;
  readonly output: readonly string[];
}

type Kind = 'caption' | 'command' | 'output';

interface Line {
  readonly kind: Kind;
  readonly text: string;
}

const COLUMNS = 96;
const TAB = 8;
const CONTINUED = ' \\';
const FONT = 13;
/** The width of a character as a part of the font size: at most this in the usual monospaced fonts. */
const ADVANCE = 0.602;
const LEADING = 19;
const PADDING = 20;
const GAP = 8;

const STYLE = [
  '.ground{fill:#f7f9fb;stroke:#d0d9e2}.caption{fill:#526071;font-style:italic}.command{fill:#10242f;font-weight:600}.output{fill:#1c2733}',
  '.prompt{fill:#0f5c8a}',
  '@media(prefers-color-scheme:dark){.ground{fill:#10161d;stroke:#2b3744}.caption{fill:#a5b2c1}.command{fill:#f2f6fa}.output{fill:#d5dde6}',
  '.prompt{fill:#7cc4ee}}',
].join('\n');

/** @param title for readers who do not see the picture */
export function drawTerminal(title: string, session: readonly Typed[]): string {
  const groups = session.map(linesOf);
  const width = Math.ceil(COLUMNS * FONT * ADVANCE) + 2 * PADDING;
  const lines: string[] = [];
  let y = PADDING + FONT;
  for (const group of groups) {
    for (const { kind, text } of group) {
      lines.push(`<text class="${kind}" x="${PADDING}" y="${y}">${draw(kind, text)}</text>`);
      y += LEADING;
    }
    y += GAP;
  }
  const height = y - GAP - LEADING + PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace,monospace" font-size="${FONT}">`,
    `<title>${escapeText(title)}</title>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function linesOf({ caption, command, output }: Typed): Line[] {
  const as = (kind: Kind, text: string): Line[] => wrap(expandTabs(text)).map((part) => ({ kind, text: part }));
  // A shell reads the broken line as one.
  const typed = wrap(`$ ${command}`, COLUMNS - CONTINUED.length);
  return [
    ...as('caption', `# ${caption}`),
    ...typed.map((text, at): Line => ({ kind: 'command', text: at < typed.length - 1 ? text + CONTINUED : text })),
    ...output.flatMap((text) => as('output', text)),
  ];
}

function draw(kind: Kind, text: string): string {
  const isFirst = kind === 'command' && text.startsWith('$ ');
  return isFirst ? `<tspan class="prompt">$</tspan>${escapeText(text.slice(1))}` : escapeText(text);
}

function expandTabs(text: string): string {
  return text.split('\t').reduce((line, part) => `${line}${' '.repeat(TAB - (line.length % TAB))}${part}`);
}

/**
 * Lines of at most 96 characters, broken between words; the rest of a line is indented as its beginning is, and by two.
 */
function wrap(text: string, columns = COLUMNS): string[] {
  if (text.length <= columns) return [text];
  const indent = `${/^ */.exec(text)?.[0] ?? ''}  `;
  const at = text.lastIndexOf(' ', columns);
  const end = at > indent.length ? at : columns;
  return [text.slice(0, end), ...wrap(`${indent}${text.slice(end).trimStart()}`, columns)];
}

function escapeText(text: string): string {
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  // Browsers differ in how they keep several spaces of a text.
  return markup.replaceAll(/^ | (?= )|(?<= ) /g, '\u00a0');
}
