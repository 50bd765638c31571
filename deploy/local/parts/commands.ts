// Finds programs and runs them to their end, line by line.
import { spawn } from 'node:child_process';
import { accessSync, constants, type ReadStream, statSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Where Debian keeps servers; an ordinary user's PATH lacks them. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The absolute path of an executable, looked up in PATH and the sbin folders; undefined when there is none. */
export function findCommand(name: string, path = process.env.PATH ?? ''): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  return [...path.split(delimiter), ...SYSTEM_FOLDERS]
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program of a process, and what it runs with. */
export interface ProcessOptions {
  command: string;
  args: readonly string[];
  /** (Default: the environment of this process.) */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
}

export interface RunOptions extends ProcessOptions {
  /** Each line of standard output and standard error as it comes. */
  onLine?: (line: string, stream: 'out' | 'err') => void;
  /** An open file that is standard input, and that only the program reads. Absent: no input. */
  stdin?: ReadStream;
  /** Lets other processes have the processor first, see nice(1). (Default: false.) */
  background?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface RunResult {
  code: number | null;
  /** Standard output. */
  out: string;
  /** The last 40 lines of both streams, for messages. */
  tail: string;
}

const TAIL_LINES = 40;

const BACKGROUND = 10;

function yieldProcessor(pid: number): void {
  try {
    if (getPriority(pid) < BACKGROUND) setPriority(pid, BACKGROUND);
  } catch {
    // The process has ended already.
  }
}

/**
 * Runs a program without a shell and waits for its end; a code other than 0 is the caller's business.
 * @throws when it cannot be started, when it takes longer than `timeoutMs`, or the signal's reason when it is aborted;
 * in the last two cases the program has been ended (SIGTERM, 10 s later SIGKILL) and is gone.
 */
export async function runCommand(options: RunOptions): Promise<RunResult> {
  const { command, args, signal } = options;
  signal.throwIfAborted();
  const child = spawn(command, [...args], {
    env: options.env ?? process.env,
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  if (options.background && child.pid !== undefined) yieldProcessor(child.pid);
  const out: string[] = [];
  const tail: string[] = [];
  const read = (stream: 'out' | 'err') => (line: string) => {
    if (stream === 'out') out.push(line);
    if (tail.push(line) > TAIL_LINES) tail.shift();
    options.onLine?.(line, stream);
  };
  createInterface({ input: child.stdout }).on('line', read('out'));
  createInterface({ input: child.stderr }).on('line', read('err'));

  const limit = AbortSignal.timeout(options.timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  let killer: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGTERM');
    killer = setTimeout(() => {
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open; 'close' would wait for it.
      child.stdout.destroy();
      child.stderr.destroy();
    }, 10_000);
  };
  either.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (limit.aborted)
      throw new Error(`${command} took longer than ${options.timeoutMs / 1000} s:\n${tail.join('\n')}`);
    return { code, out: out.join('\n'), tail: tail.join('\n') };
  } finally {
    either.removeEventListener('abort', end);
    clearTimeout(killer);
  }
}
