// Supervised child processes: every long-running part of the local stack is started here.
//
// A part goes through: running → stopping (the polite signal was sent) → exited, or running → exited by itself.
// - A part leads its own session, so that the terminal's Ctrl-C reaches only `up`, and `up` keeps the order of the
//   ends.
// - When `up` itself is killed, the kernel sends the part its death signal (prctl(2) PR_SET_PDEATHSIG, set by setpriv
//   of util-linux). If setpriv is missing, an exit hook does it for every end except kill -9.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { findCommand, type ProcessOptions } from './commands.ts';
import type { Part, PartExit } from './part.ts';
import { delay, type WaitOptions, waitFor } from './wait.ts';

export type { Part, PartExit } from './part.ts';
export { waitFor } from './wait.ts';

export interface PartOptions extends ProcessOptions {
  name: string;
  /** Standard output and error are appended here, after a line that marks the session. */
  logFile: string;
  /** The signal that the kernel sends to the part when this process dies. (Default: SIGTERM.) */
  deathSignal?: NodeJS.Signals;
  /** (Default: the system's clock.) Only for the session marker. */
  now?: () => Date;
  /** Aborting it stops the part. Leave it out for parts that must end in an order. */
  signal?: AbortSignal;
}

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const TAIL_LIMIT_BYTES = 64 * 1024;
const KILL_LIMIT_MS = 30_000;

/**
 * Starts a part and waits until `check` says that it is ready; see waitFor.
 * @throws as startProcess and waitFor; nothing is left running then
 */
export async function startReady(
  options: PartOptions,
  check: (limit: AbortSignal, part: Part) => Promise<boolean>,
  wait: Omit<WaitOptions, 'part'>,
): Promise<Part> {
  const part = startProcess(options);
  try {
    await waitFor((limit) => check(limit, part), { ...wait, part });
  } catch (error) {
    await part.stop();
    throw error;
  }
  return part;
}

/** @throws when the command cannot be found or started. */
export function startProcess(options: PartOptions): Part {
  const { name, logFile } = options;
  const deathSignal = options.deathSignal ?? 'SIGTERM';
  const command = findCommand(options.command);
  if (command === undefined) throw new Error(`${name}: command not found: ${options.command}`);
  const { file, args } = withDeathSignal(command, options.args, deathSignal);

  rotate(logFile);
  const log = openSync(logFile, 'a', 0o600);
  let child: ChildProcess;
  let sessionStart: number;
  try {
    const at = (options.now ?? (() => new Date()))().toISOString();
    writeSync(log, `--- ${at} ${name} started: ${[command, ...options.args].join(' ')}\n`);
    sessionStart = fstatSync(log).size;
    child = spawn(file, args, {
      env: options.env ?? process.env,
      stdio: ['ignore', log, log],
      detached: true,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
  } finally {
    closeSync(log);
  }
  const { pid } = child;
  if (pid === undefined) {
    child.on('error', () => {}); // The event says again what the next line throws.
    throw new Error(`${name}: cannot start ${command} (may this user run it in ${options.cwd ?? process.cwd()}?)`);
  }
  const part = new ChildPart(name, pid, logFile, child, sessionStart);
  killAtExit(pid, deathSignal, part.exited);
  if (options.signal !== undefined) stopOnAbort(part, options.signal);
  return part;
}

class ChildPart implements Part {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<PartExit>;
  readonly #child: ChildProcess;
  readonly #sessionStart: number;
  #stopping: Promise<void> | undefined;

  constructor(name: string, pid: number, logFile: string, child: ChildProcess, sessionStart: number) {
    this.name = name;
    this.pid = pid;
    this.logFile = logFile;
    this.#child = child;
    this.#sessionStart = sessionStart;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        signalGroup(pid, 'SIGKILL'); // Processes that the part started must not outlive it.
        resolve({ code, signal });
      });
    });
  }

  stop(options: { signal?: NodeJS.Signals; graceMs?: number } = {}): Promise<void> {
    const { signal = 'SIGTERM', graceMs = 10_000 } = options;
    if (this.#stopping === undefined) this.#stopping = this.#end(signal, graceMs);
    else if (signal === 'SIGKILL' && this.#running()) signalGroup(this.pid, 'SIGKILL');
    return this.#stopping;
  }

  async #end(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (!this.#running()) return;
    // Only the leader gets the polite signal: a server tells its own workers what to do.
    if (signal === 'SIGKILL') signalGroup(this.pid, signal);
    else this.#child.kill(signal);
    if (await settledWithin(this.exited, graceMs)) return;
    signalGroup(this.pid, 'SIGKILL');
    if (await settledWithin(this.exited, KILL_LIMIT_MS)) return;
    throw new Error(`${this.name} (pid ${this.pid}) is still there ${KILL_LIMIT_MS / 1000} s after SIGKILL`);
  }

  #running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async tail(lines: number): Promise<string> {
    const file = await open(this.logFile, 'r');
    try {
      const { size } = await file.stat();
      const from = Math.max(this.#sessionStart, size - TAIL_LIMIT_BYTES);
      if (size <= from) return '';
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      await file.close();
    }
  }
}

function withDeathSignal(command: string, args: readonly string[], signal: NodeJS.Signals) {
  const setpriv = process.platform === 'linux' ? findCommand('setpriv') : undefined;
  if (setpriv === undefined) return { file: command, args: [...args] };
  // setpriv executes the command in its own place: the pid stays, and with it the meaning of every signal.
  return { file: setpriv, args: ['--pdeathsig', signal.replace(/^SIG/, ''), '--', command, ...args] };
}

function rotate(logFile: string): void {
  try {
    if (statSync(logFile).size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.old`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Pids of running parts and their death signals, for the one exit hook. */
const living = new Map<number, NodeJS.Signals>();

function killAtExit(pid: number, signal: NodeJS.Signals, exited: Promise<PartExit>): void {
  if (!process.listeners('exit').includes(killLiving)) process.once('exit', killLiving);
  living.set(pid, signal);
  void exited.then(() => living.delete(pid));
}

function killLiving(): void {
  for (const [pid, signal] of living) signalGroup(pid, signal);
}

function stopOnAbort(part: Part, signal: AbortSignal): void {
  // A stop that fails appears as a part that never exits: callers that await part.stop() or part.exited see it.
  const stop = () => void part.stop().catch(() => {});
  if (signal.aborted) stop();
  else {
    signal.addEventListener('abort', stop, { once: true });
    void part.exited.then(() => signal.removeEventListener('abort', stop));
  }
}

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const limit = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), delay(ms, limit.signal).then(() => false)]);
  } finally {
    limit.abort();
  }
}
