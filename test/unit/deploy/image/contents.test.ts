import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { familiar } from '../../../../deploy/image/archive.ts';
import { isNeverRead } from '../../../../deploy/image/dependencies.ts';
import { archiveImage } from '../../../../deploy/image/image.ts';
import type { ImagePlan } from '../../../../deploy/image/images.ts';
import { imagePath } from '../../../../deploy/image/libraries.ts';

test("the content of an image puts libraries where Debian's links /lib and /lib64 lead", () => {
  expect(imagePath('/lib64/ld-linux-x86-64.so.2')).toBe('usr/lib64/ld-linux-x86-64.so.2');
  expect(imagePath('/usr/lib/x86_64-linux-gnu/libz.so.1')).toBe('usr/lib/x86_64-linux-gnu/libz.so.1');
});

test.each([
  ['dist/index.js', false],
  ['dist/index.d.ts', true],
  ['dist/index.d.mts', true],
  ['dist/index.js.map', true],
  ['README.md', true],
  ['LICENSE.md', false],
  ['LICENSE', false],
  ['test/all.js', true],
  ['lib/test/needed.js', false],
  ['prebuilds/linux-x64/sodium.node', false],
  ['prebuilds/darwin-arm64/sodium.node', true],
])('the content of an image omits files of a package that no program reads: %s: %s', (path, left) => {
  expect(isNeverRead(path, 'linux-x64')).toBe(left);
});

test('the content of an image names an image as containerd keeps it', () => {
  expect(familiar('zonestead/zonestead:1')).toBe('docker.io/zonestead/zonestead:1');
  expect(familiar('localhost/pause:1')).toBe('localhost/pause:1');
  expect(familiar('registry.example:5000/a/b:1')).toBe('registry.example:5000/a/b:1');
  expect(familiar('postgres:18')).toBe('docker.io/library/postgres:18');
});

const plan: ImagePlan = {
  name: 'example/one:1',
  architecture: 'x64',
  layers: [
    { name: 'a', rootfs: async () => new Map([['etc/a', { text: 'a\n' }]]) },
    { name: 'b', rootfs: async () => new Map([['bin/b', { text: 'b\n', mode: 0o755 }]]) },
  ],
  config: { User: '65532:65532', Entrypoint: ['/bin/b'], Env: [], WorkingDir: '/', Labels: {} },
};

test('an archive has the same bytes whenever and wherever it is built', async () => {
  const { signal } = new AbortController();
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-archive-'));
  try {
    const build = (name: string) =>
      archiveImage([plan], join(folder, name, 'image.tar'), { progress: () => {}, signal });
    const one = await build('one');
    const umask = process.umask(0o077);
    const two = await build('two').finally(() => process.umask(umask));
    expect((await readFile(one.file)).equals(await readFile(two.file))).toBe(true);
    expect(one.reference).toBe('example/one:1');
    expect((await stat(one.file)).size).toBeGreaterThan(one.bytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
