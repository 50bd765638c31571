// The npm packages that run in production, from the lock file, without the files that a running program never reads.
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Architecture } from '../local/parts/architecture.ts';
import type { Content, Rootfs } from './rootfs.ts';

interface LockEntry {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
}

/**
 * Node, which an image has once, in its own place; packages of declarations, which say nothing to a running program.
 */
const NOT_IN_AN_IMAGE = /(^|\/)node_modules\/(node-linux-|@types\/)/;

/**
 * Folders below the project, in the order of the lock file.
 * @throws when a package is not installed
 */
export function productionPackages(project: string): string[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .filter(([folder]) => !NOT_IN_AN_IMAGE.test(folder))
    .filter(([folder, { optional }]) => !optional || existsSync(join(project, folder)))
    .map(([folder]) => folder);
  const missing = folders.filter((folder) => !existsSync(join(project, folder)));
  if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}; run npm install`);
  return folders;
}

/** Only at the top of a package: deeper down, a folder of this name can be part of the program. */
const NEVER_READ_FOLDERS = /^(\.github|\.vscode|__tests__|benchmarks?|docs?|examples?|man|tests?|typings)$/;
/** Declarations, source maps and prose. Licences stay: they have to go where the code goes. */
const NEVER_READ_FILES =
  /\.(d\.[cm]?ts|d\.ts|map|markdown|flow|scss|tsbuildinfo)$|^(?!licen[cs]e|copying|notice).*\.md$/i;

/** True for a file that no running program reads. `path` is relative to the package's folder. */
export function isNeverRead(path: string, platform: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) as string;
  if (parts.length > 1 && NEVER_READ_FOLDERS.test(parts[0] as string)) return true;
  // Native code of other platforms: prebuilds/<platform>-<architecture>/.
  if (parts[0] === 'prebuilds' && parts.length > 2 && parts[1] !== platform) return true;
  return NEVER_READ_FILES.test(name);
}

/**
 * The files of the packages that a running program reads, at `target` in the image.
 * @throws when a package is not installed, or has native code for other platforms only
 */
export async function productionFiles(project: string, target: string, architecture: Architecture): Promise<Rootfs> {
  const platform = `linux-${architecture}`;
  const rootfs = new Map<string, Content>();
  for (const folder of productionPackages(project)) {
    const files = await packageFiles(join(project, folder));
    const isPrebuilt = (file: string) => file.startsWith('prebuilds/');
    if (files.some(isPrebuilt) && !files.some((file) => file.startsWith(`prebuilds/${platform}/`)))
      throw new Error(`${folder} has native code, but none for ${platform}: leave this platform out, or this package`);
    for (const file of files) {
      if (!isNeverRead(file, platform)) rootfs.set(join(target, folder, file), { file: join(project, folder, file) });
    }
  }
  return rootfs;
}

/** The package's own files, without those of packages that lie inside it: they have lines of their own in the lock. */
async function packageFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  const walk = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (entry.name === 'node_modules') continue;
      if (entry.isDirectory()) await walk(join(at, entry.name));
      else if (entry.isFile()) files.push(relative(folder, join(at, entry.name)));
    }
  };
  await walk(folder);
  return files;
}
