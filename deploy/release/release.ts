// The command `release`: builds the images and the command line of this checkout, and publishes them with the chart.
import { join, resolve } from 'node:path';
import { buildImage, findAllParts, writeBill } from '../image/image.ts';
import { IMAGES, type ImageName, projectVersion } from '../image/images.ts';
import { PROJECT } from '../image/parts.ts';
import { type Architecture, readPlatforms } from '../local/parts/architecture.ts';
import type { Progress } from '../local/parts/cache.ts';
import { makeCommandLine } from './command-line.ts';
import { type BuiltRelease, publish, type ReleaseOptions } from './publish.ts';

/** @throws Error that says what to do */
export async function runRelease(
  options: ReleaseOptions & { out?: string; platform: string; download?: string },
  print: Progress,
  signal: AbortSignal,
): Promise<void> {
  const out = resolve(options.out ?? join(PROJECT, '.local/release'));
  const architectures = readPlatforms(options.platform);
  await publish(options, () => build(out, architectures, options, print, signal), out, print, signal);
}

/** Archives, bills of materials, the command line and the chart of this checkout. */
async function build(
  out: string,
  architectures: readonly Architecture[],
  { download, home }: Pick<ReleaseOptions, 'home'> & { download?: string },
  progress: Progress,
  signal: AbortSignal,
): Promise<BuiltRelease> {
  const around = { progress, signal };
  const parts = await findAllParts(architectures, around);
  const images: BuiltRelease['images'] = [];
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    progress(`building ${name}`);
    const archive = await buildImage(name, parts, out, around);
    const bills: Partial<Record<Architecture, string>> = {};
    for (const each of parts) bills[each.architecture] = await writeBill(name, each, out);
    images.push({ name, tag: chooseTag(name), archive, bills });
  }
  progress('building the command line');
  const commandLine = await makeCommandLine(
    join(out, 'cli'),
    projectVersion(),
    { nodes: parts, download, home },
    signal,
  );
  return { images, commandLine, chart: join(PROJECT, 'charts/zonestead') };
}

/**
 * The image of Postgres has the version of Postgres in its own name, and each version of ours publishes it under a tag
 * of its own.
 */
function chooseTag(name: ImageName): string {
  return name === 'postgres' ? `18-${projectVersion()}` : projectVersion();
}
