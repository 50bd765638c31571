// A registry through skopeo: manifests, archives of images, and folders with a manifest and its blobs.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTools } from '../local/parts/apt.ts';
import type { Progress } from '../local/parts/cache.ts';
import { runCommand } from '../local/parts/commands.ts';
import { isMissing, refusal } from './refusals.ts';

/** A layer of 150 MB over a slow line. */
const LIMIT_MS = 30 * 60_000;
/** Host with port, then folders; no scheme, no tag (OCI distribution specification, "Pulling manifests"). */
const ADDRESS = /^([a-z0-9.-]+(?::\d+)?)((?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*)$/;

export interface Access {
  /** Credentials in the form of docker's config.json. (Default: docker's, which skopeo, cosign and Helm read.) */
  authFile?: string;
  /** The certificate authority, as PEM. (Default: those of the system.) */
  caFile?: string;
  /** HTTP without TLS. */
  plainHttp?: boolean;
}

export interface Manifest {
  /** sha256:…, of its bytes. */
  digest: string;
  /** An index has these, and neither `config` nor `layers`. */
  manifests?: { digest: string; platform?: { os: string; architecture: string } }[];
  config?: { digest: string };
  layers?: { mediaType: string; digest: string; size: number; annotations?: Record<string, string> }[];
}

export interface Registry {
  /** With its port. */
  host: string;
  /** Below the host, without slashes at the ends; may be empty. */
  path: string;
  /** The name of a repository with host and path. */
  repository(name: string): string;
  /** undefined: the registry has no such tag. @throws Error that says what to do, when the registry refuses */
  manifest(reference: string): Promise<Manifest | undefined>;
  /**
   * Pushes an archive (deploy/image/archive.ts) with compressed layers and all platforms.
   * @returns the digest of its manifest or index. @throws as manifest
   */
  pushArchive(file: string, reference: string): Promise<string>;
  /**
   * Writes manifest.json and every blob, under its digest in hexadecimal, to a folder that is made. @throws as manifest
   */
  pull(reference: string, folder: string): Promise<void>;
  /** Pushes such a folder unchanged. @throws as manifest */
  push(folder: string, reference: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error when the address has another form, or when skopeo is missing and cannot be installed */
export async function openRegistry(
  address: string,
  { authFile, caFile, plainHttp = false }: Access,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<Registry> {
  const { host, path } = parseAddress(address);
  const { skopeo = '' } = await ensureTools([{ command: 'skopeo', package: 'skopeo' }], { progress, signal });
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-registry-'));
  if (caFile !== undefined) await copyFile(caFile, join(await made(join(folder, 'certificates')), 'ca.crt'));
  /** The options of one side of a copy: 'src-', 'dest-', or none for a command with one side. */
  const access = (side: '' | 'src-' | 'dest-') => [
    ...(authFile === undefined ? [] : [`--${side}authfile=${authFile}`]),
    ...(caFile === undefined ? [] : [`--${side}cert-dir=${join(folder, 'certificates')}`]),
    ...(plainHttp ? [`--${side}tls-verify=false`] : []),
  ];
  const run = (args: readonly string[]) => runCommand({ command: skopeo, args, timeoutMs: LIMIT_MS, signal });
  const must = async (doing: string, args: readonly string[]) => {
    const { code, tail } = await run(args);
    if (code !== 0) throw refusal(tail, doing, host);
  };
  const copy = ['--insecure-policy', 'copy', '--quiet'];
  return {
    host,
    path,
    repository: (name) => `${host}/${[path, name].filter(Boolean).join('/')}`,
    manifest: async (reference) => {
      const { code, out, tail } = await run(['inspect', '--raw', ...access(''), `docker://${reference}`]);
      if (code !== 0 && isMissing(tail)) return undefined;
      if (code !== 0) throw refusal(tail, `looking at ${reference}`, host);
      return { ...(JSON.parse(out) as Manifest), digest: `sha256:${createHash('sha256').update(out).digest('hex')}` };
    },
    pushArchive: async (file, reference) => {
      const digestFile = join(folder, 'digest');
      const args = [...copy, '--all', ...access('dest-'), `--digestfile=${digestFile}`, `oci-archive:${file}`];
      await must(`pushing ${reference}`, [...args, `docker://${reference}`]);
      return (await readFile(digestFile, 'utf8')).trim();
    },
    pull: (reference, target) =>
      must(`reading ${reference}`, [...copy, ...access('src-'), `docker://${reference}`, `dir:${target}`]),
    push: (source, reference) =>
      must(`pushing ${reference}`, [
        ...[...copy, '--preserve-digests', ...access('dest-')],
        ...[`dir:${source}`, `docker://${reference}`],
      ]),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @throws Error that shows the accepted form */
export function parseAddress(address: string): { host: string; path: string } {
  const [, host, path] = ADDRESS.exec(address.replace(/\/$/, '')) ?? [];
  if (host === undefined || path === undefined)
    throw new Error(
      `--registry ${address} is not a registry: write host, port and path in small letters and without a scheme, like registry.example.net:5000/zonestead`,
    );
  return { host, path: path.slice(1) };
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}
