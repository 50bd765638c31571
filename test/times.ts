// Prints the processor and wall time of the last run of each lane as a table, for test/README.md; with the argument
// `folders`, of each folder of tests. Files that are no longer there are not counted.
import { existsSync } from 'node:fs';
import { findLane } from './support/lanes/lanes.ts';
import { readTimes, seconds, sumSuites } from './support/runner/file-times.ts';

const here = (file: string) => existsSync(new URL(file, import.meta.url));
const times = Object.fromEntries(Object.entries(await readTimes()).filter(([file]) => here(file)));

const head = ['tests of', 'files', 'tests', 'processor s', 'wall s'];
const rows = sumSuites(times, process.argv[2] === 'folders' ? undefined : findLane).map(
  ({ suite, files, tests, cpu, wall }) => [`\`${suite}\``, String(files), String(tests), seconds(cpu), seconds(wall)],
);
const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
process.stdout.write(`${[line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')}\n`);
