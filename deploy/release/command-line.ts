// The command line of a release: the single file, the npm package and executables, with their SHA-256 digests and a
// signature of these, in a folder and as one artifact of the registry.
import { createHash, type KeyObject, sign } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildCommandLine, packCommandLine } from '../cli/bundle.ts';
import { packExecutable } from '../cli/executable.ts';
import { type KrewArchive, krewManifest } from '../cli/krew.ts';
import type { Parts } from '../image/parts.ts';
import type { Progress } from '../local/parts/cache.ts';
import { type ArtifactLayer, type MadeManifest, makeManifest, pushManifest } from './manifests.ts';
import type { Registry } from './registry.ts';
import type { Signer } from './signer.ts';

const DIGESTS = 'SHA256SUMS';
const SIGNATURE = `${DIGESTS}.sig`;
const KREW = 'krew.yaml';

export interface CommandLineRelease {
  /** Contains the files. */
  folder: string;
  /** Names of the files. */
  files: readonly string[];
  /** The version, which is its tag in the registry. */
  tag: string;
}

export interface Executables {
  /** The program of Node of each architecture that gets an executable. */
  nodes: readonly Pick<Parts, 'architecture' | 'node'>[];
  /** The address from which people download the archives. Absent: there is no manifest for krew. */
  download?: string | undefined;
  /** The address of the project, for that manifest. */
  home?: string | undefined;
}

/** @throws Error of esbuild, npm, Node or tar */
export async function makeCommandLine(
  folder: string,
  tag: string,
  { nodes, download, home }: Executables,
  signal: AbortSignal,
): Promise<CommandLineRelease> {
  const { file } = await buildCommandLine(folder);
  const files = [file, await packCommandLine(folder, signal)].map((each) => basename(each));
  const archives: KrewArchive[] = [];
  for (const each of nodes) {
    const name = await packExecutable(folder, each, signal);
    files.push(name);
    archives.push({ architecture: each.architecture, digest: digestOf(await readFile(join(folder, name))) });
  }
  if (download !== undefined && archives.length > 0) {
    await writeFile(join(folder, KREW), krewManifest(tag, archives, { download, home }));
    files.push(KREW);
  }
  return { folder, files, tag };
}

/**
 * Writes SHA256SUMS, in the form that `sha256sum --check` reads, next to the files. With a key also SHA256SUMS.sig:
 * ECDSA over its SHA-256 digest in DER (RFC 3279 section 2.2.3), as openssl verifies it.
 */
export async function writeDigests({ folder, files }: CommandLineRelease, key: KeyObject | undefined): Promise<void> {
  const lines = await Promise.all(
    files.map(async (file) => `${digestOf(await readFile(join(folder, file)))}  ${file}\n`),
  );
  const text = Buffer.from(lines.join(''));
  await writeFile(join(folder, DIGESTS), text);
  // A signature of an earlier run is one of other digests.
  await rm(join(folder, SIGNATURE), { force: true });
  if (key !== undefined) await writeFile(join(folder, SIGNATURE), sign('sha256', text, key));
}

/** Where a registry has it. */
export function commandLineReference(registry: Registry, { tag }: CommandLineRelease): string {
  return `${registry.repository('cli')}:${tag}`;
}

/**
 * The artifact with these files. The signature is not one of them: each run makes another one, and the registry has its
 * own.
 */
export async function commandLineManifest(release: CommandLineRelease): Promise<MadeManifest> {
  const config = { mediaType: 'application/vnd.zonestead.cli.config.v1+json', bytes: Buffer.from('{}') };
  return makeManifest(config, await readBlobs(release));
}

/**
 * Pushes it if the registry does not have it, and signs it. @throws Error that says what to do, when the registry
 * refuses
 */
export async function publishCommandLine(
  registry: Registry,
  signer: Signer | undefined,
  release: CommandLineRelease,
  isThere: boolean,
  print: Progress,
): Promise<void> {
  const reference = commandLineReference(registry, release);
  const made = await commandLineManifest(release);
  if (!isThere) await pushManifest(registry, reference, made);
  print(`${reference}@${made.digest} ${isThere ? 'is there already' : 'pushed'}`);
  const repository = registry.repository('cli');
  await signer?.sign({ repository, tag: release.tag, digest: made.digest });
}

/** Clients such as oras write a layer to the file of its title (OCI image specification, annotations.md). */
async function readBlobs({ folder, files }: CommandLineRelease): Promise<ArtifactLayer[]> {
  return Promise.all(
    [...files, DIGESTS].map(async (file) => ({
      mediaType: 'application/octet-stream',
      bytes: await readFile(join(folder, file)),
      annotations: { 'org.opencontainers.image.title': file },
    })),
  );
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
