// Images of several platforms in a real registry, without signatures: one digest, and what is refused.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveImage } from '../../../../deploy/image/image.ts';
import { projectVersion } from '../../../../deploy/image/images.ts';
import type { Architecture } from '../../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { type BuiltRelease, publish } from '../../../../deploy/release/publish.ts';
import type { Manifest } from '../../../../deploy/release/registry.ts';
import { startRegistry, type TestRegistry } from '../../../support/release/registry.ts';
import { smallRelease } from '../../../support/release/release.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

type Image = BuiltRelease['images'][0];

const { signal } = new AbortController();
const VERSION = projectVersion();
let folder: string;
let registry: TestRegistry;
let release: BuiltRelease;

beforeAll(async () => {
  folder = await temporaryFolder('platforms');
  registry = await startRegistry({ folder: await temporaryFolder('registry'), plainHttp: true, address: '127.0.0.1' });
  release = await smallRelease(join(folder, 'release'), 'one');
});
afterAll(() => registry?.stop());

/** @returns the lines that it prints */
async function run(path: string, images: readonly Image[] = release.images): Promise<string[]> {
  const lines: string[] = [];
  const make = async () => ({ ...release, images: [...images] });
  const options = { registry: `${registry.host}/${path}`, plainHttp: true };
  await publish(options, make, join(folder, 'out'), (line) => lines.push(line), signal);
  return lines;
}

/** An image `nameserver` for these architectures, whose content is a text for each. */
async function nameserver(name: string, contents: Readonly<Partial<Record<Architecture, string>>>): Promise<Image> {
  const plan = (architecture: Architecture) => ({
    name: 'zonestead/nameserver:1',
    architecture,
    layers: [{ name, rootfs: async () => new Map([['content', { text: contents[architecture] ?? '' }]]) }],
    config: { User: '1:1', Entrypoint: ['/content'], Env: [], WorkingDir: '/', Labels: {} },
  });
  const [first, ...others] = Object.keys(contents) as [Architecture, ...Architecture[]];
  const plans = [plan(first), ...others.map(plan)] as const;
  const archive = await archiveImage(plans, join(folder, name, 'nameserver.tar'), { progress: () => {}, signal });
  return { name: 'nameserver', tag: VERSION, archive, bills: {} };
}

test('an image of two platforms has one digest, from which each platform reads its own content', async () => {
  const lines = await run('both');
  const [, digest = ''] = /nameserver:\S+@(sha256:\S+) pushed/.exec(lines.join('\n')) ?? [];
  for (const architecture of ['amd64', 'arm64']) {
    const args = ['--override-arch', architecture, '--insecure-policy', 'copy', '--quiet', '--src-tls-verify=false'];
    const target = join(folder, architecture);
    const source = `docker://${registry.host}/both/nameserver@${digest}`;
    const copy = { command: 'skopeo', args: [...args, source, `dir:${target}`], timeoutMs: 120_000, signal };
    const { code, tail } = await runCommand(copy);
    expect(code, tail).toBe(0);
    const { layers = [] } = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8')) as Manifest;
    const layer = await readFile(join(target, layers[0]?.digest.replace('sha256:', '') ?? ''));
    expect(gunzipSync(layer).toString()).toContain(`nameserver ${architecture === 'amd64' ? 'x64' : architecture} one`);
  }
  expect((await run('both')).filter((line) => line.endsWith(' pushed'))).toEqual([]);
});

test('other content of the second platform alone is other content', async () => {
  await run('second', [await nameserver('ours', { x64: 'same', arm64: 'one' })]);
  await expect(run('second', [await nameserver('theirs', { x64: 'same', arm64: 'two' })])).rejects.toThrow(
    `second/nameserver:${VERSION} is published with other content, and a published version is never overwritten`,
  );
});

test('an image that is published without a platform of the release is refused, and so is one with more', async () => {
  await run('single', [await nameserver('single', { x64: 'same' })]);
  const two = await nameserver('two', { x64: 'same', arm64: 'more' });
  await expect(run('single', [two])).rejects.toThrow(
    `single/nameserver:${VERSION} is published for one platform, and this release is for linux/amd64 and linux/arm64. A published version is never overwritten: publish the same platforms with --platform, or raise the version`,
  );
  await run('more', [two]);
  const before = await registry.contents();
  await expect(run('more', [await nameserver('less', { arm64: 'more' })])).rejects.toThrow(
    `more/nameserver:${VERSION} is published for linux/amd64 and linux/arm64, and this release is for linux/arm64. A published`,
  );
  expect(await registry.contents()).toEqual(before);
});
