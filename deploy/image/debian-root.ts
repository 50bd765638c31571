// A folder with the files of Debian packages of another architecture, and dpkg's list of them. No script of a package
// runs, because this machine cannot run its programs.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHITECTURES, type Architecture, platformName } from '../local/parts/architecture.ts';
import { cached, cacheKey, cacheRoot, type Progress, withLock } from '../local/parts/cache.ts';
import { archivesOf, openApt, type UnpackedPackage, unpackArchives } from '../local/parts/debian-packages.ts';
import { DEBIAN_12 } from '../local/parts/debian-releases.ts';

/**
 * Knot DNS; the libraries of Node that nothing else brings; the programs of the start of Postgres; os-release, for the
 * bill of materials.
 */
const PACKAGES = ['knot', 'libatomic1', 'libstdc++6', 'dash', 'coreutils', 'base-files'];

interface Around {
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The folder, in the cache; the packages are those that the mirror has now.
 * @throws Error that says what to do, when apt is missing or the mirror does not give the packages
 */
export async function ensureDebianRoot(architecture: Architecture, { progress, signal }: Around): Promise<string> {
  const { debian } = ARCHITECTURES[architecture];
  const name = `debian-${DEBIAN_12.version}-${debian}`;
  const home = join(cacheRoot(), `${name}-apt`);
  return withLock(`${home}.lock`, { what: name, progress, signal }, async () => {
    const need = `images for ${platformName(architecture)}`;
    const apt = await openApt({ release: DEBIAN_12, architecture, home, need }, { progress, signal });
    progress(`reading the index of Debian's packages for ${platformName(architecture)}`);
    await apt('update');
    const install = ['install', '--yes', '--no-install-recommends', ...PACKAGES];
    const list = (await apt(...install, '--print-uris')).split('\n').filter((line) => line.startsWith("'"));
    const fill = async (target: string) => {
      progress(`downloading ${list.length} packages`);
      await apt(...install, '--download-only');
      await writeDatabase(target, debian, await unpackArchives(archivesOf(home), target, signal));
      await rm(archivesOf(home), { recursive: true });
    };
    return cached({ name, key: cacheKey({ packages: list.sort().join('\n') }), fill, progress, signal });
  });
}

/** The files of dpkg's database that dpkg-query(1) reads. */
async function writeDatabase(target: string, debian: string, packages: readonly UnpackedPackage[]): Promise<void> {
  const database = join(target, 'var/lib/dpkg');
  await mkdir(join(database, 'info'), { recursive: true });
  const status = packages.map(({ control }) => `${control}\nStatus: install ok installed\n\n`);
  await writeFile(join(database, 'status'), status.join(''));
  await writeFile(join(database, 'arch'), `${debian}\n`);
  await writeFile(join(database, 'info/format'), '1\n');
  for (const { control, paths } of packages) {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(control)?.[1];
    const list = field('Multi-Arch') === 'same' ? `${field('Package')}:${debian}` : `${field('Package')}`;
    const lines = paths.map((path) => `${path.replace(/\/$/, '') || '/.'}\n`);
    await writeFile(join(database, `info/${list}.list`), lines.join(''));
  }
}
