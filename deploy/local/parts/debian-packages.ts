// Packages of a release and an architecture of Debian that this machine may not have, without an installation. apt
// downloads them with all that they depend on, also what this machine has: that is of another release. It verifies them
// by the signed index of the mirror. No script of a package runs.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureTools } from './apt.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import type { Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { type Archive, type DebianRelease, KEYRING } from './debian-releases.ts';

const LIMIT_MS = 15 * 60_000;

type Mirrors = Readonly<Record<Archive, string>>;

export interface PackageSource {
  readonly release: DebianRelease;
  readonly architecture: Architecture;
  /** The folder of this apt: its lists, its archives. */
  readonly home: string;
  /** For errors, the user of the packages: "images for linux/arm64". */
  readonly need: string;
}

/** Runs apt-get with these words. @returns its output. @throws Error that says what to check, with apt's last lines */
export type Apt = (...args: readonly string[]) => Promise<string>;

/**
 * An apt that has nothing in common with the one of this machine but its settings, such as a proxy, and its mirrors.
 * @throws Error with the command to run by hand, if apt, dpkg or Debian's keys are missing; Error if apt has no mirror
 */
export async function openApt(
  { release, architecture, home, need }: PackageSource,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<Apt> {
  const tools = [KEYRING, { command: 'apt-get', package: 'apt' }, { command: 'dpkg-deb', package: 'dpkg' }];
  await ensureTools(tools, { progress, signal });
  const { debian } = ARCHITECTURES[architecture];
  const mirrors = await findMirrors(signal);
  for (const folder of ['state/lists/partial', 'cache/archives/partial'])
    await mkdir(join(home, folder), { recursive: true });
  await writeFile(join(home, 'status'), '');
  const sources = release.suites.map(
    // The index alone: apt of a desktop reads more of a mirror than the packages.
    ({ mirror, suite }) => `deb [signed-by=${KEYRING.file} target=Packages] ${mirrors[mirror]} ${suite} main\n`,
  );
  await writeFile(join(home, 'sources.list'), sources.join(''));
  const options = Object.entries(settingsOf(home, debian)).map(([key, value]) => `-o${key}=${value}`);
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  return async (...args) => {
    const onLine = (line: string) => {
      if (line.startsWith('Get:')) progress(`  ${line}`);
    };
    const run = { command: 'apt-get', args: [...options, ...args], env, onLine, timeoutMs: LIMIT_MS, signal };
    const { code, out, tail } = await runCommand(run);
    if (code === 0) return out;
    throw new Error(
      `apt-get ${args[0]} failed (code ${code}), and ${need} need Debian's packages for ${debian}. Check that ${mirrors.debian} answers and has this architecture:\n${tail}`,
    );
  };
}

/** Where apt puts the packages that it downloads. */
export const archivesOf = (home: string) => join(home, 'cache', 'archives');

/**
 * The mirrors that apt of this machine reads, also those of a snapshot, which have a time at their end.
 * @throws Error that says what to add, if it reads none
 */
async function findMirrors(signal: AbortSignal): Promise<Mirrors> {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const { out } = await runCommand({ command: 'apt-get', args, timeoutMs: LIMIT_MS, signal });
  const addresses = out.split('\n');
  const find = (archive: Archive) => {
    const mirror = addresses.find((address) => new RegExp(`/${archive}/(\\d{8}T\\d{6}Z/)?$`).test(address));
    if (mirror === undefined)
      throw new Error(
        `apt of this machine has no mirror of Debian's archive ${archive}: add one to /etc/apt/sources.list.d, and run apt-get update`,
      );
    return mirror;
  };
  return { debian: find('debian'), 'debian-security': find('debian-security') };
}

function settingsOf(home: string, debian: string): Record<string, string> {
  return {
    'Dir::Etc::sourcelist': join(home, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': join(home, 'state'),
    'Dir::State::status': join(home, 'status'),
    'Dir::Cache': join(home, 'cache'),
    'Dir::Log': home,
    'APT::Architecture': debian,
    'APT::Architectures': debian,
    // The account of apt cannot read the cache of this user.
    'APT::Sandbox::User': 'root',
    'APT::Update::Error-Mode': 'any',
    'Acquire::Languages': 'none',
  };
}

export interface UnpackedPackage {
  /** The fields of the package, as dpkg has them. */
  readonly control: string;
  /** Without a leading slash; a folder ends with one, and the root is empty. */
  readonly paths: readonly string[];
}

/** Unpacks every archive of a folder to `target`, in the order of their names. */
export async function unpackArchives(
  archives: string,
  target: string,
  signal: AbortSignal,
): Promise<readonly UnpackedPackage[]> {
  const run = async (...args: string[]) => {
    const { code, out, tail } = await runCommand({ command: 'dpkg-deb', args, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(`dpkg-deb ${args.join(' ')} failed:\n${tail}`);
    return out;
  };
  const packages: UnpackedPackage[] = [];
  for (const file of (await readdir(archives)).filter((each) => each.endsWith('.deb')).sort()) {
    const archive = join(archives, file);
    const lines = (await run('--vextract', archive, target)).split('\n');
    const paths = lines.map((path) => path.replace(/^\.\//, ''));
    packages.push({ control: await run('--field', archive), paths });
  }
  return packages;
}
