// The processor and wall time of each test file: which files are dear, and the table of test/README.md. The reporter
// keeps the times of the last run of each file in the cache, and `node test/times.ts` prints the table.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheRoot } from '../../../deploy/local/parts/cache.ts';

export interface FileTime {
  readonly tests: number;
  /** Seconds of the worker and its ended processes. */
  readonly cpu: number;
  /** Seconds. */
  readonly wall: number;
}

/** By the path below `test/`. */
export type FileTimes = Readonly<Record<string, FileTime>>;

const FILE = join(cacheRoot(), 'test-times.json');
/** A run of fewer files names none of them. */
const FEW = 20;
const NAMED = 20;

/** The twenty dearest files as lines; empty for a run of few files. */
export function summarizeTimes(times: FileTimes): string {
  const files = Object.entries(times);
  if (files.length <= FEW) return '';
  const sum = files.reduce((all, [, { cpu }]) => all + cpu, 0);
  const dearest = files.sort(([, a], [, b]) => b.cpu - a.cpu).slice(0, NAMED);
  const lines = dearest.map(([file, { cpu, wall }]) => `  ${seconds(cpu)} s, ${seconds(wall)} s wall: ${file}\n`);
  return `${files.length} files, ${seconds(sum)} s of processor time; the dearest:\n${lines.join('')}`;
}

/** A row for each group of files, the dearest first, and one for all. @param groupOf (Default: the folder.) */
export function sumSuites(
  times: FileTimes,
  groupOf: (file: string) => string = folderOf,
): (FileTime & { suite: string; files: number })[] {
  const groups = Map.groupBy(Object.entries(times), ([file]) => groupOf(file));
  const rows = [...groups].map(([suite, files]) =>
    sumTimes(
      suite,
      files.map(([, time]) => time),
    ),
  );
  return [...rows.sort((a, b) => b.cpu - a.cpu), sumTimes('all', Object.values(times))];
}

/** The level and the first folder below it. */
function folderOf(file: string): string {
  const [level = '', folder = ''] = file.split('/');
  return folder.endsWith('.ts') ? level : `${level}/${folder}`;
}

function sumTimes(suite: string, times: readonly FileTime[]): FileTime & { suite: string; files: number } {
  const add = (key: keyof FileTime) => times.reduce((sum, time) => sum + time[key], 0);
  return { suite, files: times.length, tests: add('tests'), cpu: add('cpu'), wall: add('wall') };
}

export function seconds(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

/** The times of the last run of each file; empty before the first run. */
export async function readTimes(): Promise<FileTimes> {
  const text = await readFile(FILE, 'utf8').catch(() => '{}');
  return JSON.parse(text) as FileTimes;
}

/** Adds the times of a run to those that are kept. */
export async function keepTimes(times: FileTimes): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true });
  const part = `${FILE}.${process.pid}`;
  await writeFile(part, JSON.stringify({ ...(await readTimes()), ...times }));
  await rename(part, FILE);
}
