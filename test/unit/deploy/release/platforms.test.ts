// A published name by platform: a manifest, or an index.
import { expect, test } from 'vitest';
import type { Architecture } from '../../../../deploy/local/parts/architecture.ts';
import { readPlatformManifests } from '../../../../deploy/release/platforms.ts';
import type { Manifest, Registry } from '../../../../deploy/release/registry.ts';

const repository = 'registry.example/dns/zonestead';
const reference = `${repository}:1.2.3`;
const entry = (architecture: string) => ({ digest: `sha256:${architecture}`, platform: { os: 'linux', architecture } });
const index = (...architectures: string[]): Manifest => ({ digest: 'sha256:i', manifests: architectures.map(entry) });
const single: Manifest = { digest: 'sha256:one', config: { digest: 'sha256:config' }, layers: [] };

function read(top: Manifest, architectures: Architecture[], there = (digest: string): string => digest) {
  const manifest = async (name: string) => ({ digest: there(name.replace(`${repository}@`, '')), layers: [] });
  const registry = { host: 'registry.example', manifest } as unknown as Registry;
  return readPlatformManifests(registry, { repository, reference, top }, architectures);
}

test('a manifest without an index is the image of the one platform', async () => {
  expect(await read(single, ['arm64'])).toEqual([single]);
});

test('an index gives the manifest of each architecture, in the wanted order', async () => {
  const found = await read(index('amd64', 'arm64'), ['arm64', 'x64']);
  expect(found.map(({ digest }) => digest)).toEqual(['sha256:arm64', 'sha256:amd64']);
});

test.each([
  ['an index without the wanted architecture', index('amd64'), ['arm64'], 'linux/amd64', 'linux/arm64'],
  ['an index that lacks one of two', index('amd64'), ['x64', 'arm64'], 'linux/amd64', 'linux/amd64 and linux/arm64'],
  [
    'an index with further platforms',
    index('amd64', 'riscv64'),
    ['x64'],
    'linux/amd64 and linux/riscv64',
    'linux/amd64',
  ],
  ['a manifest where two are wanted', single, ['x64', 'arm64'], 'one platform', 'linux/amd64 and linux/arm64'],
] as [string, Manifest, Architecture[], string, string][])('%s is refused', async (_, top, wanted, theirs, ours) => {
  await expect(read(top, wanted)).rejects.toThrow(
    `${reference} is published for ${theirs}, and this release is for ${ours}. A published version is never overwritten: publish the same platforms with --platform, or raise the version in package.json and charts/zonestead/Chart.yaml, or use another path of the registry`,
  );
});

test('a registry that answers a digest with another manifest is not believed', async () => {
  await expect(read(index('amd64', 'arm64'), ['x64', 'arm64'], () => 'sha256:other')).rejects.toThrow(
    `registry.example has no manifest sha256:amd64, which the index of ${reference} names: push it again`,
  );
});
