// The programs of `npm run check` as a step next to the tests: in a worker they would keep a test file waiting for a
// whole core. The reporter starts them with the run, and counts each as one test.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../../deploy/local/parts/cache.ts';

export interface Check {
  readonly title: string;
  /** A program of the project's dependencies. */
  readonly program: string;
  readonly args: readonly string[];
}

export interface CheckResult {
  readonly title: string;
  /** The words of the program when it refuses; empty when it accepts. */
  readonly complaint: string;
}

const ROOT = new URL('../../..', import.meta.url).pathname;
const LIMIT_MS = 300_000;
/** The type check of the last run of this checkout: only changed files and their users are checked again. */
const KNOWN_TYPES = join(
  cacheRoot(),
  'types',
  `${createHash('sha256').update(ROOT).digest('hex').slice(0, 16)}.tsbuildinfo`,
);

/** The words of the last run of this checkout: only changed files are read again (1 s instead of 8). */
const SPELLING_CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', `${KNOWN_TYPES}.spelling`];

export const CHECKS: readonly Check[] = [
  { title: 'the type check', program: 'tsc', args: ['--noEmit', '--incremental', '--tsBuildInfoFile', KNOWN_TYPES] },
  {
    title: 'the linter: import table, import cycles, format',
    program: 'biome',
    args: ['ci', '--colors=off', '--error-on-warnings', '.'],
  },
  { title: 'plain English', program: 'node', args: ['test/prose/main.ts'] },
  {
    title: 'the spelling',
    program: 'cspell',
    args: [
      'lint',
      '--config',
      'test/prose/cspell.json',
      '--root',
      '.',
      '--no-progress',
      '--no-summary',
      ...SPELLING_CACHE,
    ],
  },
];

/** Runs them one after the other, each for at most 5 minutes. Never rejects. */
export async function runChecks(checks: readonly Check[] = CHECKS): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { title, program, args } of checks) {
    const command = join(ROOT, 'node_modules/.bin', program);
    results.push({ title, complaint: await runCheck(command, args) });
  }
  return results;
}

async function runCheck(command: string, args: readonly string[]): Promise<string> {
  try {
    await promisify(execFile)(command, args, { cwd: ROOT, maxBuffer: 32 * 1024 * 1024, timeout: LIMIT_MS });
    return '';
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    return `${stdout ?? ''}${stderr ?? ''}` || message;
  }
}
