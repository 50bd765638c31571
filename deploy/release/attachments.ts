// Attachments of an image: signatures and attestations are an image of their own, under a tag that contains the digest
// of the image (cosign's SIGNATURE_SPEC.md, "Tag-based discovery"). An attachment is added to those that are there.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest, Registry } from './registry.ts';
import type { SignedBlob } from './signing.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';

export interface Attachment {
  /** Without its tag. */
  repository: string;
  /** sha256:… of the image. */
  digest: string;
  kind: 'sig' | 'att';
  /** Whether a blob that is there already is this attachment. */
  isThere: (blob: SignedBlob) => boolean;
  make: () => SignedBlob;
}

/** @returns false when the registry has it already. @throws Error of the registry */
export async function attach(
  registry: Registry,
  { repository, digest, kind, isThere, make }: Attachment,
): Promise<boolean> {
  const reference = `${repository}:${digest.replace(':', '-')}.${kind}`;
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-attachment-'));
  try {
    const blobs = (await registry.manifest(reference)) === undefined ? [] : await read(registry, reference, folder);
    if (blobs.some(isThere)) return false;
    await push(registry, reference, [...blobs, make()]);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function read(registry: Registry, reference: string, folder: string): Promise<SignedBlob[]> {
  await registry.pull(reference, folder);
  const { layers } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  return Promise.all(
    layers.map(async ({ mediaType, digest, annotations = {} }) => ({
      mediaType,
      annotations,
      bytes: await readFile(join(folder, digest.replace('sha256:', ''))),
    })),
  );
}

async function push(registry: Registry, reference: string, blobs: readonly SignedBlob[]): Promise<void> {
  const diff_ids = blobs.map(({ bytes }) => digestOf(bytes));
  const config = { architecture: '', os: '', config: {}, rootfs: { type: 'layers', diff_ids } };
  const made = makeManifest({ mediaType: CONFIG, bytes: Buffer.from(JSON.stringify(config)) }, blobs);
  await pushManifest(registry, reference, made);
}

/** A manifest with its blobs. Its digest is that of its bytes, which the registry keeps unchanged. */
export interface MadeManifest {
  /** sha256:… */
  digest: string;
  bytes: Buffer;
  blobs: readonly Buffer[];
}

export function makeManifest(config: Omit<SignedBlob, 'annotations'>, layers: readonly SignedBlob[]): MadeManifest {
  const described = ({ mediaType, bytes }: Omit<SignedBlob, 'annotations'>) => ({
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
