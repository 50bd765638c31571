// The Debian system of both architectures, by the real apt and its mirror.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { debianPackages, packageUrl } from '../../../../deploy/image/debian.ts';
import { ensureDebianSystem } from '../../../../deploy/image/debian-root.ts';
import { linkedLibraries } from '../../../../deploy/image/libraries.ts';
import { ARCHITECTURES, type Architecture, hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const own = hostArchitecture();
const around = { progress: () => {}, signal };
const { APT_CONFIG } = process.env;
afterEach(() => {
  if (APT_CONFIG === undefined) delete process.env.APT_CONFIG;
  else process.env.APT_CONFIG = APT_CONFIG;
});

/** apt has no network from here on. */
async function cutOff(): Promise<void> {
  const file = join(await temporaryFolder('apt'), 'apt.conf');
  await writeFile(file, 'Acquire::http::Proxy "http://127.0.0.1:1/"; Acquire::Retries "0";\n');
  process.env.APT_CONFIG = file;
}

test.each(Object.keys(ARCHITECTURES) as Architecture[])(
  'the system of %s has knotd with every library that it links, and their packages',
  { timeout: 900_000 },
  async (architecture) => {
    const system = await ensureDebianSystem(architecture, around);
    const knotd = join(system.root, 'usr/sbin/knotd');
    const libraries = await linkedLibraries([knotd], { ...system, architecture });
    expect(libraries.size).toBeGreaterThan(15);
    const files = [...libraries.values()].flatMap((content) => ('file' in content ? [content.file] : []));
    const packages = await debianPackages([knotd, ...files], system);
    const { debian } = ARCHITECTURES[architecture];
    for (const name of ['knot', 'libc6', 'liburcu8t64'])
      expect(packages.map(packageUrl)).toContainEqual(
        expect.stringMatching(`^pkg:deb/debian/${name}@.+\\?arch=${debian}&distro=debian-13$`),
      );
  },
);

test('a build that has to be up to date names a mirror that does not answer, and others take the packages of the last one', {
  timeout: 900_000,
}, async () => {
  const before = await ensureDebianSystem(own, around);
  await cutOff();
  const { debian } = ARCHITECTURES[own];
  await expect(ensureDebianSystem(own, around)).rejects.toThrow(
    new RegExp(
      `^apt-get update failed \\(code 100\\), and images for linux/${debian} need Debian's packages for ${debian}\\. Check that http\\S+ answers and has this architecture:`,
    ),
  );
  expect(await ensureDebianSystem(own, { ...around, refresh: false })).toEqual(before);
});
