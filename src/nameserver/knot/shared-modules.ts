// Knot DNS 3.2 with a shared module of Debian on the machine ends by SIGSEGV as soon as a transaction removes a zone
// from the configuration database, whether the module is configured or not. Knot 3.4 works.
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/** knotd loads every file of its own folder. */
const PLACES = ['/usr/lib/*/knot/modules-*/*.so', '/usr/lib/knot/modules-*/*.so', '/usr/local/lib/knot/modules-*/*.so'];
const LIMIT_MS = 10_000;
const VERSION = /\bversion (\d+)\.(\d+)/;
/** The first version that works. */
const WORKS = [3, 4] as const;

/**
 * The fault of this combination, and its remedy; null if it works. Pure.
 * @param version the answer of a program of Knot to --version
 * @param modules the files of shared modules on the machine
 */
export function judgeSharedModules(version: string, modules: readonly string[]): string | null {
  const [, major = '', minor = ''] = VERSION.exec(version) ?? [];
  const number = [Number(major), Number(minor)] as const;
  const isOld = number[0] < WORKS[0] || (number[0] === WORKS[0] && number[1] < WORKS[1]);
  const loadedModules = modules.filter((file) => file.includes(`/modules-${major}.${minor}/`));
  if (major === '' || !isOld || loadedModules.length === 0) return null;
  const packages = [...new Set(loadedModules.map((file) => `knot-module-${basename(file, '.so')}`))].sort();
  return `Knot DNS ${major}.${minor} with a shared module (${loadedModules.join(', ')}) crashes at the first removal of a zone, also if the module is not configured. Remove it: apt-get remove ${packages.join(' ')}. Knot DNS ${WORKS.join('.')} works with it`;
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
    const { stdout } = await promisify(execFile)(program, ['--version'], { signal, timeout: LIMIT_MS });
    return judgeSharedModules(stdout, modules);
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
