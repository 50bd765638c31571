// For every test file: measures the processor time of its worker, and of the processes that it started and that ended,
// so that the reporter can say which files are dear. Not in it: the Postgres that all files share, and processes that
// outlive the file.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The processor time of a file in seconds. */
    cpu?: number;
  }
}

/** Ticks of /proc/<pid>/stat in a second (proc(5)); the same on all machines that tests run on. */
const TICKS = 100;
/** utime, stime, cutime and cstime, counted from the field after the name of the program. */
const TIMES = [11, 12, 13, 14];

function cpuSeconds(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS;
}

const before = cpuSeconds();
// The hooks of a setup file run after those of the test file. Vitest wants the fixtures, which are none, as a pattern.
// biome-ignore lint/correctness/noEmptyPattern: see above
afterAll(({}, { file }) => {
  file.meta.cpu = cpuSeconds() - before;
});
