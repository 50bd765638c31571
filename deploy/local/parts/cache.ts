// The cache outside of the work tree: files that are expensive to make (binaries) and the same for every checkout.
//
// An entry is a folder `<name>-<key>`, made in a temporary sibling and renamed, so that an existing entry is complete.
// The lock only saves work: if two processes fill one entry at once, the first rename wins and both use it.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive, processIdentity } from './liveness.ts';
import { delay } from './wait.ts';

export type Progress = (line: string) => void;

/** `${XDG_CACHE_HOME:-~/.cache}/zonestead`; a relative XDG_CACHE_HOME is ignored (XDG base directory specification). */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CACHE_HOME?.startsWith('/') === true ? env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'zonestead');
}

/** A key that changes with every input, by name and content, but not with their order. 16 hexadecimal digits. */
export function cacheKey(inputs: Readonly<Record<string, string | Uint8Array>>): string {
  const hash = createHash('sha256');
  for (const [name, value] of Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Lengths first, so that no two different lists of inputs give the same bytes.
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    hash.update(`${Buffer.byteLength(name)}:${name}${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
}

export interface CacheEntry {
  /** The folder of the cache. (Default: cacheRoot().) */
  root?: string;
  name: string;
  key: string;
  /** Makes the content inside `folder`, which exists and is empty. */
  fill: (folder: string) => Promise<void>;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The folder of an entry; filled first when it is missing. @throws the error of `fill` (no folder is kept then), or
 * when another process holds the lock for more than 20 minutes
 */
export async function cached({ root = cacheRoot(), name, key, fill, progress, signal }: CacheEntry): Promise<string> {
  const folder = join(root, `${name}-${key}`);
  if (existsSync(folder)) return folder;
  return withLock(`${folder}.lock`, { what: name, progress, signal }, async () => {
    if (existsSync(folder)) return folder;
    await removeLeftovers(root, `${name}-${key}.tmp-`);
    const temporary = await mkdtemp(`${folder}.tmp-${processIdentity(process.pid)}-`);
    try {
      await fill(temporary);
      await rename(temporary, folder);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
    return folder;
  });
}

export interface LockOptions {
  /** Named in the messages. */
  what: string;
  /** How long to wait for another process. (Default: 20 minutes.) */
  limitMs?: number;
  progress: Progress;
  signal: AbortSignal;
}

const LOCK_INTERVAL_MS = 200;
const LOCK_NEWS_MS = 5_000;

/**
 * Runs `work` while this process holds the lock file. A lock whose process is dead is taken over.
 * @throws when the lock is still held after `limitMs`, or the signal's reason.
 */
export async function withLock<T>(
  file: string,
  { what, limitMs = 20 * 60_000, progress, signal }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const started = performance.now();
  let nextNews = started + 500;
  for (;;) {
    signal.throwIfAborted();
    const holder = await tryLock(file);
    if (holder === undefined) break;
    const now = performance.now();
    const pid = holder.split(':')[0];
    if (now - started >= limitMs) {
      throw new Error(
        `${what}: process ${pid} has held ${file} for over ${limitMs / 1000} s; end it or remove the file`,
      );
    }
    if (now >= nextNews) {
      progress(`${what}: another process (pid ${pid}) is at it, waiting (${Math.round((now - started) / 1000)} s)`);
      nextNews = now + LOCK_NEWS_MS;
    }
    await delay(LOCK_INTERVAL_MS, signal);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Undefined when the lock is ours now, else who holds it. */
async function tryLock(file: string): Promise<string | undefined> {
  const own = `${file}.${process.pid}-${randomUUID()}`;
  try {
    // Written first and linked then: a lock that exists has its content, even after a crash in between.
    await writeFile(own, processIdentity(process.pid));
    await link(own, file);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(own, { force: true });
  }
  const holder = await readFile(file, 'utf8').catch(() => ''); // Empty: released this moment, the next round tells.
  if (holder !== '' && !isAlive(holder)) await rm(file, { force: true });
  return holder;
}

async function removeLeftovers(root: string, prefix: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (!entry.startsWith(prefix)) continue;
    const filler = entry.slice(prefix.length).split('-')[0] ?? '';
    if (!isAlive(filler)) await rm(join(root, entry), { recursive: true, force: true });
  }
}
