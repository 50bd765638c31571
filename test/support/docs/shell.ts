// The shell of a reader: one bash that keeps its variables, functions and folder between commands, with no more
// settings than it is given.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export interface Outcome {
  code: number;
  /** Standard output and standard error, as on a terminal. */
  output: string;
}

export interface Shell {
  /**
   * One command, word for word. @throws with its output when it does not end within `seconds`, or when it ends the
   * shell
   */
  type(command: string, seconds?: number): Promise<Outcome>;
  /** Programs in the background end with it. */
  close(): Promise<void>;
}

const SECONDS = 240;

export function openShell({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Shell {
  const child = spawn('bash', ['--norc', '--noprofile'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let text = '';
  let look: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      look();
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.write('exec 2>&1\n');
  const kill = () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended by itself just now.
    }
  };
  return {
    type: (command, seconds = SECONDS) => {
      const mark = `ended-${randomBytes(8).toString('hex')}`;
      const end = new RegExp(`\\n${mark} (\\d+)\\n`);
      text = '';
      return new Promise<Outcome>((resolve, reject) => {
        const timer = setTimeout(
          () => give(new Error(`not ended after ${seconds} s: ${command}\n${text}`)),
          seconds * 1000,
        );
        const give = (result: Outcome | Error) => {
          clearTimeout(timer);
          look = () => undefined;
          if (!(result instanceof Error)) return resolve(result);
          kill();
          reject(result);
        };
        look = () => {
          const found = end.exec(text);
          if (found) give({ code: Number(found[1]), output: text.slice(0, found.index).trimEnd() });
        };
        void ended.then(() => give(new Error(`the shell ended at: ${command}\n${text}`)));
        // A program that reads its standard input must not read the commands that follow.
        child.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\n%s %s\\n' ${mark} "$?"\n`);
      });
    },
    close: async () => {
      child.stdin.end();
      kill();
      await ended;
    },
  };
}
