// The image zonestead, from the packages of Debian and of npm.
import { readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { zonesteadImage } from '../../../../deploy/image/images.ts';
import { findParts } from '../../../../deploy/image/parts.ts';
import { merge } from '../../../../deploy/image/rootfs.ts';
import { billOfMaterials } from '../../../../deploy/image/sbom.ts';
import { ARCHITECTURES, hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import manifest from '../../../../package.json' with { type: 'json' };

const ROOT = new URL('../../../..', import.meta.url).pathname;
const LIMIT_MB = 250;
const { signal } = new AbortController();

describe('the image zonestead', async () => {
  const parts = await findParts({ progress: () => {}, refresh: false, signal });
  const plan = await zonesteadImage(parts);
  const layers = await Promise.all(plan.layers.map((layer) => layer.rootfs()));
  const rootfs = merge(...layers);
  const paths = [...rootfs.keys()];

  test('the image zonestead is named after the version of package.json', () => {
    expect(plan.name).toBe(`zonestead/zonestead:${manifest.version}`);
  });

  test('the image zonestead holds node, its libraries, the sources and production packages, and nothing else', () => {
    const places =
      /^(app\/(src|node_modules)\/|app\/(package\.json|main\.js)$|usr\/local\/bin\/(node|zonestead)$|usr\/lib(64)?(\/|$)|usr\/share\/(doc|common-licenses)\/|etc\/|lib(64)?$|tmp$)/;
    expect(paths.filter((path) => !places.test(path))).toEqual([]);
    expect(
      paths.filter((path) => /(^|\/)bin\/(?!(node|zonestead)$)[^/]+$/.test(path) && !path.includes('node_modules')),
    ).toEqual([]);
    const programs = paths.filter(
      (path) => (rootfs.get(path) as { mode?: number }).mode === 0o755 && !/\.so\b/.test(path),
    );
    expect(programs).toEqual(['usr/local/bin/node', 'app/main.js']);
  });

  test('the image zonestead has every production package and none of development', () => {
    const has = (name: string) => paths.some((path) => path.startsWith(`app/node_modules/${name}/`));
    expect(Object.keys(manifest.dependencies).filter((name) => !has(name))).toEqual([]);
    expect(Object.keys(manifest.devDependencies).filter((name) => has(name))).toEqual([]);
    expect(has('npm') || has(`node-linux-${process.arch}`)).toBe(false);
  });

  test(`the image zonestead weighs less than ${LIMIT_MB} MB uncompressed`, async () => {
    let bytes = 0;
    for (const content of rootfs.values()) if ('file' in content) bytes += (await stat(content.file)).size;
    // The overhead of tar: a header and half a block per file.
    expect((bytes + rootfs.size * 768) / 1e6).toBeLessThan(LIMIT_MB);
  });

  test('the image zonestead runs as an unprivileged user, with the heap bounded by the memory limit, and keeps no compiled code where others could write', () => {
    expect(plan.config.User).toBe('65532:65532');
    expect(plan.config.Entrypoint).toEqual(['/usr/local/bin/node', '/app/main.js']);
    expect(rootfs.get('usr/local/bin/node')).toMatchObject({ file: parts.node.program, mode: 0o755 });
    expect(plan.config.Env.join('\n')).toMatch(/^PATH=(.*:)?\/usr\/local\/bin(:|$)/m);
    expect(plan.config.Env.join(' ')).toContain('--max-old-space-size-percentage=75');
    expect(plan.config.Env.join(' ')).not.toContain('NODE_COMPILE_CACHE');
  });

  test('the image zonestead has the licenses of Node and of each Debian package that it has a file of', async () => {
    const read = (path: string) => readFile((rootfs.get(path) as { file: string }).file, 'utf8');
    expect(await read('usr/share/doc/node/LICENSE')).toMatch(/^Node\.js is licensed for use as follows:/);
    for (const name of ['libc6', 'libatomic1', 'libgcc-s1', 'libstdc++6'])
      expect(await read(`usr/share/doc/${name}/copyright`)).toMatch(/copyright/i);
    // Those files refer to this one.
    expect(await read('usr/share/common-licenses/GPL-3')).toContain('GNU GENERAL PUBLIC LICENSE');
    expect(paths).not.toContain('usr/share/doc/knot/copyright');
  });

  test('the image zonestead has a bill of materials that names what is in it, the same at every build', async () => {
    const libraries = [...rootfs].flatMap(([path, each]) => (/\.so/.test(path) && 'file' in each ? [each.file] : []));
    const debian = libraries.filter((file) => file.startsWith(parts.root));
    const [one, two] = [await billOfMaterials(ROOT, parts, debian), await billOfMaterials(ROOT, parts, debian)];
    expect(two).toBe(one);
    const bill = JSON.parse(one) as {
      bomFormat: string;
      components: {
        name: string;
        purl: string;
        hashes?: unknown;
        licenses?: { license: { name: string } }[];
        components?: { name: string }[];
      }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(names).not.toContain('vitest');
    expect(names).toEqual(expect.arrayContaining(['node', 'libc6']));
    const libc = bill.components.find(({ name }) => name === 'libc6');
    const { debian: architecture } = ARCHITECTURES[hostArchitecture()];
    expect(libc?.purl).toMatch(
      new RegExp(`^pkg:deb/debian/libc6@2\\.41-\\S+\\?arch=${architecture}&distro=debian-13$`),
    );
    expect(libc?.licenses).toContainEqual({ license: { name: 'LGPL-2.1+' } });
    const undici = bill.components.find(({ name }) => name === 'undici');
    expect(undici?.purl).toMatch(/^pkg:npm\/undici@\d/);
    expect(undici?.hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    // Node has OpenSSL inside; an addon has native code that no package of its own names.
    const inNode = bill.components.find(({ name }) => name === 'node')?.components?.map(({ name }) => name);
    expect(inNode).toEqual(expect.arrayContaining(['openssl', 'uv', 'v8']));
    const addons = paths.filter((path) => path.endsWith('.node')).map((path) => path.replace('app/', ''));
    expect(addons.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(addons));
  });
});
