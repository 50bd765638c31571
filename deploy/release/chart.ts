// The chart of a release: its default values name the published images by digest, its metadata names them and the
// addresses that were given. It is packaged by Helm, with a provenance file if there is a key for that.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseDocument } from 'yaml';
import { runCommand } from '../local/parts/commands.ts';
import { refusal } from './refusals.ts';
import type { Access } from './registry.ts';

const LIMIT_MS = 5 * 60_000;
/** Where the values of an image are in values.yaml. */
const VALUES = {
  zonestead: ['image'],
  nameserver: ['nameserver', 'image'],
  postgres: ['database', 'builtin', 'image'],
} as const;

export interface PublishedImage {
  name: keyof typeof VALUES;
  /** Host of the registry. */
  host: string;
  /** Below the host. */
  path: string;
  tag: string;
  /** sha256:… */
  digest: string;
}

export interface Addresses {
  home?: string;
  source?: string;
}

/** Writes the chart of the release to `folder`. @param chart the folder of the chart in the checkout */
export async function prepareChart(
  chart: string,
  folder: string,
  images: readonly PublishedImage[],
  { home, source }: Addresses,
): Promise<void> {
  await cp(chart, folder, { recursive: true });
  await edit(join(folder, 'values.yaml'), (set) => {
    for (const { name, host, path, tag, digest } of images) {
      // Not the registry of the image: that would hide the mirror that a parent chart or a user names for all images.
      set(['global', 'imageRegistry'], host);
      set([...VALUES[name], 'repository'], path);
      set([...VALUES[name], 'tag'], tag);
      set([...VALUES[name], 'digest'], digest);
    }
  });
  await edit(join(folder, 'Chart.yaml'), (set) => {
    const listed = images.map(
      ({ name, host, path, tag, digest }) => `- name: ${name}\n  image: ${host}/${path}:${tag}@${digest}\n`,
    );
    set(['annotations', 'artifacthub.io/images'], listed.join(''));
    if (home !== undefined) set(['home'], home);
    if (source !== undefined) set(['sources'], [source]);
  });
}

type Setter = (path: readonly string[], value: unknown) => void;

/** Keeps the comments of the file. */
async function edit(file: string, change: (set: Setter) => void): Promise<void> {
  const document = parseDocument(await readFile(file, 'utf8'));
  change((path, value) => document.setIn(path, value));
  await writeFile(file, document.toString({ lineWidth: 0 }));
}

export interface ChartKey {
  /** Secret keys as `gpg --export-secret-keys` writes them. */
  file: string;
  /** A part of the user id. */
  signer: string;
  passphraseFile?: string;
}

export interface Helm {
  /** @returns the path of the archive; the provenance file is next to it. @throws Error with the words of Helm */
  pack(chart: string, folder: string, key: ChartKey | undefined): Promise<string>;
  /**
   * @param repository without the name of the chart
   * @returns the digest of the manifest that Helm wrote, sha256:…
   * @throws Error that says what to do, when the registry refuses
   */
  push(archive: string, repository: string): Promise<string>;
}

export function createHelm(
  command: string,
  host: string,
  { authFile, caFile, plainHttp }: Access,
  signal: AbortSignal,
): Helm {
  const access = [
    ...(authFile === undefined ? [] : ['--registry-config', authFile]),
    ...(caFile === undefined ? [] : ['--ca-file', caFile]),
    ...(plainHttp ? ['--plain-http'] : []),
  ];
  const run = (...args: string[]) => runCommand({ command, args, timeoutMs: LIMIT_MS, signal });
  return {
    pack: async (chart, folder, key) => {
      const signing = key === undefined ? [] : ['--sign', '--keyring', key.file, '--key', key.signer];
      const passphrase = key?.passphraseFile === undefined ? [] : ['--passphrase-file', key.passphraseFile];
      const { code, out, tail } = await run('package', chart, '--destination', folder, ...signing, ...passphrase);
      const file = /: (\S.*\.tgz)$/m.exec(out)?.[1];
      if (code !== 0 || file === undefined)
        throw new Error(
          `helm package failed:\n${tail}${key === undefined ? '' : '\nCheck --chart-key (the output of gpg --export-secret-keys), --chart-signer and --chart-passphrase-file'}`,
        );
      return file;
    },
    push: async (archive, repository) => {
      const { code, tail } = await run('push', archive, `oci://${repository}`, ...access);
      if (code !== 0) throw refusal(tail, `pushing the chart to ${repository}`, host);
      const [, digest] = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(tail) ?? [];
      if (digest === undefined) throw new Error(`helm push names no digest:\n${tail}`);
      return digest;
    },
  };
}

/** Unpacks an archive of Helm to `folder`. @returns the folder of the chart. @throws Error with the words of tar */
export async function unpack(archive: string, name: string, folder: string, signal: AbortSignal): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const args = ['--extract', '--gzip', '--file', archive, '-C', folder];
  const { code, tail } = await runCommand({ command: 'tar', args, timeoutMs: LIMIT_MS, signal });
  if (code !== 0) throw new Error(`tar failed:\n${tail}`);
  return join(folder, name);
}

/** The files that only one of the folders has, or that differ. Sorted. */
export async function differences(one: string, other: string): Promise<string[]> {
  const [ours, theirs] = await Promise.all([contents(one), contents(other)]);
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter((file) => ours.get(file) !== theirs.get(file)).sort();
}

async function contents(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // A link counts as a difference, because a chart of this project has none.
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const links = new Set(entries.filter((entry) => !entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  const texts = await Promise.all(files.map((file) => (links.has(file) ? `link ${folder}` : readFile(file, 'latin1'))));
  return new Map(files.map((file, index) => [relative(folder, file), texts[index] as string]));
}
