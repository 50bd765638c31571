// Tables for people. Programs use --json.

/** Prints a heading and rows in columns as wide as their widest cell. The last column has no fixed width. */
export function table(heading: string[], rows: string[][], print: (line: string) => void): void {
  const widths = heading.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  for (const row of [heading, ...rows]) {
    print(row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '));
  }
}
