// Debian's packages of the architecture that this machine does not have, by the real apt and its mirror.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { debianPackages } from '../../../../deploy/image/debian.ts';
import { ensureDebianRoot } from '../../../../deploy/image/debian-root.ts';
import { linkedLibraries } from '../../../../deploy/image/libraries.ts';
import { ARCHITECTURES, type Architecture, hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import { DEBIAN_12 } from '../../../../deploy/local/parts/debian-releases.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const architecture: Architecture = hostArchitecture() === 'x64' ? 'arm64' : 'x64';
const { debian } = ARCHITECTURES[architecture];
const around = { progress: () => {}, signal };
const { APT_CONFIG } = process.env;
afterEach(() => {
  if (APT_CONFIG === undefined) delete process.env.APT_CONFIG;
  else process.env.APT_CONFIG = APT_CONFIG;
});

test('the folder has knotd with every library that it links, and a bill of materials names their packages', {
  timeout: 900_000,
}, async () => {
  const root = await ensureDebianRoot(architecture, around);
  const knotd = join(root, 'usr/sbin/knotd');
  const libraries = await linkedLibraries([knotd], { architecture, root });
  expect(libraries.size).toBeGreaterThan(15);
  const files = [...libraries.values()].flatMap((content) => ('file' in content ? [content.file] : []));
  const packages = await debianPackages([knotd, ...files], root, signal);
  const purls = packages.map(({ purl }) => purl);
  for (const name of ['knot', 'libc6', 'liburcu8'])
    expect(purls).toContainEqual(
      expect.stringMatching(`^pkg:deb/debian/${name}@.+\\?arch=${debian}&distro=debian-${DEBIAN_12.version}$`),
    );
});

test('the error names a mirror that does not answer, and says to check it', async () => {
  const file = join(await temporaryFolder('apt'), 'apt.conf');
  await writeFile(file, 'Acquire::http::Proxy "http://127.0.0.1:1/"; Acquire::Retries "0";\n');
  process.env.APT_CONFIG = file;
  await expect(ensureDebianRoot(architecture, around)).rejects.toThrow(
    new RegExp(
      `^apt-get update failed \\(code 100\\), and images for linux/${debian} need Debian's packages for ${debian}\\. Check that http\\S+ answers and has this architecture:`,
    ),
  );
});
