// Publishes the chart of a release, whose default values name the published images by digest.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Progress } from '../local/parts/cache.ts';
import {
  type Addresses,
  type ChartKey,
  differences,
  type Helm,
  type PublishedImage,
  prepareChart,
  unpack,
} from './chart.ts';
import { makeManifest, pushManifest } from './manifests.ts';
import type { Manifest, Registry } from './registry.ts';
import type { Signer } from './signer.ts';

/** Helm, "Use OCI-based registries". */
const CONTENT = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const PROVENANCE = 'application/vnd.cncf.helm.chart.provenance.v1.prov';

export interface ChartPublication {
  registry: Registry;
  helm: Helm;
  /** The folder of the chart in the checkout. */
  chart: string;
  images: readonly PublishedImage[];
  signer: Signer | undefined;
  chartKey: ChartKey | undefined;
  options: Addresses & { artifactHubId?: string };
  /** For temporary files. */
  folder: string;
  out: string;
  print: Progress;
  signal: AbortSignal;
}

/** @throws Error that says what to do, also when the registry has this version with other content */
export async function publishChart(publication: ChartPublication): Promise<void> {
  const { registry, helm, chart, images, signer, chartKey, options, folder, out, print, signal } = publication;
  const prepared = join(folder, 'prepared', 'zonestead');
  await prepareChart(chart, prepared, images, options);
  const { version } = parse(await readFile(join(prepared, 'Chart.yaml'), 'utf8')) as { version: string };
  const charts = registry.repository('charts');
  const archive = await helm.pack(prepared, out, chartKey);
  const reference = `${charts}/zonestead:${version}`;
  const there = await registry.manifest(reference);
  if (there !== undefined) {
    const published = await pullChart(registry, `${charts}/zonestead`, there, join(folder, 'there'), signal);
    const changed =
      published === undefined
        ? ['the archive']
        : await differences(published, await unpack(archive, 'zonestead', join(folder, 'ours'), signal));
    if (changed.length > 0)
      throw new Error(
        `${reference} is published with other content (${changed.join(', ')}), and a published version is never overwritten. Raise the version in charts/zonestead/Chart.yaml`,
      );
    if (chartKey !== undefined && !there.layers?.some(({ mediaType }) => mediaType === PROVENANCE))
      throw new Error(
        `${reference} was published without a provenance file, and a published version is never overwritten. Raise the version in charts/zonestead/Chart.yaml`,
      );
  }
  const digest = there?.digest ?? (await helm.push(archive, charts));
  print(`${reference}@${digest} ${there === undefined ? 'pushed' : 'is there already'}`);
  await signer?.sign({ repository: `${charts}/zonestead`, tag: version, digest });
  if (options.artifactHubId !== undefined)
    await pushHubMetadata(registry, `${charts}/zonestead`, options.artifactHubId);
  if (signer === undefined) print('nothing is signed: add --sign-key to sign images and chart');
  print(`install it: helm install zonestead oci://${charts}/zonestead --version ${version}`);
}

/**
 * The folder of a published chart, read by the digests of its manifest. Helm reads a chart from its layers alone.
 * @returns undefined if it is not a chart, or has further layers
 */
async function pullChart(
  registry: Registry,
  repository: string,
  { digest, layers = [] }: Manifest,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = layers.filter(({ mediaType }) => mediaType !== PROVENANCE);
  const [chart, ...more] = content;
  if (chart?.mediaType !== CONTENT || more.length > 0) return undefined;
  await registry.pull(`${repository}@${digest}`, folder);
  return unpack(join(folder, chart.digest.replace('sha256:', '')), 'zonestead', join(folder, 'chart'), signal);
}

/**
 * By this, Artifact Hub knows that the publisher owns the repository (its documentation, "Verified publisher", OCI).
 */
async function pushHubMetadata(registry: Registry, repository: string, repositoryID: string): Promise<void> {
  const config = { mediaType: 'application/vnd.cncf.artifacthub.config.v1+yaml', bytes: Buffer.from('{}') };
  const layer = {
    mediaType: 'application/vnd.cncf.artifacthub.repository-metadata.layer.v1.yaml',
    bytes: Buffer.from(stringify({ repositoryID })),
    annotations: { 'org.opencontainers.image.title': 'artifacthub-repo.yml' },
  };
  await pushManifest(registry, `${repository}:artifacthub.io`, makeManifest(config, [layer]));
}
