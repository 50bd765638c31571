// One of our own long-running commands as a part of the local stack, ready when its health port says so.
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { type Part, startProcess, waitFor } from './process.ts';

const MAIN = new URL('../../../main.ts', import.meta.url).pathname;

/**
 * Young objects get 3 × 4 MB: loading some hundred modules would otherwise leave V8 with the 3 × 16 MB that it allows
 * itself, most of what such a process holds at rest.
 */
const NODE_ARGUMENTS = ['--max-semi-space-size=4'];
/** Types once stripped and code once compiled are found again by every process, which also spares it the stripper's memory. */
const compileCache = () => join(cacheRoot(), 'compiled');

export interface CommandOptions {
  name: 'api' | 'nameserver' | 'operator' | 'solver';
  /** Its settings; nothing of this process' environment but PATH and HOME is handed on. */
  env: Record<string, string>;
  /** The program. (Default: this version's.) */
  main?: string;
  healthPort: number;
  stateDir: string;
  signal: AbortSignal;
}

/** Starts the command and waits until it is ready, at most 30 s. @throws with the end of its log */
export async function startCommand({
  name,
  env,
  main = MAIN,
  healthPort,
  stateDir,
  signal,
}: CommandOptions): Promise<Part> {
  const part = startProcess({
    name,
    command: process.execPath,
    args: [...NODE_ARGUMENTS, main, name],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: compileCache(),
      ...env,
      ZONESTEAD_HEALTH_LISTEN: `127.0.0.1:${healthPort}`,
    },
    logFile: join(stateDir, `${name}.log`),
  });
  try {
    await waitFor(async (limit) => (await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: limit })).ok, {
      what: `${name} to be ready`,
      timeoutMs: 30_000,
      intervalMs: 30,
      part,
      signal,
    });
  } catch (error) {
    await part.stop();
    throw error;
  }
  return part;
}
