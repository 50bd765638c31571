// An archive as a registry and as docker read it.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { archiveImage } from '../../../../deploy/image/image.ts';
import type { ImagePlan } from '../../../../deploy/image/images.ts';
import type { Architecture } from '../../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder('archive');
});

const plan = (architecture: Architecture): ImagePlan => ({
  name: 'example/one:1',
  architecture,
  layers: [
    { name: 'own', rootfs: async () => new Map([['etc/architecture', { text: architecture }]]) },
    { name: 'shared', rootfs: async () => new Map([['etc/shared', { text: 'shared' }]]) },
  ],
  config: { User: '65532:65532', Entrypoint: ['/a'], Env: [], WorkingDir: '/', Labels: {} },
});

/** Builds and unpacks. @returns the written digests, and a reader of the files and blobs */
async function build(name: string, first: Architecture, ...others: Architecture[]) {
  const file = join(folder, `${name}.tar`);
  const written = await archiveImage([plan(first), ...others.map(plan)], file, { progress: () => {}, signal });
  await mkdir(join(folder, name));
  const args = ['--extract', '--file', file, '-C', join(folder, name)];
  await runCommand({ command: 'tar', args, timeoutMs: 60_000, signal });
  const read = async (path: string) => JSON.parse(await readFile(join(folder, name, path), 'utf8'));
  const blob = (digest: string) => read(`blobs/sha256/${digest.replace('sha256:', '')}`);
  return { written, read, blob };
}

test('an archive of two platforms has one index, whose manifests and configurations name their platforms', async () => {
  const { written, read, blob } = await build('both', 'x64', 'arm64');
  const { manifests } = await read('index.json');
  expect(manifests).toHaveLength(1);
  expect(manifests[0]).toMatchObject({
    mediaType: INDEX,
    annotations: { 'io.containerd.image.name': 'docker.io/example/one:1', 'org.opencontainers.image.ref.name': '1' },
  });
  const index = await blob(manifests[0].digest);
  expect(index).toMatchObject({
    mediaType: INDEX,
    manifests: [
      { mediaType: MANIFEST, platform: { architecture: 'amd64', os: 'linux' } },
      { mediaType: MANIFEST, platform: { architecture: 'arm64', os: 'linux' } },
    ],
  });
  for (const [at, { digest, platform }] of index.manifests.entries()) {
    const { config, layers } = await blob(digest);
    const image = written.images[at];
    expect(config.digest).toBe(image?.configDigest);
    expect(layers.map((layer: { digest: string }) => layer.digest)).toEqual(image?.diffIds);
    expect(await blob(config.digest)).toMatchObject(platform);
  }
  expect(written.images.map(({ diffIds }) => diffIds[1])).toEqual(Array(2).fill(written.images[0]?.diffIds[1]));
  // Three layers, one of which both have.
  expect(written.bytes).toBe(3 * 10_240);
});

test("docker's manifest has the first platform of an archive", async () => {
  const { written, read } = await build('docker', 'arm64', 'x64');
  const [first] = written.images;
  const path = (digest = '') => `blobs/sha256/${digest.replace('sha256:', '')}`;
  expect(await read('manifest.json')).toEqual([
    { Config: path(first?.configDigest), RepoTags: ['example/one:1'], Layers: first?.diffIds.map(path) },
  ]);
  expect(await read(path(first?.configDigest))).toMatchObject({ architecture: 'arm64' });
});

test('an archive of one platform has its manifest and no index, for readers that know none', async () => {
  const { read, blob } = await build('one', 'arm64');
  const { manifests } = await read('index.json');
  expect(manifests).toMatchObject([{ mediaType: MANIFEST, platform: { architecture: 'arm64', os: 'linux' } }]);
  expect((await blob(manifests[0].digest)).layers).toHaveLength(2);
});
