// The bill of materials of the image of Postgres, and the origin of Debian's files.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { debianPackages } from '../../../../deploy/image/debian.ts';
import { PROJECT, postgresParts } from '../../../../deploy/image/images.ts';
import { findParts } from '../../../../deploy/image/parts.ts';
import { billOfPostgres } from '../../../../deploy/image/sbom.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();

test("the bill of materials of Postgres names its npm package, Debian's packages, and each bundled library by its digest", async () => {
  const system = await findParts({ progress: () => {}, signal });
  const parts = await postgresParts(system);
  const bill = JSON.parse(await billOfPostgres(PROJECT, system, parts, signal)) as {
    components: { name: string; purl?: string; hashes?: { alg: string }[] }[];
  };
  const find = (end: string) => bill.components.find(({ name }) => name.endsWith(end));
  expect(find('postgresql')?.purl).toMatch(/^pkg:generic\/postgresql@18\.\d+$/);
  expect(find(`linux-${process.arch}`)?.hashes).toEqual([expect.objectContaining({ alg: 'SHA-512' })]);
  for (const name of ['libc6', 'dash', 'coreutils']) expect(find(name)?.purl).toMatch(/^pkg:deb\/\w+\/.*&distro=\w+-/);
  expect(parts.bundled.length).toBeGreaterThan(5);
  for (const file of parts.bundled) {
    const [, name = ''] = /\/lib\/([^/]+)$/.exec(file) ?? [];
    expect(find(`/${name}`)?.hashes).toEqual([{ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  }
});

test('a library that belongs to no Debian package stops the build', async () => {
  const file = join(await temporaryFolder('library'), 'libown.so.1');
  await writeFile(file, '');
  await expect(debianPackages(['/bin/sh', file], '/', signal)).rejects.toThrow(
    `No Debian package owns ${file}, so the bill of materials cannot name its origin: install it from a package`,
  );
});
