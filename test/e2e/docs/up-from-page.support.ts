// `npm run up` as a page tells to start it, in a checkout of its own, until Ctrl-C.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningUp {
  output(): string;
  /** Ctrl-C. @returns the exit code */
  stop(): Promise<number | null>;
}

const LIMIT_MS = 400_000;

/** @throws with its output when it ends, or is not ready in time */
export async function typeUp(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<RunningUp> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async () => {
    // To the whole group, as a terminal does.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    return ended;
  };
  for (let waited = 0; waited < LIMIT_MS && child.exitCode === null; waited += 100) {
    if (/^ready.*\n(?:.*\n)*?In another shell.*\n/m.test(text)) return { output: () => text, stop };
    await sleep(100);
  }
  await stop();
  throw new Error(`${command} did not get ready:\n${text}`);
}
