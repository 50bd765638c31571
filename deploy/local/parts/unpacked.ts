// Programs of Debian 13 on an older host, without root: apt verifies and fetches their packages into the cache, and
// each program runs with the dynamic loader and the libraries of its own release. A path that is compiled into a
// program, such as the folder of knotd's shared modules, still means the host's.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ARCHITECTURES, type Architecture, hostArchitecture } from './architecture.ts';
import { cached, cacheKey, type Progress } from './cache.ts';
import { archivesOf, openApt, unpackArchives } from './debian-packages.ts';
import { DEBIAN_13 } from './debian-releases.ts';

export interface UnpackedPrograms {
  /** The Debian packages; apt adds the packages that they need. */
  packages: readonly string[];
  /** The paths of the programs in the packages, for instance `usr/sbin/knotd`. */
  programs: readonly string[];
  progress: Progress;
  signal: AbortSignal;
}

const RELEASE = DEBIAN_13;

/**
 * @returns absolute paths by the name of the program. The packages are fetched once, in the version that Debian has
 * then. For a newer one, delete the entry `debian-…` of the cache
 * @throws Error as openApt, or with the last lines of apt
 */
export async function ensureUnpacked(options: UnpackedPrograms): Promise<Record<string, string>> {
  const { packages, programs, progress, signal } = options;
  const architecture = hostArchitecture();
  const folder = await cached({
    name: `debian-${RELEASE.version}`,
    key: cacheKey({
      packages: packages.join(' '),
      programs: programs.join(' '),
      architecture,
      rules: await readFile(new URL(import.meta.url)),
    }),
    fill: async (into) => {
      progress(`fetching ${packages.join(', ')} of Debian ${RELEASE.version}: once, some 15 MB`);
      const home = join(into, 'apt');
      const need = `${packages.join(', ')} of Debian ${RELEASE.version}`;
      const apt = await openApt({ release: RELEASE, architecture, home, need }, { progress, signal });
      await apt('update');
      await apt('install', '--yes', '--download-only', '--no-install-recommends', ...packages);
      await unpackArchives(archivesOf(home), join(into, 'root'), signal);
      // The lists are large.
      await rm(home, { recursive: true });
      for (const program of programs) await writeStarter(into, program, architecture);
    },
    progress,
    signal,
  });
  return Object.fromEntries(programs.map((program) => [basename(program), join(folder, 'bin', basename(program))]));
}

/** The entry is renamed when it is complete, so the script finds the files from its own path. */
async function writeStarter(into: string, program: string, architecture: Architecture): Promise<void> {
  const { loader, triplet } = ARCHITECTURES[architecture];
  const file = join(into, 'bin', basename(program));
  await mkdir(join(into, 'bin'), { recursive: true });
  await writeFile(
    file,
    `#!/bin/sh
root=\${0%/*}/../root
exec "$root/usr${loader}" --library-path "$root/usr/lib/${triplet}" "$root/${program}" "$@"
`,
  );
  await chmod(file, 0o755);
}
