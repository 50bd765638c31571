// Runs some test files of one project in the workspace, in a process of its own that is bounded in time.
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from './fault.ts';
import type { Report } from './verdict.ts';

export interface TestRun {
  readonly root: string;
  readonly project: Project;
  readonly tests: readonly string[];
  /** A regular expression of the full names of omitted tests. */
  readonly ignore: string | undefined;
  /** The first failed test ends the run. */
  readonly bail: boolean;
  readonly limitMs: number;
}

/** The end of the output, for a run that leaves no report. */
const TAIL = 2_000;
const KILL_AFTER_MS = 20_000;

/** @returns the report of vitest, or null with the end of its output when there is none */
export async function runTests(
  { root, project, tests, ignore, bail, limitMs }: TestRun,
  signal: AbortSignal,
): Promise<{ report: Report | null; tail: string; isLate: boolean }> {
  const output = join(root, '.mutate-report.json');
  await rm(output, { force: true });
  const args = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', project],
    ...['--reporter', 'json', '--outputFile', output],
    ...(bail ? ['--bail', '1'] : []),
    ...(ignore === undefined ? [] : ['--testNamePattern', `^(?!.*(${ignore}))`]),
    ...tests,
  ];
  const { tail, isLate } = await runBounded(args, root, limitMs, signal);
  const text = await readFile(output, 'utf8').catch(() => null);
  return { report: text === null || isLate ? null : (JSON.parse(text) as Report), tail, isLate };
}

function runBounded(args: string[], cwd: string, limitMs: number, signal: AbortSignal) {
  return new Promise<{ tail: string; isLate: boolean }>((resolve, reject) => {
    // A bundle for each fault would cost more than the few starts in its tests.
    const env = { ...process.env, TEST_PROGRAM: 'src/main.ts' };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    let isLate = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        tail = `${tail}${chunk.toString()}`.slice(-TAIL);
      });
    }
    // vitest ends its workers and their programs when it is asked to; only then is it killed.
    const end = () => {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    };
    const limit = setTimeout(() => {
      isLate = true;
      end();
    }, limitMs);
    signal.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(limit);
      signal.removeEventListener('abort', end);
      resolve({ tail, isLate });
    });
  });
}
