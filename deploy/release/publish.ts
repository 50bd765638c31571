// Publishes a release: pushes images to a registry, signs them, and pushes the chart last.
//
// Order: everything that can be refused without a change is asked first (keys, the registry, tags with other content).
// Then come the images, each with its signature and its bill of materials, the command line, and then the chart, which
// names the images by digest: a release that failed halfway has no chart, and the next run continues where it stopped.
// A published tag is never overwritten.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BuiltImage } from '../image/image.ts';
import { type ImageName, projectVersion } from '../image/images.ts';
import type { Architecture } from '../local/parts/architecture.ts';
import type { Progress } from '../local/parts/cache.ts';
import { findCommand } from '../local/parts/commands.ts';
import { ensureHelm } from '../local/parts/helm-build.ts';
import { type ChartKey, createHelm, type PublishedImage } from './chart.ts';
import {
  type CommandLineRelease,
  commandLineManifest,
  commandLineReference,
  publishCommandLine,
  writeDigests,
} from './command-line.ts';
import { readPlatformManifests } from './platforms.ts';
import { publishChart } from './publish-chart.ts';
import { type Access, type Manifest, openRegistry, type Registry } from './registry.ts';
import { isSameImage } from './same-image.ts';
import { openSigner, type Signer } from './signer.ts';
import { readSigningKey } from './signing-key.ts';

export interface ReleaseOptions extends Access {
  registry: string;
  signKey?: string;
  signPassphraseFile?: string;
  chartKey?: string;
  chartSigner?: string;
  chartPassphraseFile?: string;
  home?: string;
  source?: string;
  artifactHubId?: string;
}

export interface BuiltRelease {
  images: {
    name: ImageName;
    tag: string;
    archive: Pick<BuiltImage, 'file' | 'images'>;
    /** The file of the bill of materials of each architecture. */
    bills: Readonly<Partial<Record<Architecture, string>>>;
  }[];
  commandLine: CommandLineRelease;
  /** The folder of the chart. */
  chart: string;
}

/**
 * Publishes what `make` builds.
 * @param make called when the registry answers and the keys can be read
 * @param out the folder for the archive of the chart
 * @throws Error that says what to do
 */
export async function publish(
  options: ReleaseOptions,
  make: () => Promise<BuiltRelease>,
  out: string,
  print: Progress,
  signal: AbortSignal,
): Promise<void> {
  const key =
    options.signKey === undefined ? undefined : await readSigningKey(options.signKey, options.signPassphraseFile);
  const chartKey = readChartKey(options);
  const registry = await openRegistry(options.registry, options, { progress: print, signal });
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-release-'));
  try {
    await mkdir(out, { recursive: true });
    const helm = createHelm(
      findCommand('helm') ?? (await ensureHelm({ progress: print, signal })),
      registry.host,
      options,
      signal,
    );
    // A registry that is down or wants a login says so before minutes of building.
    await registry.manifest(`${registry.repository('zonestead')}:${projectVersion()}`);
    const signer =
      key === undefined
        ? undefined
        : await openSigner(key, registry, options, join(folder, 'signer'), { progress: print, signal });
    const built = await make();
    await writeDigests(built.commandLine, key);
    // From here on, the registry is asked for no digest by a tag: it could answer with the digest of something else.
    const there = await publishedImages(registry, built);
    const isCommandLineThere = await isPublished(registry, built.commandLine);
    const images: PublishedImage[] = [];
    for (const { name, tag, archive, bills } of built.images) {
      const repository = registry.repository(name);
      const digest = there.get(name) ?? (await registry.pushArchive(archive.file, `${repository}:${tag}`));
      print(`${repository}:${tag}@${digest} ${there.has(name) ? 'is there already' : 'pushed'}`);
      if (signer !== undefined)
        await signImage(signer, registry, { repository, tag, digest, platforms: archive.images, bills });
      images.push({ name, host: registry.host, path: repository.slice(registry.host.length + 1), tag, digest });
    }
    await publishCommandLine(registry, signer, built.commandLine, isCommandLineThere, print);
    await publishChart({
      registry,
      helm,
      chart: built.chart,
      images,
      signer,
      chartKey,
      options,
      folder,
      out,
      print,
      signal,
    });
  } finally {
    await registry.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function readChartKey({ chartKey, chartSigner, chartPassphraseFile }: ReleaseOptions): ChartKey | undefined {
  if (chartKey === undefined && chartSigner === undefined) return undefined;
  if (chartKey === undefined || chartSigner === undefined)
    throw new Error('--chart-key and --chart-signer belong together: give both, or none');
  return {
    file: resolve(chartKey),
    signer: chartSigner,
    ...(chartPassphraseFile === undefined ? {} : { passphraseFile: resolve(chartPassphraseFile) }),
  };
}

/**
 * The digests of the images that the registry has. @throws Error when it has one under the same tag with other content
 */
async function publishedImages(registry: Registry, { images }: BuiltRelease): Promise<Map<ImageName, string>> {
  const digests = new Map<ImageName, string>();
  for (const { name, tag, archive } of images) {
    const repository = registry.repository(name);
    const there = await registry.manifest(`${repository}:${tag}`);
    if (there === undefined) continue;
    const reference = `${repository}:${tag}`;
    const architectures = archive.images.map(({ architecture }) => architecture);
    const manifests = await readPlatformManifests(registry, { repository, reference, top: there }, architectures);
    for (const [at, image] of archive.images.entries())
      if (!(await isSameImage(registry, repository, manifests[at] as Manifest, image))) throw otherContent(reference);
    digests.set(name, there.digest);
  }
  return digests;
}

/**
 * Signs the manifest of each platform, with its bill of materials, and the index above them: containerd pulls by the
 * digest of the index, and Podman and CRI-O verify the manifest of their platform.
 */
async function signImage(
  signer: Signer,
  registry: Registry,
  { repository, tag, digest, platforms, bills }: SignedImage,
): Promise<void> {
  const architectures = platforms.map(({ architecture }) => architecture);
  const reference = `${repository}@${digest}`;
  const top = await registry.manifest(reference);
  if (top?.digest !== digest) throw new Error(`${registry.host} has no ${reference}, which was pushed: push it again`);
  const manifests = await readPlatformManifests(registry, { repository, reference, top }, architectures);
  if (top.manifests !== undefined) await signer.sign({ repository, tag, digest });
  for (const [at, architecture] of architectures.entries())
    await signer.sign({ repository, tag, digest: (manifests[at] as Manifest).digest, bill: bills[architecture] });
}

interface SignedImage extends Pick<BuiltRelease['images'][0], 'tag' | 'bills'> {
  repository: string;
  digest: string;
  platforms: BuiltImage['images'];
}

/** @throws Error when the registry has the command line under the same tag with other content */
async function isPublished(registry: Registry, release: CommandLineRelease): Promise<boolean> {
  const reference = commandLineReference(registry, release);
  const there = await registry.manifest(reference);
  if (there === undefined) return false;
  if (there.digest !== (await commandLineManifest(release)).digest) throw otherContent(reference);
  return true;
}

function otherContent(reference: string): Error {
  return new Error(
    `${reference} is published with other content, and a published version is never overwritten. Raise the version in package.json and charts/zonestead/Chart.yaml, or use another path of the registry`,
  );
}
