// The image of Postgres: its bill of materials, and the origin of Debian's files.
import { expect, test } from 'vitest';
import { IMAGES, postgresParts } from '../../../../deploy/image/images.ts';
import { findParts, PROJECT } from '../../../../deploy/image/parts.ts';
import { billOfPostgres } from '../../../../deploy/image/sbom.ts';

const { signal } = new AbortController();

test("the bill of materials of Postgres names its npm package, Debian's packages, and each bundled library by its digest", async () => {
  const system = await findParts({ progress: () => {}, refresh: false, signal });
  const parts = await postgresParts(system);
  const bill = JSON.parse(await billOfPostgres(PROJECT, system, parts)) as {
    components: { name: string; purl?: string; hashes?: { alg: string }[] }[];
  };
  const find = (end: string) => bill.components.find(({ name }) => name.endsWith(end));
  expect(find('postgresql')?.purl).toMatch(/^pkg:generic\/postgresql@18\.\d+$/);
  expect(find(`linux-${process.arch}`)?.hashes).toEqual([expect.objectContaining({ alg: 'SHA-512' })]);
  for (const name of ['libc6', 'dash', 'coreutils'])
    expect(find(name)?.purl).toMatch(/^pkg:deb\/debian\/.*&distro=debian-13$/);
  expect(parts.bundled.length).toBeGreaterThan(5);
  for (const file of parts.bundled) {
    const [, name = ''] = /\/lib\/([^/]+)$/.exec(file) ?? [];
    expect(find(`/${name}`)?.hashes).toEqual([{ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  }
});

test('the image of Postgres has the licenses of each Debian package that it has a file of', async () => {
  const { layers } = await IMAGES.postgres(await findParts({ progress: () => {}, refresh: false, signal }));
  const paths = [...((await layers[0]?.rootfs()) ?? []).keys()];
  for (const name of ['libc6', 'dash', 'coreutils']) expect(paths).toContain(`usr/share/doc/${name}/copyright`);
  expect(paths).toContain('usr/share/common-licenses/GPL-2');
});
