// Runs a program many times from a small process. Node forks: a process of 150 MB takes 12 ms of processor time more for each
// start than one of 45 MB, as much as keymgr itself takes.
import { type ChildProcess, fork } from 'node:child_process';

/** A program that may run twice: once more if it fails. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

/** The answer to one launch; `error` is standard error, or why the program could not run. */
export interface Launched {
  readonly id: number;
  readonly error: string | null;
}

export interface Launcher {
  /** @throws Error with the words of the program, also if it takes too long */
  run(launch: Launch): Promise<void>;
}

const PROGRAM = new URL('./launcher-process.js', import.meta.url);
/** Without work, the process ends after this time. */
const IDLE_MS = 5_000;

export function createLauncher(): Launcher {
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;

  const start = (): ChildProcess => {
    const started = fork(PROGRAM, { execArgv: [], stdio: 'ignore' });
    // It ends with the channel, so it holds nothing up.
    started.unref();
    started.channel?.unref();
    started.on('message', ({ id, error }: Launched) => {
      const wait = waiting.get(id);
      waiting.delete(id);
      if (error === null) wait?.resolve();
      else wait?.reject(new Error(error));
    });
    const onEnd = () => {
      if (child !== started) return;
      child = null;
      for (const [id, { reject }] of waiting) {
        waiting.delete(id);
        reject(new Error('the process that starts programs has ended'));
      }
    };
    started.once('exit', onEnd);
    started.once('error', onEnd);
    return started;
  };

  return {
    run: async (launch) => {
      clearTimeout(idle);
      child ??= start();
      const id = ++last;
      const used = child;
      used.channel?.ref();
      try {
        await new Promise<void>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          used.send({ ...launch, id }, (error) => error && reject(error));
        });
      } finally {
        waiting.delete(id);
        if (waiting.size === 0) {
          used.channel?.unref();
          clearTimeout(idle);
          idle = setTimeout(() => {
            child = null;
            if (used.connected) used.disconnect();
          }, IDLE_MS).unref();
        }
      }
    },
  };
}
