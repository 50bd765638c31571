// The Debian packages of the files of an image, from the list of a system.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  commonLicenses,
  copyrights,
  debianPackages,
  licenseNames,
  packageUrl,
} from '../../../../deploy/image/debian.ts';
import type { DebianPackage, DebianSystem } from '../../../../deploy/image/debian-root.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const LIBRARY: DebianPackage = {
  name: 'libstdc++6',
  version: '2:14.2.0+1-19',
  architecture: 'amd64',
  paths: ['usr/lib/libstdc++.so.6.0.33', 'usr/lib/libstdc++.so.6', 'usr/share/doc/libstdc++6/copyright'],
};
const BASE: DebianPackage = {
  name: 'base-files',
  version: '13.8',
  architecture: 'amd64',
  paths: ['lib', 'usr/share/common-licenses/GPL-3', 'usr/share/doc/base-files/copyright'],
};
const SHELL: DebianPackage = {
  name: 'dash',
  version: '1',
  architecture: 'amd64',
  paths: ['usr/bin/dash', 'usr/bin/sh'],
};
let system: DebianSystem;

const put = async (path: string, text: string) => {
  await mkdir(dirname(join(system.root, path)), { recursive: true });
  await writeFile(join(system.root, path), text);
};
beforeAll(async () => {
  system = { root: await temporaryFolder('system'), packages: [BASE, SHELL, LIBRARY] };
  for (const path of ['usr/lib/libstdc++.so.6.0.33', 'usr/bin/dash', 'usr/lib/stranger.so']) await put(path, '');
  await put(
    'usr/share/doc/libstdc++6/copyright',
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
License: MIT or GPL-3+

Files: tests/*
License: BSD-3-clause

License: MIT or GPL-3+
 text
`,
  );
  await put('usr/share/doc/base-files/copyright', 'This package has words.\nLicense: any\n');
  await symlink('libstdc++.so.6.0.33', join(system.root, 'usr/lib/libstdc++.so.6'));
  await symlink('dash', join(system.root, 'usr/bin/sh'));
  await symlink('usr/lib', join(system.root, 'lib'));
});

test('the packages of files are found through links, each once', async () => {
  const files = ['lib/libstdc++.so.6', 'usr/lib/libstdc++.so.6.0.33', 'usr/bin/sh'].map((path) =>
    join(system.root, path),
  );
  expect(await debianPackages(files, system)).toEqual([SHELL, LIBRARY]);
});

test('a file that belongs to no Debian package stops the build', async () => {
  const file = join(system.root, 'usr/lib/stranger.so');
  await expect(debianPackages([join(system.root, 'usr/bin/sh'), file], system)).rejects.toThrow(
    `No Debian package owns ${file}, so the bill of materials cannot name its origin: name its package in deploy/image/debian-root.ts`,
  );
});

test('the package URL has the version, the architecture and the release', () => {
  expect(packageUrl(LIBRARY)).toBe('pkg:deb/debian/libstdc%2B%2B6@2%3A14.2.0%2B1-19?arch=amd64&distro=debian-13');
});

test('the names of licenses are those of a machine-readable file, and of no other', async () => {
  expect(await licenseNames(LIBRARY, system)).toEqual(['BSD-3-clause', 'MIT or GPL-3+']);
  expect(await licenseNames(BASE, system)).toEqual([]);
});

test('an image has the file of each package with its licenses, and the texts that it refers to', () => {
  const file = (path: string) => ({ file: join(system.root, path) });
  const copyright = 'usr/share/doc/libstdc++6/copyright';
  expect([...copyrights([LIBRARY], system)]).toEqual([[copyright, file(copyright)]]);
  const text = 'usr/share/common-licenses/GPL-3';
  expect([...commonLicenses(system)]).toEqual([[text, file(text)]]);
});
