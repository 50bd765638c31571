// The output of the plugin as data, and its printer: pure functions make sections, which unit tests read.
import { dropUnprintable } from '#base/printable.ts';
import { table } from '../table.ts';

export interface Section {
  /** Printed above the section. */
  readonly title?: string;
  readonly lines?: readonly string[];
  readonly table?: { readonly heading: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** Prints sections with an empty line between them. A table of no rows is not printed. */
export function printSections(sections: readonly Section[], print: (line: string) => void): void {
  const shown = sections.filter(({ lines = [], table: { rows } = { rows: [] } }) => lines.length + rows.length > 0);
  for (const [index, { title, lines = [], table: grid }] of shown.entries()) {
    if (index > 0) print('');
    if (title !== undefined) print(dropUnprintable(title));
    for (const line of lines) print(dropUnprintable(line));
    if (grid !== undefined && grid.rows.length > 0) {
      table(
        [...grid.heading],
        grid.rows.map((row) => [...row]),
        print,
      );
    }
  }
}
