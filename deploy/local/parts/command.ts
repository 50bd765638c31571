// One of our own long-running commands as a part of the local stack, ready when its health port says so.
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { atLoopback } from './loopback.ts';
import { type Part, startReady } from './process.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;

/**
 * Young objects get 3 × 4 MB: loading some hundred modules would otherwise leave V8 with the 3 × 16 MB that it allows
 * itself, most of the memory of such a process at rest. V8 lets a heap grow to a multiple of its live objects before it
 * collects, and the multiple follows the limit: 1.3 at 256 MB, 4 at the default of half the machine. The operator keeps
 * 5 MB for a thousand records, the solver the names of some fifty thousand in its 96 MB. The api and the name server
 * read whole zones and have no limit.
 */
const ARGUMENTS: Readonly<Record<CommandOptions['name'], readonly string[]>> = {
  api: ['--max-semi-space-size=4'],
  nameserver: ['--max-semi-space-size=4'],
  operator: ['--max-semi-space-size=4', '--max-old-space-size=256'],
  solver: ['--max-semi-space-size=1', '--max-old-space-size=96'],
  canary: ['--max-semi-space-size=1', '--max-old-space-size=96'],
};
/**
 * glibc gives each thread an arena of its own and keeps freed memory in it. A block above the threshold goes back to
 * the system when it is freed: Node reads from sockets into blocks of 64 KiB. With 10,000 records the operator takes 35
 * MB less.
 */
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768' };
/**
 * Types once stripped and code once compiled are found again by every process, which also spares it the stripper's
 * memory.
 */
const compileCache = () => join(cacheRoot(), 'compiled');

export interface CommandOptions {
  name: 'api' | 'nameserver' | 'operator' | 'solver' | 'canary';
  /** Its settings; nothing of this process' environment but PATH and HOME is handed on. */
  env: Record<string, string>;
  /** The program. (Default: this version's.) */
  main?: string | undefined;
  /** The program of Node. (Default: the running one.) */
  node?: string | undefined;
  /** The longest wait until it is ready. (Default: 2 minutes, a node 10 minutes.) */
  readyMs?: number | undefined;
  healthPort: number;
  stateDir: string;
  signal: AbortSignal;
}

/** A new node of 10,000 zones is ready after minutes, others at once. */
const READY_MS = { nameserver: 600_000 } as Readonly<Record<string, number>>;

/**
 * Starts the command and waits until it is ready, at most 2 minutes, a node 10 minutes. @throws with the end of its log
 */
export async function startCommand({
  name,
  env,
  main = MAIN,
  node = process.execPath,
  readyMs = READY_MS[name] ?? 120_000,
  healthPort,
  stateDir,
  signal,
}: CommandOptions): Promise<Part> {
  return startReady(
    {
      name,
      command: node,
      args: [...ARGUMENTS[name], main, name],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: compileCache(),
        ...(name === 'operator' || name === 'solver' ? SMALL_ENVIRONMENT : {}),
        ...env,
        ZONESTEAD_HEALTH_LISTEN: atLoopback(healthPort),
      },
      logFile: join(stateDir, `${name}.log`),
    },
    async (limit) => (await fetch(`http://${atLoopback(healthPort)}/readyz`, { signal: limit })).ok,
    {
      what: `${name} to be ready`,
      timeoutMs: readyMs,
      intervalMs: 30,
      signal,
    },
  );
}
