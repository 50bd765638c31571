// The command `image`: builds the images without a container engine and without a registry, as archives that docker,
// podman, kind and containerd load, or lays one down in a folder for a Containerfile.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  ARCHITECTURES,
  type Architecture,
  hostArchitecture,
  platformName,
  readPlatforms,
} from '../local/parts/architecture.ts';
import type { Progress } from '../local/parts/cache.ts';
import { type Layer, makeLayer, type PlatformImage, type WrittenArchive, writeArchive } from './archive.ts';
import { IMAGES, type ImageName, type ImagePlan, postgresParts } from './images.ts';
import { linkedLibraries } from './libraries.ts';
import { findParts, type Parts, PROJECT } from './parts.ts';
import { layDown, merge } from './rootfs.ts';
import { billOfMaterials, billOfPostgres } from './sbom.ts';

export interface ImageCommandOptions {
  /** Where the archives go. (Default: .local/images in the project.) */
  out?: string;
  /** Comma-separated platforms. (Default: the one of this machine.) */
  platform?: string;
  /** Lays the one image down in this folder instead. */
  rootfs?: string;
}

interface Around {
  progress: Progress;
  signal: AbortSignal;
}

/** Builds the named images, or all. @throws when a name is unknown, a part is missing, or tar fails */
export async function runImage(
  names: readonly string[],
  { out = join(PROJECT, '.local/images'), platform, rootfs }: ImageCommandOptions,
  print: Progress,
  signal: AbortSignal,
): Promise<void> {
  const wanted = names.length === 0 ? (Object.keys(IMAGES) as ImageName[]) : names.map(imageName);
  const architectures = platform === undefined ? [hostArchitecture()] : readPlatforms(platform);
  if (rootfs !== undefined && (wanted.length > 1 || architectures.length > 1))
    throw new Error('--rootfs takes one image and one platform: name them');
  const around = { progress: print, signal };
  const parts = await findAllParts(architectures, around);
  if (rootfs !== undefined) {
    const plan = await IMAGES[wanted[0] as ImageName](parts[0]);
    const layers = await Promise.all(plan.layers.map((layer) => layer.rootfs()));
    return layDown(merge(...layers), resolve(rootfs));
  }
  for (const name of wanted) {
    const { file, bytes, reference, images } = await buildImage(name, parts, resolve(out), around);
    const platforms = images.map(({ architecture }) => platformName(architecture)).join(' and ');
    print(`${reference} for ${platforms}: ${Math.ceil(bytes / 1e6)} MB uncompressed, in ${file}`);
    for (const each of parts) {
      const bill = await writeBill(name, each, resolve(out));
      print(`its bill of materials (CycloneDX) for ${platformName(each.architecture)} is ${bill}`);
    }
  }
}

export type AllParts = readonly [Parts, ...Parts[]];

/**
 * The parts of each architecture.
 * @param architectures at least one
 * @throws Error when a part is missing; as checkVersions
 */
export async function findAllParts(architectures: readonly Architecture[], around: Around): Promise<AllParts> {
  const parts: Parts[] = [];
  for (const architecture of architectures) parts.push(await findParts(around, architecture));
  const [first, ...others] = parts as [Parts, ...Parts[]];
  checkVersions(first, others);
  return [first, ...others];
}

type VersionedParts = Pick<Parts, 'architecture' | 'packages'>;

/**
 * @throws Error when a package has another version for another architecture, as on a mirror that is being updated: one
 * version of an image would have two versions of Knot DNS
 */
export function checkVersions(first: VersionedParts, others: readonly VersionedParts[]): void {
  // Debian adds +b1 to a version that was built again for one architecture.
  const versionsOf = ({ packages }: VersionedParts) =>
    new Map(packages.map(({ name, version }) => [name, version.replace(/\+b\d+$/, '')]));
  const versions = versionsOf(first);
  for (const other of others)
    for (const [name, version] of versionsOf(other)) {
      const ours = versions.get(name);
      if (ours === undefined || ours === version) continue;
      throw new Error(
        `Debian's package ${name} is ${ours} for ${platformName(first.architecture)}, and ${version} for ${platformName(other.architecture)}: the mirror is being updated. Build again in some minutes, or each platform into its own archive with --platform`,
      );
    }
}

/** @returns the path of the bill of materials in `folder`, which exists. @throws Error of billOfMaterials */
export async function writeBill(name: ImageName, parts: Parts, folder: string): Promise<string> {
  const bill = join(folder, `${name}-${ARCHITECTURES[parts.architecture].oci}.cdx.json`);
  if (name === 'postgres') {
    await writeFile(bill, await billOfPostgres(PROJECT, parts, await postgresParts(parts)));
    return bill;
  }
  const programs = name === 'nameserver' ? Object.values(parts.knot) : [];
  const libraries = [...(await linkedLibraries([parts.node.program, ...programs], parts)).values()];
  const files = libraries.flatMap((content) => ('file' in content ? [content.file] : []));
  await writeFile(bill, await billOfMaterials(PROJECT, parts, [...files, ...programs]));
  return bill;
}

export interface BuiltImage extends WrittenArchive {
  /** The archive. */
  file: string;
  /** Name with tag. */
  reference: string;
}

/** Builds one image for the architectures of the parts into `folder`, which is made when missing. */
export async function buildImage(
  name: ImageName,
  [first, ...others]: AllParts,
  folder: string,
  around: Around,
): Promise<BuiltImage> {
  const plan = await IMAGES[name](first);
  const more: ImagePlan[] = [];
  for (const parts of others) more.push(await IMAGES[name](parts));
  return archiveImage([plan, ...more], join(folder, `${name}.tar`), around);
}

/** Makes the layers of the plans, one for each architecture, and writes their archive to `file`. */
export async function archiveImage(
  plans: readonly [ImagePlan, ...ImagePlan[]],
  file: string,
  { progress, signal }: Around,
): Promise<BuiltImage> {
  const folder = join(file, '..');
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(join(folder, 'layers-'));
  const make = async ({ architecture, layers: planned, config }: ImagePlan): Promise<PlatformImage> => {
    const layers: Layer[] = [];
    for (const { name, key, rootfs } of planned) {
      const cache = key === undefined ? {} : { cache: { name: `layer-${name}`, key } };
      layers.push(await makeLayer({ rootfs, ...cache, folder: temporary, progress, signal }));
    }
    return { architecture, layers, config };
  };
  try {
    const [{ name }] = plans;
    const images: [PlatformImage, ...PlatformImage[]] = [await make(plans[0])];
    for (const plan of plans.slice(1)) images.push(await make(plan));
    return { file, reference: name, ...(await writeArchive({ name, images, file, signal })) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function imageName(name: string): ImageName {
  if (name in IMAGES) return name as ImageName;
  throw new Error(`there is no image ${name}, but ${Object.keys(IMAGES).join(', ')}`);
}
