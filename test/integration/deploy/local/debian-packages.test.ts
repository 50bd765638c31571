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

test('a machine whose apt reads no mirror of Debian is told to add one', async () => {
  const home = await temporaryFolder('apt');
  const file = join(home, 'apt.conf');
  await writeFile(file, 'Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "/dev/null";\n');
  process.env.APT_CONFIG = file;
  const source = { release: DEBIAN_13, architecture: hostArchitecture(), home, need: 'these tests' };
  await expect(openApt(source, around)).rejects.toThrow(
    "apt of this machine has no mirror of Debian's archive debian: add one to /etc/apt/sources.list.d",
  );
});
