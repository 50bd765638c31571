// The command `image`: builds the images without a container engine and without a registry, as archives that docker,
// podman, kind and containerd load, or lays one down in a folder for a Containerfile.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Progress } from '../local/parts/cache.ts';
import { type Layer, makeLayer, type WrittenImage, writeImage } from './archive.ts';
import { IMAGES, type ImageName, type ImagePlan, knotPrograms, PROJECT, postgresParts } from './images.ts';
import { linkedLibraries } from './libraries.ts';
import { layDown, merge } from './rootfs.ts';
import { billOfMaterials, billOfPostgres } from './sbom.ts';

export interface ImageCommandOptions {
  /** Where the archives go. (Default: .local/images in the project.) */
  out?: string;
  /** Lays the one image down in this folder instead. */
  rootfs?: string;
}

/** Builds the named images, or all. @throws when a name is unknown, a part is missing, or tar fails */
export async function runImage(
  names: readonly string[],
  { out = join(PROJECT, '.local/images'), rootfs }: ImageCommandOptions,
  print: Progress,
  signal: AbortSignal,
): Promise<void> {
  const wanted = names.length === 0 ? (Object.keys(IMAGES) as ImageName[]) : names.map(imageName);
  if (rootfs !== undefined) {
    const [only, ...more] = wanted;
    if (only === undefined || more.length > 0) throw new Error('--rootfs takes one image: name it');
    const plan = await IMAGES[only]({ progress: print, signal });
    const layers = await Promise.all(plan.layers.map((layer) => layer.rootfs()));
    return layDown(merge(...layers), resolve(rootfs));
  }
  for (const name of wanted) {
    const { file, bytes, reference } = await buildImage(name, resolve(out), { progress: print, signal });
    print(`${reference}: ${Math.ceil(bytes / 1e6)} MB uncompressed, in ${file}`);
    const bill = await writeBill(name, resolve(out), { progress: print, signal });
    print(`its bill of materials (CycloneDX) is ${bill}`);
  }
}

/** @returns the path of the bill of materials in `folder`, which exists. @throws Error of billOfMaterials */
export async function writeBill(
  name: ImageName,
  folder: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<string> {
  const bill = join(folder, `${name}.cdx.json`);
  if (name === 'postgres') {
    await writeFile(bill, await billOfPostgres(PROJECT, await postgresParts({ progress, signal }), signal));
    return bill;
  }
  const programs = name === 'nameserver' ? Object.values(await knotPrograms({ progress, signal })) : [];
  const libraries = [...(await linkedLibraries([process.execPath, ...programs], { signal })).values()];
  const files = libraries.flatMap((content) => ('file' in content ? [content.file] : []));
  await writeFile(bill, await billOfMaterials(PROJECT, [...files, ...programs], signal));
  return bill;
}

export interface BuiltImage extends WrittenImage {
  /** The archive. */
  file: string;
  /** Name with tag. */
  reference: string;
}

/** Builds one image into `folder`, which is made when missing. */
export async function buildImage(
  name: ImageName,
  folder: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<BuiltImage> {
  const plan = await IMAGES[name]({ progress, signal });
  return archiveImage(plan, join(folder, `${name}.tar`), { progress, signal });
}

/** Makes the layers of a plan and writes its archive to `file`. */
export async function archiveImage(
  plan: ImagePlan,
  file: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<BuiltImage> {
  const folder = join(file, '..');
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(join(folder, 'layers-'));
  try {
    const layers: Layer[] = [];
    for (const { name, key, rootfs } of plan.layers) {
      const cache = key === undefined ? {} : { cache: { name: `layer-${name}`, key } };
      layers.push(await makeLayer({ rootfs, ...cache, folder: temporary, progress, signal }));
    }
    const written = await writeImage({ name: plan.name, layers, config: plan.config, file, signal });
    return { file, reference: plan.name, ...written };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function imageName(name: string): ImageName {
  if (name in IMAGES) return name as ImageName;
  throw new Error(`there is no image ${name}, but ${Object.keys(IMAGES).join(', ')}`);
}
