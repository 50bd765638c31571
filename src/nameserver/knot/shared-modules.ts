// Knot DNS 3.2 with a shared module of Debian on the machine ends by SIGSEGV as soon as a transaction removes a zone
// from the configuration database, whether the module is configured or not. Knot 3.4 works.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { isSince, programVersion } from './version.ts';

/** knotd loads every file of its own folder. */
const PLACES = ['/usr/lib/*/knot/modules-*/*.so', '/usr/lib/knot/modules-*/*.so', '/usr/local/lib/knot/modules-*/*.so'];
/** The first version that works. */
const WORKS = '3.4';

/**
 * The fault of this combination, and its remedy; null if it works. Pure.
 * @param version null: the program does not say
 * @param modules the files of shared modules on the machine
 */
export function judgeSharedModules(version: string | null, modules: readonly string[]): string | null {
  if (version === null || isSince(version, WORKS)) return null;
  const [release] = /^\d+\.\d+/.exec(version) ?? [''];
  const loadedModules = modules.filter((file) => file.includes(`/modules-${release}/`));
  if (loadedModules.length === 0) return null;
  const packages = [...new Set(loadedModules.map((file) => `knot-module-${basename(file, '.so')}`))].sort();
  return `Knot DNS ${release} with a shared module (${loadedModules.join(', ')}) crashes at the first removal of a zone, also if the module is not configured. Remove it: apt-get remove ${packages.join(' ')}. Knot DNS ${WORKS} works with it`;
}

/**
 * The same for this machine; null also if the program is not there.
 * @param program the path of a program of Knot
 * @param places (Default: the folders of the packages.)
 */
export async function findSharedModules(
  program: string,
  signal: AbortSignal,
  places: readonly string[] = PLACES,
): Promise<string | null> {
  const modules = globSync(places);
  if (modules.length === 0) return null;
  try {
    return judgeSharedModules(await programVersion(program, signal), modules);
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
