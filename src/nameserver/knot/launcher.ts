// Runs a program many times from a small process. Node forks: a process of 150 MB takes 10 ms of processor time more
// for each start than one of 45 MB, as much as keymgr itself takes (200 keys: 2.1 s instead of 4.0 s, and a third of
// the time).
import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Runs of a program, each of which may happen twice: once more if it fails. */
export interface Runs {
  readonly file: string;
  /** The arguments of each run. */
  readonly runs: readonly (readonly string[])[];
  /** Processes at once. */
  readonly atOnce: number;
  readonly timeoutMs: number;
}

const PROGRAM = fileURLToPath(new URL('./launcher-process.js', import.meta.url));

/**
 * @returns for each run null, or the words of the program, or why it could not run
 * @throws Error if the small process has ended before
 */
export async function runMany(runs: Runs): Promise<readonly (string | null)[]> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] });
  const failure = new Promise<never>((_, reject) => child.once('error', reject));
  child.stdin.on('error', () => undefined);
  // The end of standard input ends the process, also when this one dies.
  child.stdin.write(`${JSON.stringify(runs)}\n`);
  try {
    return (await Promise.race([json(child.stdout), failure])) as readonly (string | null)[];
  } catch (cause) {
    throw new Error('the process that starts programs has ended', { cause });
  } finally {
    child.stdin.end();
  }
}
