// The command `image`: words that it refuses before it builds, and parts that do not belong together.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productionFiles } from '../../../../deploy/image/dependencies.ts';
import { checkVersions, runImage } from '../../../../deploy/image/image.ts';
import { ARCHITECTURES, type Architecture } from '../../../../deploy/local/parts/architecture.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const run = (names: string[], options: object) => runImage(names, options, () => {}, signal);

test('a platform without images is refused, and so is a folder for more than one image or platform', async () => {
  await expect(run([], { platform: 'linux/s390x' })).rejects.toThrow('there are no images for "linux/s390x"');
  const one = '--rootfs takes one image and one platform: name them';
  await expect(run([], { rootfs: '/nowhere' })).rejects.toThrow(one);
  const both = { rootfs: '/nowhere', platform: 'linux/amd64,linux/arm64' };
  await expect(run(['zonestead'], both)).rejects.toThrow(one);
});

test('packages of different versions for two platforms are refused, because one image would have two versions of Knot DNS', () => {
  const parts = (architecture: Architecture, versions: Record<string, string>) => {
    const packages = Object.entries(versions).map(([name, version]) => ({
      ...{ name, version, paths: [] },
      architecture: ARCHITECTURES[architecture].debian,
    }));
    return { architecture, packages };
  };
  const first = parts('x64', { knot: '3.4.6-2', libc6: '2.41-12+deb13u5', liblmdb0: '0.9.31-1+b2', only: '1' });
  checkVersions(first, [first, parts('arm64', { knot: '3.4.6-2', liblmdb0: '0.9.31-1+b1' })]);
  expect(() => checkVersions(first, [parts('arm64', { knot: '3.4.7-1' })])).toThrow(
    "Debian's package knot is 3.4.6-2 for linux/amd64, and 3.4.7-1 for linux/arm64: the mirror is being updated. Build again in some minutes, or each platform into its own archive with --platform",
  );
});

test('a package with native code for other platforms alone is refused', async () => {
  const project = await temporaryFolder('native');
  const folder = 'node_modules/native';
  await mkdir(join(project, folder, 'prebuilds/linux-x64'), { recursive: true });
  await writeFile(join(project, folder, 'prebuilds/linux-x64/native.node'), '');
  await writeFile(join(project, 'package-lock.json'), JSON.stringify({ packages: { [folder]: { version: '1.0.0' } } }));
  expect([...(await productionFiles(project, '', 'x64')).keys()]).toEqual([
    `${folder}/prebuilds/linux-x64/native.node`,
  ]);
  await expect(productionFiles(project, '', 'arm64')).rejects.toThrow(
    `${folder} has native code, but none for linux-arm64: leave this platform out, or this package`,
  );
});
