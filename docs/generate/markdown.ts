// Markdown as the formatter of the project writes it, so that a generated page needs no formatting.

const WIDTH = 120;

/** A page: its title, the line that says how it is made, and its parts, with an empty line between all of them. */
export function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, '<!-- Made by `npm run generate`; do not edit. -->', ...parts].join('\n\n')}\n`;
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Text that is not Markdown: characters that would mark it up are escaped, except in backticks. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*]/g, (mark) => `\\${mark}`)))
    .join('');
}

/** Lines of at most 120 characters. */
export function paragraph(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** A table with aligned columns. Line breaks in cells become spaces, and "|" is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|')),
  );
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
