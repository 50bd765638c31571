// Images as archives, without a container engine: each layer is a tar whose bytes depend only on its content, and one
// file with all layers and their manifest can be loaded by docker, podman, kind and containerd.
//
// The archive is an OCI image layout (image-layout.md of the OCI image specification). It also contains the
// manifest.json that `docker load` reads, as docker's own `save` writes it since version 25.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ARCHITECTURES, type Architecture } from '../local/parts/architecture.ts';
import { cached, type Progress } from '../local/parts/cache.ts';
import { runCommand } from '../local/parts/commands.ts';
import { layDown, type Rootfs } from './rootfs.ts';

const TAR_LIMIT_MS = 5 * 60_000;
/**
 * The time of all files: two builds of the same files must be identical, and nothing reads the times of an image's
 * files.
 */
const EPOCH = '1970-01-01T00:00:00Z';
const SAME_BYTES = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];

export interface Layer {
  file: string;
  /** sha256 in hexadecimal, of the tar as it is. */
  digest: string;
  bytes: number;
}

export interface LayerOptions {
  /** Called only when the layer is not in the cache. */
  rootfs: () => Promise<Rootfs>;
  /** With a key the layer is kept in the cache under it, and found there again. */
  cache?: { name: string; key: string };
  /** Where a layer without a key goes. Must exist. */
  folder: string;
  progress: Progress;
  signal: AbortSignal;
}

/** @throws when GNU tar is missing, or with its words */
export async function makeLayer({ rootfs, cache, folder, progress, signal }: LayerOptions): Promise<Layer> {
  const fill = async (target: string) => {
    const stage = await mkdtemp(join(target, 'stage-'));
    await layDown(await rootfs(), stage);
    await tar(['--create', ...SAME_BYTES, '--file', join(target, 'layer.tar'), '-C', stage, '.'], signal);
    await rm(stage, { recursive: true });
    await writeFile(join(target, 'digest'), await sha256(join(target, 'layer.tar')));
  };
  const at =
    cache === undefined ? await mkdtemp(join(folder, 'layer-')) : await cached({ ...cache, fill, progress, signal });
  if (cache === undefined) await fill(at);
  const file = join(at, 'layer.tar');
  return { file, digest: await readFile(join(at, 'digest'), 'utf8'), bytes: (await stat(file)).size };
}

/** How a container of the image starts; names as in the OCI image specification, config.md. */
export interface ImageConfig {
  User: string;
  Entrypoint: readonly string[];
  Cmd?: readonly string[];
  Env: readonly string[];
  WorkingDir: string;
  Labels: Readonly<Record<string, string>>;
  StopSignal?: string;
}

export interface PlatformImage {
  architecture: Architecture;
  layers: readonly Layer[];
  config: ImageConfig;
}

export interface ImageOptions {
  /** With its tag: zonestead/zonestead:1.2.3. */
  name: string;
  /** One for each architecture, at least one. Docker's manifest has the first. */
  images: readonly [PlatformImage, ...PlatformImage[]];
  /** The path of the archive; its folder must exist. */
  file: string;
  signal: AbortSignal;
}

/** The digests by which an image of one architecture is recognized. */
export interface WrittenImage {
  architecture: Architecture;
  /** sha256:… of the configuration: the same content has the same one, compressed or not. */
  configDigest: string;
  /** sha256:… of each layer, uncompressed. */
  diffIds: readonly string[];
}

export interface WrittenArchive {
  /** The sum of all layers, uncompressed; each counts once. */
  bytes: number;
  images: readonly WrittenImage[];
}

/**
 * Writes the archive. Images of several architectures are below one index (image-index.md of the OCI image
 * specification), so that a registry gives them one digest.
 */
export async function writeArchive({ name, images, file, signal }: ImageOptions): Promise<WrittenArchive> {
  const stage = await mkdtemp(join(dirname(file), 'image-'));
  try {
    const blobs = join(stage, 'blobs', 'sha256');
    await mkdir(blobs, { recursive: true });
    const layers = [...new Map(images.flatMap((each) => each.layers).map((layer) => [layer.digest, layer])).values()];
    for (const layer of layers) await linkOrCopy(layer.file, join(blobs, layer.digest));
    const written: WrittenImage[] = [];
    const manifests: Descriptor[] = [];
    for (const image of images) {
      const { manifest, ...identity } = await writeManifest(blobs, image);
      written.push({ architecture: image.architecture, ...identity });
      manifests.push(manifest);
    }
    const [only, ...more] = manifests as [Descriptor, ...Descriptor[]];
    const top =
      more.length === 0
        ? only
        : { mediaType: INDEX, ...(await writeBlob(blobs, { schemaVersion: 2, mediaType: INDEX, manifests })) };
    const annotations = {
      'io.containerd.image.name': familiar(name),
      'org.opencontainers.image.ref.name': name.split(':').at(-1),
    };
    await writeJson(join(stage, 'index.json'), { schemaVersion: 2, manifests: [{ ...top, annotations }] });
    await writeJson(join(stage, 'oci-layout'), { imageLayoutVersion: '1.0.0' });
    const path = (digest: string) => `blobs/sha256/${digest.replace('sha256:', '')}`;
    const [{ configDigest, diffIds }] = written as [WrittenImage];
    await writeJson(join(stage, 'manifest.json'), [
      { Config: path(configDigest), RepoTags: [name], Layers: diffIds.map(path) },
    ]);
    const options = [...SAME_BYTES, '--hard-dereference', '--mode=u=rwX,go=rX'];
    await tar(['--create', ...options, '--file', `${file}.new`, '-C', stage, '.'], signal);
    await rm(file, { force: true });
    await link(`${file}.new`, file);
    await rm(`${file}.new`);
    return { bytes: layers.reduce((sum, { bytes }) => sum + bytes, 0), images: written };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform: { architecture: string; os: string };
}

/** Writes configuration and manifest of one architecture. */
async function writeManifest(
  blobs: string,
  { architecture, layers, config }: PlatformImage,
): Promise<{ manifest: Descriptor; configDigest: string; diffIds: string[] }> {
  const platform = { architecture: ARCHITECTURES[architecture].oci, os: 'linux' };
  const diffIds = layers.map(({ digest }) => `sha256:${digest}`);
  const image = await writeBlob(blobs, {
    ...platform,
    created: EPOCH,
    config,
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: layers.map(() => ({ created: EPOCH })),
  });
  const manifest = await writeBlob(blobs, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...image },
    layers: layers.map(({ digest, bytes }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${digest}`,
      size: bytes,
    })),
  });
  return { manifest: { mediaType: MANIFEST, ...manifest, platform }, configDigest: image.digest, diffIds };
}

/** The name in full, as containerd keeps images: without a registry it is Docker Hub's. */
export function familiar(name: string): string {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return `docker.io/library/${name}`;
  return /[.:]/.test(first) || first === 'localhost' ? name : `docker.io/${name}`;
}

async function writeBlob(blobs: string, content: unknown): Promise<{ digest: string; size: number }> {
  const text = JSON.stringify(content);
  const digest = createHash('sha256').update(text).digest('hex');
  await writeFile(join(blobs, digest), text);
  return { digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

async function writeJson(file: string, content: unknown): Promise<void> {
  await writeFile(file, JSON.stringify(content));
}

/** A layer may weigh 150 MB; between two file systems it has to be copied. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function tar(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { code, tail } = await runCommand({ command: 'tar', args, timeoutMs: TAR_LIMIT_MS, signal });
  if (code !== 0) throw new Error(`tar failed (GNU tar is needed):\n${tail}`);
}
