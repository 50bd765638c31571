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
const FONT = 13;
/**
 * The width of a character as a part of the font size: the one of DejaVu Sans Mono, Menlo and Consolas is 0.55 to
 * 0.602.
 */
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
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="${FONT}" xml:space="preserve">`,
    `<title>${escape(title)}</title>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function linesOf({ caption, command, output }: Typed): Line[] {
  const as = (kind: Kind, text: string): Line[] => wrap(expandTabs(text)).map((part) => ({ kind, text: part }));
  return [
    ...as('caption', `# ${caption}`),
    ...as('command', `$ ${command}`),
    ...output.flatMap((text) => as('output', text)),
  ];
}

function draw(kind: Kind, text: string): string {
  const isFirst = kind === 'command' && text.startsWith('$ ');
  return isFirst ? `<tspan class="prompt">$</tspan>${escape(text.slice(1))}` : escape(text);
}

function expandTabs(text: string): string {
  return text.split('\t').reduce((line, part) => `${line}${' '.repeat(TAB - (line.length % TAB))}${part}`);
}

/**
 * Lines of at most 96 characters, broken between words; the rest of a line is indented as its beginning is, and by two.
 */
function wrap(text: string): string[] {
  if (text.length <= COLUMNS) return [text];
  const indent = `${/^ */.exec(text)?.[0] ?? ''}  `;
  const at = text.lastIndexOf(' ', COLUMNS);
  const end = at > indent.length ? at : COLUMNS;
  return [text.slice(0, end), ...wrap(`${indent}${text.slice(end).trimStart()}`)];
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
