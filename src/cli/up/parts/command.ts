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
/**
 * The solver does little and shall be small. Of a heap that may never be large V8 collects early: growth by a third instead
 * of the fourfold; 192 MB hold the names of some hundred thousand records.
 */
const SMALL_ARGUMENTS = ['--max-semi-space-size=1', '--max-old-space-size=192'];
/** glibc gives each thread an arena of its own and keeps what was freed in it. */
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** Types once stripped and code once compiled are found again by every process, which also spares it the stripper's memory. */
const compileCache = () => join(cacheRoot(), 'compiled');

export interface CommandOptions {
  name: 'api' | 'nameserver' | 'operator' | 'solver';
  /** Its settings; nothing of this process' environment but PATH and HOME is handed on. */
  env: Record<string, string>;
  healthPort: number;
  stateDir: string;
  signal: AbortSignal;
}

/** Starts the command and waits until it is ready, at most 30 s. @throws with the end of its log */
export async function startCommand({ name, env, healthPort, stateDir, signal }: CommandOptions): Promise<Part> {
  const part = startProcess({
    name,
    command: process.execPath,
    args: [...(name === 'solver' ? SMALL_ARGUMENTS : NODE_ARGUMENTS), MAIN, name],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: compileCache(),
      ...(name === 'solver' ? SMALL_ENVIRONMENT : {}),
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
