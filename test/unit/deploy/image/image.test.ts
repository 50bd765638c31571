// The command `image`: words that it refuses before it builds, and parts that do not belong together.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productionFiles } from '../../../../deploy/image/dependencies.ts';
import { checkReleases, runImage } from '../../../../deploy/image/image.ts';
import { findParts } from '../../../../deploy/image/parts.ts';
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

test('platforms with packages of different releases of Debian are refused, because they have different versions of Knot DNS', async () => {
  const root = await temporaryFolder('release');
  await mkdir(join(root, 'etc'));
  await writeFile(join(root, 'etc/os-release'), 'ID=debian\nVERSION_ID="99"\n');
  const first = await findParts({ progress: () => {}, signal });
  await checkReleases(first, [first]);
  await expect(checkReleases(first, [{ ...first, architecture: 'arm64', root }])).rejects.toThrow(
    /^the packages for linux\/\w+ are those of \w+ \S+, and for linux\/arm64 those of debian 99\. Build both on debian 99, or each platform into its own archive with --platform$/,
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
