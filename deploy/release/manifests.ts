// Artifacts of a registry that are not images: a manifest with blobs, which is made here so that its digest is known
// before it is pushed.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Registry } from './registry.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

export interface ArtifactConfig {
  mediaType: string;
  bytes: Buffer;
}

export interface ArtifactLayer extends ArtifactConfig {
  annotations: Readonly<Record<string, string>>;
}

/** A manifest with its blobs. Its digest is that of its bytes, which the registry keeps unchanged. */
export interface MadeManifest {
  /** sha256:… */
  digest: string;
  bytes: Buffer;
  blobs: readonly Buffer[];
}

export function makeManifest(config: ArtifactConfig, layers: readonly ArtifactLayer[]): MadeManifest {
  const described = ({ mediaType, bytes }: ArtifactConfig) => ({
    mediaType,
    digest: digestOf(bytes),
    size: bytes.length,
  });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: described(config),
    layers: layers.map((layer) => ({ ...described(layer), annotations: layer.annotations })),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: digestOf(bytes), bytes, blobs: [config, ...layers].map((blob) => blob.bytes) };
}

/** @throws Error of the registry */
export async function pushManifest(registry: Registry, reference: string, made: MadeManifest): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-manifest-'));
  try {
    for (const bytes of made.blobs) await writeFile(join(folder, digestOf(bytes).replace('sha256:', '')), bytes);
    await writeFile(join(folder, 'manifest.json'), made.bytes);
    // containers-transports(5), dir: the form of the folder.
    await writeFile(join(folder, 'version'), 'Directory Transport Version: 1.1\n');
    await registry.push(folder, reference);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
