// A process that runs commander's commands: a signal aborts, an error becomes one line on standard error and exit code
// 1, or that of CommandFailed.

import { Command } from 'commander';
import { formatError } from '#base/error-text.ts';
import { terminalText } from './terminal.ts';

interface Program {
  readonly command: Command;
  /** SIGINT, SIGTERM and, at a terminal, SIGHUP abort it. */
  readonly stop: AbortController;
  print(line: string): void;
  /** Parses the command line, runs the command, and ends the process. */
  run(): Promise<never>;
}

/** An error of a command, with the exit code of the process. */
export class CommandFailed extends Error {
  readonly exitCode: number;

  constructor(cause: unknown, exitCode: number) {
    super(formatError(cause), { cause });
    this.exitCode = exitCode;
  }
}

/**
 * A terminal sends a signal to every process of a group and npm forwards it again, so a second one within 500 ms is the
 * same.
 */
const ONE_SIGNAL_MS = 500;

export function createProgram(name: string, description: string): Program {
  return buildProgram(new Command(name).description(description));
}

/** The same for a command that exists already. */
export function buildProgram(command: Command, stop: AbortController = new AbortController()): Program {
  let stoppedAt = 0;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosed);
  // SIGHUP means that the terminal closed. Under nohup there is no terminal, and the signal is ignored.
  const signals = ['SIGINT', 'SIGTERM', ...(process.stdout.isTTY ? (['SIGHUP'] as const) : [])] as const;
  for (const signal of signals) {
    process.on(signal, () => {
      // A second signal ends the process at once.
      if (stop.signal.aborted) {
        if (performance.now() - stoppedAt > ONE_SIGNAL_MS) process.exit(1);
        return;
      }
      stoppedAt = performance.now();
      stop.abort(new Error(signal));
    });
  }

  return {
    command,
    stop,
    print: (line) => printLine(line),
    run: async () => {
      try {
        await command.parseAsync();
      } catch (error) {
        if (!stop.signal.aborted) {
          process.stderr.write(`${command.name()}: ${terminalText(describeError(error))}\n`);
          process.exitCode = error instanceof CommandFailed ? error.exitCode : 1;
        }
      }
      await Promise.all([process.stdout, process.stderr].map(flush));
      // A handle that a library left open must not keep the process alive.
      process.exit();
    },
  };
}

/** The reader of a pipe may leave, as `head -1` does. The command continues: it may be in the middle of a change. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Resolves when a pipe has taken everything, which its reader may do later than the command ends. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A failed statement names itself with all its words; people need the reason of the database. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error instanceof CommandFailed ? error.cause : error;
  if (!(cause instanceof Error) || !cause.message.startsWith('Failed query:') || !(cause.cause instanceof Error)) {
    return error.message;
  }
  const { message, code = '' } = cause.cause as NodeJS.ErrnoException;
  return `the database refused, or is unreachable: ${message || code}. Is DATABASE_URL right?`;
}

/** A file and a pipe get exactly the line, and a terminal no control characters of others. */
export function printLine(line: string, stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout): void {
  stream.write(`${stream.isTTY ? terminalText(line) : line}\n`);
}
