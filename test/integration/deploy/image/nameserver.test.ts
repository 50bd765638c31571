// The image of the name servers: the image zonestead, and the programs of Knot DNS with all libraries that they link.
import { beforeAll, expect, test } from 'vitest';
import { type ImagePlan, nameserverImage, zonesteadImage } from '../../../../deploy/image/images.ts';
import { linkedLibraries } from '../../../../deploy/image/libraries.ts';
import { findParts, type Parts } from '../../../../deploy/image/parts.ts';
import { merge, type Rootfs } from '../../../../deploy/image/rootfs.ts';
import { billOfMaterials } from '../../../../deploy/image/sbom.ts';
import manifest from '../../../../package.json' with { type: 'json' };

const ROOT = new URL('../../../..', import.meta.url).pathname;
const { signal } = new AbortController();

let parts: Parts;
let own: ImagePlan;
let plan: ImagePlan;
let knot: Rootfs;
beforeAll(async () => {
  parts = await findParts({ progress: () => {}, refresh: false, signal });
  [own, plan] = [await zonesteadImage(parts), await nameserverImage(parts)];
  knot = (await plan.layers.find(({ name }) => name === 'knot')?.rootfs()) ?? new Map();
});

test('the image of the name servers has the layers of the image zonestead, so that a node stores them once, and one of Knot DNS', () => {
  expect(plan.name).toBe(`zonestead/nameserver:${manifest.version}`);
  const shared = plan.layers.filter(({ name }) => name !== 'knot');
  expect(shared.map(({ name, key }) => [name, key])).toEqual(own.layers.map(({ name, key }) => [name, key]));
  expect(plan.layers).toHaveLength(own.layers.length + 1);
});

test('the image of the name servers has knotd, keymgr and knotc with every library that they link and their licenses, and each file in one layer', async () => {
  expect([...knot.keys()].filter((path) => /bin\//.test(path)).sort()).toEqual([
    'usr/sbin/keymgr',
    'usr/sbin/knotc',
    'usr/sbin/knotd',
  ]);
  const first = (await own.layers[0]?.rootfs()) ?? new Map();
  const all = merge(first, knot);
  const linked = await linkedLibraries(Object.values(parts.knot), parts);
  expect([...linked.keys()].filter((path) => !all.has(path))).toEqual([]);
  for (const name of ['knot', 'libknot15', 'libc6'])
    expect([...all.keys()]).toContain(`usr/share/doc/${name}/copyright`);
  expect([...knot.keys()].filter((path) => first.has(path))).toEqual([]);
});

test('the image of the name servers starts as the image zonestead does', () => {
  const { Labels: ours, ...config } = plan.config;
  const { Labels: theirs, ...wanted } = own.config;
  expect(config).toEqual(wanted);
  expect({ ...ours, 'org.opencontainers.image.title': 'zonestead' }).toEqual(theirs);
});

test('the image of the name servers has a bill of materials that names Knot DNS', async () => {
  const bill = JSON.parse(await billOfMaterials(ROOT, parts, Object.values(parts.knot)));
  const find = (wanted: string) => bill.components.find(({ name }: { name: string }) => name === wanted);
  expect(find('node')).toBeDefined();
  expect(find('knot')).toMatchObject({
    purl: expect.stringMatching(/^pkg:deb\/debian\/knot@3\.4\.\d+-\S+\?arch=\w+&distro=debian-13$/),
    licenses: expect.arrayContaining([{ license: { name: 'GPL-3+' } }]),
  });
});
