// The images of one published name, by platform: a manifest, or an index with a manifest for each platform.
import { ARCHITECTURES, type Architecture, platformName } from '../local/parts/architecture.ts';
import type { Manifest, Registry } from './registry.ts';

/**
 * The manifest of each architecture, in the order of `architectures`. Everything below `top` is read by its digest.
 * @param reference the published name, for messages
 * @throws Error that says what to do, when the name has other platforms; Error of the registry
 */
export async function readPlatformManifests(
  registry: Registry,
  { repository, reference, top }: { repository: string; reference: string; top: Manifest },
  architectures: readonly Architecture[],
): Promise<Manifest[]> {
  const { manifests } = top;
  if (manifests === undefined) {
    if (architectures.length === 1) return [top];
    throw otherPlatforms(reference, ['one platform'], architectures);
  }
  const digests = architectures.map(
    (each) =>
      manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === ARCHITECTURES[each].oci)
        ?.digest,
  );
  if (digests.includes(undefined) || manifests.length !== architectures.length) {
    const theirs = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`);
    throw otherPlatforms(reference, theirs, architectures);
  }
  const read: Manifest[] = [];
  for (const digest of digests) {
    const manifest = await registry.manifest(`${repository}@${digest}`);
    if (manifest === undefined || manifest.digest !== digest)
      throw new Error(
        `${registry.host} has no manifest ${digest}, which the index of ${reference} names: push it again`,
      );
    read.push(manifest);
  }
  return read;
}

function otherPlatforms(reference: string, theirs: readonly string[], ours: readonly Architecture[]): Error {
  const wanted = ours.map(platformName).join(' and ');
  return new Error(
    `${reference} is published for ${theirs.join(' and ')}, and this release is for ${wanted}. A published version is never overwritten: publish the same platforms with --platform, or raise the version in package.json and charts/zonestead/Chart.yaml, or use another path of the registry`,
  );
}
