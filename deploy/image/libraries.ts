// The shared libraries that programs link, found as the dynamic loader finds them (ld.so(8)), and their paths in an
// image. No program of the architecture runs, so it is the same for each.
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ARCHITECTURES, type Architecture } from '../local/parts/architecture.ts';
import { readElf } from './elf.ts';
import type { Content, Rootfs } from './rootfs.ts';

export interface LibrariesOptions {
  architecture: Architecture;
  /** The folder with the files of a Debian system of that architecture. */
  root: string;
  /** The libraries below it are omitted, because the image carries this folder as a whole. */
  inside?: string;
}

/**
 * The libraries of all given programs and libraries.
 * @param programs paths on this machine; scripts are skipped
 * @throws Error that names a missing library, or a file of another architecture
 */
export async function linkedLibraries(
  programs: readonly string[],
  { architecture, root, inside }: LibrariesOptions,
): Promise<Rootfs> {
  const { loader, machine } = ARCHITECTURES[architecture];
  const files = new Map<string, Content>();
  const read = new Set<string>();
  const visit = async (file: string, mayBeScript: boolean): Promise<void> => {
    if (read.has(file)) return;
    read.add(file);
    const elf = await readElf(file);
    if (elf === undefined && mayBeScript) return;
    if (elf?.machine !== machine) throw new Error(`${file} is not for ${architecture}: remove it and build again`);
    if (elf.dynamic) files.set(imagePath(loader), { file: join(root, imagePath(loader)), mode: 0o755 });
    const own = elf.runpath.map((folder) => expandOrigin(folder, dirname(file), root));
    for (const name of elf.needed) {
      if (name === basename(loader)) continue;
      const found = findLibrary(name, own, systemFolders(architecture), root);
      if (found === undefined) throw new Error(missingLibrary(name, file, root));
      if (inside === undefined || !found.file.startsWith(inside))
        files.set(found.path, { file: found.file, mode: 0o755 });
      await visit(found.file, false);
    }
  };
  for (const program of programs) await visit(program, true);
  return files;
}

/**
 * In the order of the loader: Debian's /etc/ld.so.conf.d, and the folders that are compiled in. Debian 13 has no
 * library outside of /usr.
 */
function systemFolders(architecture: Architecture): string[] {
  const { triplet } = ARCHITECTURES[architecture];
  return ['usr/local/lib', `usr/local/lib/${triplet}`, `usr/lib/${triplet}`, 'usr/lib64', 'usr/lib'];
}

/** ld.so(8), "Dynamic string tokens". */
function expandOrigin(folder: string, origin: string, root: string): string {
  return folder.startsWith('$') ? folder.replace(/^\$(ORIGIN|\{ORIGIN\})/, origin) : join(root, folder);
}

/** @param own folders on this machine. @returns the path on this machine, and the one in the image */
function findLibrary(
  name: string,
  own: readonly string[],
  system: readonly string[],
  root: string,
): { file: string; path: string } | undefined {
  const ours = own.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (ours !== undefined) return { file: ours, path: relative(root, ours) };
  const path = system.map((folder) => join(folder, name)).find((each) => existsSync(join(root, each)));
  return path === undefined ? undefined : { file: join(root, path), path };
}

function missingLibrary(name: string, file: string, root: string): string {
  return `${file} needs the library ${name}, which no package in ${root} has: name its package in deploy/image/debian-root.ts`;
}

/** Below usr/, where Debian's links /lib and /lib64 lead. */
export function imagePath(path: string): string {
  return path.startsWith('/usr/') ? path.slice(1) : `usr${path}`;
}
