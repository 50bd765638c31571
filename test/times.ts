// Prints the processor and wall time of the last run of each folder of tests as a table, for test/README.md.
import { readTimes, seconds, suitesOf } from './support/file-times.ts';

const head = ['tests of', 'files', 'tests', 'processor s', 'wall s'];
const rows = suitesOf(await readTimes()).map(({ suite, files, tests, cpu, wall }) => [
  `\`${suite}\``,
  String(files),
  String(tests),
  seconds(cpu),
  seconds(wall),
]);
const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
process.stdout.write(`${[line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')}\n`);
