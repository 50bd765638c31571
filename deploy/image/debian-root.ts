// The Debian system of one architecture from which the images take programs and libraries: the files of packages in a
// folder of the cache, and the list of these packages. It has nothing in common with the Debian of this machine, so
// both architectures are built alike. No script of a package runs.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHITECTURES, type Architecture, platformName } from '../local/parts/architecture.ts';
import { cached, cacheKey, cacheRoot, type Progress, withLock } from '../local/parts/cache.ts';
import { type Apt, archivesOf, openApt, type UnpackedPackage, unpackArchives } from '../local/parts/debian-packages.ts';
import { DEBIAN_13 } from '../local/parts/debian-releases.ts';

export const RELEASE = DEBIAN_13;

/** Knot DNS with the module that draws by weights; the libraries of Node that nothing else brings; the programs of the start of Postgres; the licenses. */
const PACKAGES = ['knot', 'knot-module-geoip', 'libatomic1', 'libstdc++6', 'dash', 'coreutils', 'base-files'];

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** amd64, arm64, or all. */
  readonly architecture: string;
  /** The paths of its files, without a leading slash. */
  readonly paths: readonly string[];
}

export interface DebianSystem {
  /** The folder with the files. */
  readonly root: string;
  readonly packages: readonly DebianPackage[];
}

export interface Around {
  progress: Progress;
  /**
   * Whether the index of the mirror is read again, so that the packages are those that it has now. Otherwise they are
   * those of the last time, if there was one. (Default: true.)
   */
  refresh?: boolean;
  signal: AbortSignal;
}

/**
 * The system of an architecture. Its packages are downloaded if the cache does not have them in these versions.
 * @throws Error that says what to do, when apt is missing or the mirror does not give the packages
 */
export async function ensureDebianSystem(
  architecture: Architecture,
  { progress, refresh = true, signal }: Around,
): Promise<DebianSystem> {
  const name = `debian-${RELEASE.version}-${ARCHITECTURES[architecture].debian}`;
  const home = join(cacheRoot(), `${name}-apt`);
  const files = [import.meta.url, new URL('../local/parts/debian-packages.ts', import.meta.url)];
  const rules = Buffer.concat(await Promise.all(files.map((file) => readFile(new URL(file)))));
  /** Has the path of the entry that was found last. */
  const last = join(home, `entry-${cacheKey({ rules })}`);
  const folder = await withLock(`${home}.lock`, { what: name, progress, signal }, async () => {
    const before = refresh ? '' : await readFile(last, 'utf8').catch(() => '');
    if (before !== '' && existsSync(before)) return before;
    const platform = platformName(architecture);
    const source = { release: RELEASE, architecture, home, need: `images for ${platform}` };
    const apt = await openApt(source, { progress, signal });
    progress(`reading the index of Debian ${RELEASE.version} for ${platform}`);
    await apt('update');
    const found = await ensureEntry(apt, { name, home, rules, progress, signal });
    await writeFile(last, found);
    return found;
  });
  const packages = JSON.parse(await readFile(join(folder, 'packages.json'), 'utf8')) as DebianPackage[];
  return { root: join(folder, 'root'), packages };
}

/** @returns the entry of the cache with the versions of the index that apt has */
async function ensureEntry(
  apt: Apt,
  entry: { name: string; home: string; rules: Buffer; progress: Progress; signal: AbortSignal },
): Promise<string> {
  const { name, home, rules, progress, signal } = entry;
  const install = ['install', '--yes', '--no-install-recommends', ...PACKAGES];
  // apt does not name those that are there, as after a download that was interrupted.
  const archives = archivesOf(home);
  await rm(archives, { recursive: true, force: true });
  await mkdir(join(archives, 'partial'), { recursive: true });
  // Each line has the address, the name, the size and the digest of one archive.
  const list = (await apt(...install, '--print-uris')).split('\n').filter((line) => line.startsWith("'"));
  const fill = async (target: string) => {
    const megabytes = Math.ceil(list.reduce((sum, line) => sum + Number(line.split(' ')[2]), 0) / 1e6);
    progress(`downloading ${list.length} packages, ${megabytes} MB`);
    await apt(...install, '--download-only');
    const packages = await unpackArchives(archives, join(target, 'root'), signal);
    await writeFile(join(target, 'packages.json'), JSON.stringify(packages.map(readPackage)));
    await rm(archives, { recursive: true });
  };
  return cached({ name, key: cacheKey({ packages: list.sort().join('\n'), rules }), fill, progress, signal });
}

function readPackage({ control, paths }: UnpackedPackage): DebianPackage {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(control)?.[1] ?? '';
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    paths: paths.filter((path) => path !== '' && !path.endsWith('/')),
  };
}
