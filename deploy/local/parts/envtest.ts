// Prebuilt Kubernetes programs (etcd, kube-apiserver, kubectl) of the project controller-tools, which setup-envtest
// downloads and verifies. They replace a build of minutes where the network allows it.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { cached, cacheKey, type Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { ensureGoProgram } from './go-program.ts';

/** The list of all archives with their SHA-512 digests. */
export const ENVTEST_INDEX =
  'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml';
/** The minor version of deploy/local/controlplane. */
const MINOR = '1.36';
const SOURCE = fileURLToPath(new URL('../envtest', import.meta.url));
const SETUP_ENVTEST = {
  name: 'setup-envtest',
  source: SOURCE,
  package: 'sigs.k8s.io/controller-runtime/tools/setup-envtest',
  what: 'setup-envtest',
  costs: 'half a minute',
  otherwise: 'or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl',
};
/** A network that drops packets gives no error: the build must begin soon. */
const LIMITS = { answerMs: 5_000, stallMs: 10_000 };
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const LOOK_MS = 500;

const indexSchema = z.object({
  releases: z.record(z.string(), z.record(z.string(), z.object({ hash: z.string(), selfLink: z.string() }))),
});

export interface Archive {
  /** Such as 1.36.2. */
  version: string;
  url: string;
}

export interface EnvtestOptions {
  /** (Default: ENVTEST_INDEX.) */
  index?: string | undefined;
  /** The folder of the cache. (Default: cacheRoot().) */
  root?: string | undefined;
  /** The time in which a server must answer, and in which more of a download must arrive. (Default: 5 s, 10 s.) */
  limits?: { answerMs: number; stallMs: number };
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The folder of the prebuilt programs, downloaded at the first call. @throws within seconds when the network refuses or
 * hangs; also when the index has no archive for this machine, or when the digest of the archive is another
 */
export async function ensureEnvtest(options: EnvtestOptions): Promise<string> {
  const { index = ENVTEST_INDEX, root, limits = LIMITS, progress, signal } = options;
  return cached({
    name: 'envtest',
    key: envtestKey(),
    ...(root === undefined ? {} : { root }),
    progress,
    signal,
    fill: async (folder) => {
      const archive = await findArchive(index, limits.answerMs, signal);
      progress(`downloading Kubernetes ${archive.version} from ${archive.url}`);
      const tool = await ensureGoProgram(SETUP_ENVTEST, progress, signal);
      await download({ tool, index, archive, folder, stallMs: limits.stallMs, progress, signal });
    },
  });
}

/** The key of the folder in the cache. */
function envtestKey(): string {
  return cacheKey({ minor: MINOR, platform: `${process.platform}-${process.arch}` });
}

/** The newest patch release of our minor version for this platform. Pure. @param text the index, YAML */
export function newestArchive(text: string, platform: string, minor = MINOR): Archive {
  const read = indexSchema.safeParse(parse(text));
  if (!read.success) throw new Error('the index has another form');
  const found = Object.entries(read.data.releases).flatMap(([tag, archives]) => {
    const [, patch] = /^v(?:\d+\.\d+)\.(\d+)$/.exec(tag) ?? [];
    const archive = archives[`envtest-${tag}-${platform}.tar.gz`];
    if (patch === undefined || archive === undefined || tag !== `v${minor}.${patch}`) return [];
    return [{ patch: Number(patch), version: tag.slice(1), url: archive.selfLink }];
  });
  const [newest] = found.toSorted((a, b) => b.patch - a.patch);
  if (newest === undefined) throw new Error(`the index has no Kubernetes ${minor} for ${platform}`);
  return { version: newest.version, url: newest.url };
}

/** Asks the servers of the index and of the archive, before a tool is built for them. */
async function findArchive(index: string, limitMs: number, signal: AbortSignal): Promise<Archive> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const text = await answer(index, limitMs, (response) => response.text(), signal);
  const archive = newestArchive(text, platform);
  await answer(archive.url, limitMs, async (response) => response.body?.cancel(), signal);
  return archive;
}

async function answer<T>(
  url: string,
  limitMs: number,
  read: (response: Response) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, limit]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await read(response);
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const why = limit.aborted ? `no answer within ${limitMs / 1000} s` : (cause as Error)?.message || message;
    throw new Error(`${url}: ${why}`);
  }
}

interface Download {
  tool: string;
  index: string;
  archive: Archive;
  folder: string;
  stallMs: number;
  progress: Progress;
  signal: AbortSignal;
}

/** Runs setup-envtest, which compares the digest, and ends it when nothing arrives for a while. */
async function download(options: Download): Promise<void> {
  const { tool, index, archive, folder, stallMs, progress, signal } = options;
  const work = join(folder, 'download');
  await mkdir(work);
  const stalled = new AbortController();
  const watch = watchGrowth(work, stallMs, progress, () =>
    stalled.abort(new Error(`${archive.url}: nothing arrived for ${stallMs / 1000} s`)),
  );
  try {
    const { code, out, tail } = await runCommand({
      command: tool,
      args: ['use', archive.version, '--bin-dir', work, '--index', index, '--print', 'path'],
      // It downloads to the folder of temporary files, and unpacks from there.
      env: { ...process.env, TMPDIR: work },
      timeoutMs: DOWNLOAD_LIMIT_MS,
      signal: AbortSignal.any([signal, stalled.signal]),
    });
    if (code !== 0) throw new Error(tail.trim().split('\n').slice(-4).join('; '));
    for (const name of await readdir(out)) await rename(join(out, name), join(folder, name));
    await rm(work, { recursive: true });
  } finally {
    clearInterval(watch);
  }
}

/** Reports the size of a folder as it grows, and calls `stalled` when it does not grow. */
function watchGrowth(folder: string, stallMs: number, progress: Progress, stalled: () => void): NodeJS.Timeout {
  let size = -1;
  let shown = 0;
  let since = performance.now();
  return setInterval(async () => {
    const now = await sizeOf(folder).catch(() => size);
    if (now !== size) {
      size = now;
      since = performance.now();
    }
    if (performance.now() - since > stallMs) stalled();
    const megabytes = Math.floor(size / 1_000_000);
    if (megabytes < shown + 20) return;
    shown = megabytes;
    progress(`  ${megabytes} MB on disk`);
  }, LOOK_MS);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
