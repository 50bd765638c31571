// The Debian or Ubuntu packages of files that are in an image, for its bill of materials.
import { readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findCommand, runCommand } from '../local/parts/commands.ts';

const LIMIT_MS = 60_000;

export interface DebianPackage {
  name: string;
  version: string;
  purl: string;
}

/**
 * The packages that own the files, each once.
 * @param root the folder of the Debian system that has the files, with the database of dpkg: / for this machine
 * @throws Error when this is neither Debian nor Ubuntu, or when a file belongs to no package: the bill would not name
 * it
 */
export async function debianPackages(
  files: readonly string[],
  root: string,
  signal: AbortSignal,
): Promise<DebianPackage[]> {
  const dpkg = findCommand('dpkg-query');
  if (dpkg === undefined)
    throw new Error(
      'The bill of materials needs dpkg-query, which names the packages of libraries: build on Debian or Ubuntu',
    );
  const database = `--admindir=${join(root, 'var/lib/dpkg')}`;
  const run = (...args: string[]) =>
    runCommand({ command: dpkg, args: [database, ...args], timeoutMs: LIMIT_MS, signal });
  const inside = (file: string) => join('/', relative(root, file));
  const names = new Map<string, string[]>();
  for (const file of files) names.set(file, spellings(inside(file), inside(await realpath(file))));
  const { out } = await run('--search', ...[...names.values()].flat());
  const owners = new Map(
    [...out.matchAll(/^([a-z0-9.+-]+(?::\w+)?): (\/.+)$/gm)].map(([, owner = '', path = '']) => [path, owner]),
  );
  const findOwner = (paths: readonly string[]) =>
    paths.map((path) => owners.get(path)).find((each) => each !== undefined);
  const strangers = [...names].flatMap(([file, paths]) => (findOwner(paths) === undefined ? [file] : []));
  if (strangers.length > 0)
    throw new Error(
      `No Debian package owns ${strangers.join(', ')}, so the bill of materials cannot name its origin: install it from a package`,
    );
  const packages = new Set([...names.values()].map((paths) => findOwner(paths) as string));
  if (packages.size === 0) return [];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills these in.
  const shown = await run('--show', '-f=${Package} ${Version} ${Architecture}\\n', ...packages);
  const system = await operatingSystem(root);
  return shown.out.split('\n').flatMap((line) => {
    const [name, version, architecture] = line.split(' ');
    if (name === undefined || version === undefined) return [];
    const purl = `pkg:deb/${system.id}/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${system.id}-${system.version}`;
    return [{ name, version, purl }];
  });
}

/** Debian's merged /usr: a package lists its file below /lib or below /usr/lib, whichever way the loader found it. */
function spellings(...files: readonly string[]): string[] {
  return files.flatMap((file) => [file, file.startsWith('/usr/') ? file.slice(4) : `/usr${file}`]);
}

/** os-release(5): `debian` and `12`, or `ubuntu` and `24.04`. */
export async function operatingSystem(root: string): Promise<{ id: string; version: string }> {
  const text = await readFile(join(root, 'etc/os-release'), 'utf8');
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]+)"?$`, 'm').exec(text)?.[1];
  return { id: field('ID') ?? 'debian', version: field('VERSION_ID') ?? '' };
}
