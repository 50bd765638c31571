// Tables for people. At a terminal that is too narrow, nothing is cut off: long texts of the last column continue on
// the next lines, and if the other columns alone are too wide, each row becomes a block of lines. Elsewhere, for
// instance in a pipe, each row is one line.
import { styleText } from 'node:util';
import { dropUnprintable } from '#base/printable.ts';

/** The narrowest last column, in characters. */
const NARROWEST = 16;
const GAP = '  ';

interface Screen {
  /** In characters. Null: lines have any length. */
  readonly width: number | null;
  readonly heading: (text: string) => string;
}

/** Prints a heading and rows in columns as wide as their widest cell. The last column has no fixed width. */
export function table(heading: string[], rows: string[][], print: (line: string) => void): void {
  for (const line of tableLines(heading, rows, readScreen(process.stdout))) print(line);
}

/** The minute of a time such as 2026-01-31T12:00:00Z, as a cell. */
export function formatMinute(time: string | null): string {
  return time === null ? 'never' : time.slice(0, 16);
}

/** Such as `2026-11-27T10:00:07Z`, for times that follow each other within a minute. */
export function formatSecond(time: string): string {
  return `${time.slice(0, 19)}Z`;
}

/** The screen of a stream. NO_COLOR, FORCE_COLOR and the terminal decide on styles (no-color.org). */
function readScreen(stream: NodeJS.WriteStream): Screen {
  return {
    width: stream.isTTY && stream.columns > 0 ? stream.columns : null,
    heading: (text) => styleText('bold', text, { stream }),
  };
}

/** Pure. */
export function tableLines(heading: readonly string[], rows: readonly string[][], screen: Screen): string[] {
  const cells = rows.map((row) => heading.map((_, at) => dropUnprintable(row[at] ?? '')));
  const widths = heading.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => countCharacters(row[at] ?? ''))),
  );
  const last = heading.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = screen.width === null ? Number.POSITIVE_INFINITY : screen.width - before;
  if (room < Math.min(NARROWEST, widths[last] ?? 0)) return blocks(heading, cells, screen);
  const formatRow = (row: readonly string[]) =>
    row.map((cell, at) => (at === last ? cell : padded(cell, widths[at] ?? 0))).join(GAP);
  return [
    screen.heading(formatRow(heading)),
    ...cells.flatMap((row) =>
      wrapped(row[last] ?? '', room).map((part, at) =>
        at === 0 ? formatRow([...row.slice(0, last), part]) : ' '.repeat(before) + part,
      ),
    ),
  ];
}

/** One block for each row, with one cell on each line. */
function blocks(heading: readonly string[], rows: readonly (readonly string[])[], screen: Screen): string[] {
  const width = Math.max(...heading.map(({ length }) => length));
  const room = Math.max(NARROWEST, (screen.width ?? 0) - width - GAP.length);
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...heading.flatMap((title, at) =>
      wrapped(row[at] ?? '', room).map(
        (part, line) => (line === 0 ? screen.heading(title.padEnd(width)) : ' '.repeat(width)) + GAP + part,
      ),
    ),
  ]);
}

/** Breaks a text after blanks, and words that are longer than a line anywhere. */
function wrapped(text: string, width: number): string[] {
  if (countCharacters(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (countCharacters(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const characters = [...word];
    while (characters.length > width) lines.push(characters.splice(0, width).join(''));
    line = characters.join('');
  }
  return [...lines, line];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - countCharacters(text)));
}

function countCharacters(text: string): number {
  return [...text].length;
}
