// Whether a published image is the one that was built. The registry is not trusted: its manifest is read once, and
// every blob that counts is read by the digest in it.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { WrittenImage } from '../image/archive.ts';
import type { Manifest, Registry } from './registry.ts';

/** OCI image specification, "Image Layer Filesystem Changeset"; skopeo compresses the layers of an archive. */
const READERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  'application/vnd.oci.image.layer.v1.tar': () => new PassThrough(),
  'application/vnd.oci.image.layer.v1.tar+gzip': createGunzip,
};

/**
 * @param manifest the one of a platform, not an index
 * @throws Error of the registry, also when a blob has another digest than the manifest says
 */
export async function isSameImage(
  registry: Registry,
  repository: string,
  manifest: Manifest,
  { configDigest, diffIds }: Pick<WrittenImage, 'configDigest' | 'diffIds'>,
): Promise<boolean> {
  const { config, layers = [], digest } = manifest;
  if (config?.digest !== configDigest || layers.length !== diffIds.length) return false;
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-published-'));
  try {
    await registry.pull(`${repository}@${digest}`, folder);
    for (const [at, layer] of layers.entries()) {
      const file = join(folder, layer.digest.replace('sha256:', ''));
      if ((await computeDiffId(file, layer.mediaType)) !== diffIds[at]) return false;
    }
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The digest of a layer without its compression; null for one that nothing here makes. */
async function computeDiffId(file: string, mediaType: string): Promise<string | null> {
  const reader = READERS[mediaType];
  if (reader === undefined) return null;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), reader(), hash);
  } catch {
    return null;
  }
  return `sha256:${hash.digest('hex')}`;
}
