// Packages of Debian that are fetched without an installation, by the real apt.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import { openApt } from '../../../../deploy/local/parts/debian-packages.ts';
import { DEBIAN_13 } from '../../../../deploy/local/parts/debian-releases.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const around = { progress: () => {}, signal: new AbortController().signal };
const { APT_CONFIG } = process.env;
afterEach(() => {
  if (APT_CONFIG === undefined) delete process.env.APT_CONFIG;
  else process.env.APT_CONFIG = APT_CONFIG;
});

test("a machine whose apt reads no mirror of Debian, such as one with Ubuntu, takes Debian's own", async () => {
  const home = await temporaryFolder('apt');
  const file = join(home, 'apt.conf');
  await writeFile(file, 'Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "/dev/null";\n');
  process.env.APT_CONFIG = file;
  const apt = await openApt(
    { release: DEBIAN_13, architecture: hostArchitecture(), home, need: 'these tests' },
    around,
  );
  const indexes = (await apt('update', '--print-uris')).split('\n').map((line) => line.split("'")[1] ?? '');
  expect(indexes.filter((address) => address.endsWith('/InRelease')).sort()).toEqual([
    'http://deb.debian.org/debian-security/dists/trixie-security/InRelease',
    'http://deb.debian.org/debian/dists/trixie-updates/InRelease',
    'http://deb.debian.org/debian/dists/trixie/InRelease',
  ]);
});
