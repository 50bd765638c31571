// The Debian packages of files that are in an image: for its bill of materials, and for the licenses in it.
import { readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type DebianPackage, type DebianSystem, RELEASE } from './debian-root.ts';
import type { Content, Rootfs } from './rootfs.ts';

/**
 * The packages that own the files, each once.
 * @param files paths on this machine, below the root of the system
 * @throws Error when a file belongs to no package: the bill would not name it
 */
export async function debianPackages(
  files: readonly string[],
  { root, packages }: DebianSystem,
): Promise<DebianPackage[]> {
  const owners = new Map(packages.flatMap((each) => each.paths.map((path): [string, DebianPackage] => [path, each])));
  const base = await realpath(root);
  const found = new Set<DebianPackage>();
  const strangers: string[] = [];
  for (const file of files) {
    // A package lists the file itself, and not the way to it through links such as /lib.
    const owner = owners.get(relative(base, await realpath(file)));
    if (owner === undefined) strangers.push(file);
    else found.add(owner);
  }
  if (strangers.length > 0)
    throw new Error(
      `No Debian package owns ${strangers.join(', ')}, so the bill of materials cannot name its origin: name its package in deploy/image/debian-root.ts`,
    );
  return packages.filter((each) => found.has(each));
}

/** Package URL (purl specification, deb). */
export function packageUrl({ name, version, architecture }: DebianPackage): string {
  return `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-${RELEASE.version}`;
}

/** Where every package has its licenses (Debian policy, section 12.5). */
const copyrightPath = ({ name }: DebianPackage) => `usr/share/doc/${name}/copyright`;

/** The licenses of packages as files of an image: they have to go where the programs go. */
export function copyrights(packages: readonly DebianPackage[], { root }: DebianSystem): Rootfs {
  return new Map(packages.map(copyrightPath).map((path): [string, Content] => [path, { file: join(root, path) }]));
}

/** The texts of licenses that those files refer to instead of repeating them. */
export function commonLicenses({ root, packages }: DebianSystem): Rootfs {
  const paths = packages.flatMap((each) => each.paths.filter((path) => path.startsWith('usr/share/common-licenses/')));
  // A link has the text of the license that it leads to.
  return new Map(paths.map((path): [string, Content] => [path, { file: join(root, path) }]));
}

/**
 * The short names of the licenses, sorted, if the file of the package is machine-readable (DEP-5), and none otherwise.
 */
export async function licenseNames(each: DebianPackage, { root }: DebianSystem): Promise<string[]> {
  const text = await readFile(join(root, copyrightPath(each)), 'utf8');
  if (!text.startsWith('Format:')) return [];
  const names = [...text.matchAll(/^License: *(\S.*)$/gm)].map(([, name = '']) => name.trim());
  return [...new Set(names)].sort();
}
