import { execFile } from 'node:child_process';
import { readFile, realpath, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { zonesteadImage } from '../../../../deploy/image/images.ts';
import { findParts } from '../../../../deploy/image/parts.ts';
import { layDown, merge } from '../../../../deploy/image/rootfs.ts';
import { billOfMaterials } from '../../../../deploy/image/sbom.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const ROOT = new URL('../../../..', import.meta.url).pathname;
const LIMIT_MB = 250;
const { signal } = new AbortController();

describe('the image zonestead', async () => {
  const parts = await findParts({ progress: () => {}, signal });
  const plan = await zonesteadImage(parts);
  const layers = await Promise.all(plan.layers.map((layer) => layer.rootfs()));
  const rootfs = merge(...layers);
  const paths = [...rootfs.keys()];

  test('the image zonestead is named after the version of package.json', () => {
    expect(plan.name).toBe(`zonestead/zonestead:${manifest.version}`);
  });

  test('the image zonestead holds node, its libraries, the sources and production packages, and nothing else', () => {
    const places =
      /^(app\/(src|node_modules)\/|app\/(package\.json|main\.js)$|usr\/local\/bin\/(node|zonestead)$|usr\/lib(64)?(\/|$)|etc\/|lib(64)?$|tmp$)/;
    expect(paths.filter((path) => !places.test(path))).toEqual([]);
    expect(
      paths.filter((path) => /(^|\/)bin\/(?!(node|zonestead)$)[^/]+$/.test(path) && !path.includes('node_modules')),
    ).toEqual([]);
    const programs = paths.filter(
      (path) => (rootfs.get(path) as { mode?: number }).mode === 0o755 && !/\.so\b/.test(path),
    );
    expect(programs).toEqual(['usr/local/bin/node', 'app/main.js']);
  });

  test('the image zonestead omits everything that builds, packages or tests the product', () => {
    const own = paths.filter((path) => path.startsWith('app/') && !path.startsWith('app/node_modules/'));
    expect(own).toContain('app/src/main.ts');
    const rooms = new Set(own.map((path) => path.split('/')[2]).filter((name) => name !== undefined));
    expect([...rooms].sort()).toEqual([
      'api',
      'base',
      'canary',
      'cli',
      'client',
      'config.ts',
      'console',
      'contract',
      'diagnosis',
      'dns',
      'doors',
      'external-dns',
      'http',
      'kube',
      'main.ts',
      'nameserver',
      'operator',
      'resources',
      'service',
      'settings',
      'solver',
      'store',
      'telemetry',
      'tokens',
    ]);
    expect(own.filter((path) => /_snapshot\.json$|\.test\.ts$/.test(path))).toEqual([]);
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

  test('the image zonestead starts with a Node that cannot remove types', async () => {
    const folder = await temporaryFolder('image-sources');
    await layDown(layers.at(-1) ?? new Map(), folder);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'app/node_modules'));
    const main = join(folder, 'app/main.js');
    const command = join(folder, 'usr/local/bin/zonestead');
    const started = (program: string, ...words: string[]) =>
      promisify(execFile)(process.execPath, [program, ...words], { env: { NODE_OPTIONS: '--no-strip-types' } });
    const run = (...words: string[]) => started(main, ...words);
    const help = (await run('--help')).stdout;
    expect(help).toContain('Usage: zonestead');
    // A shell and `kubectl exec` find the command by its name. The program of its first line is in another layer.
    expect(await realpath(command)).toBe(await realpath(main));
    const [line = ''] = (await readFile(command, 'utf8')).split('\n');
    expect(rootfs.get(line.replace('#!/', ''))).toMatchObject({ file: process.execPath, mode: 0o755 });
    expect(plan.config.Env.join('\n')).toMatch(/^PATH=(.*:)?\/usr\/local\/bin(:|$)/m);
    expect((await started(command, '--help')).stdout).toBe(help);
    // The hook of ACME clients starts the same program.
    expect((await run('acme', '--print', 'hook')).stdout).toContain(`exec ${process.execPath} ${main} acme "$@"`);
  });

  test('the image zonestead runs as an unprivileged user, with the heap bounded by the memory limit, and keeps no compiled code where others could write', () => {
    expect(plan.config.User).toBe('65532:65532');
    expect(plan.config.Entrypoint).toEqual(['/usr/local/bin/node', '/app/main.js']);
    expect(plan.config.Env.join(' ')).toContain('--max-old-space-size-percentage=75');
    expect(plan.config.Env.join(' ')).not.toContain('NODE_COMPILE_CACHE');
  });

  test('the image zonestead has a bill of materials that names what is in it, the same at every build', async () => {
    const libraries = paths.filter((path) => /libc\.so/.test(path)).map((path) => `/${path}`);
    const [one, two] = [
      await billOfMaterials(ROOT, parts, libraries, signal),
      await billOfMaterials(ROOT, parts, libraries, signal),
    ];
    expect(two).toBe(one);
    const bill = JSON.parse(one) as {
      bomFormat: string;
      components: { name: string; purl: string; hashes?: unknown; components?: { name: string }[] }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(names).not.toContain('vitest');
    expect(names).toEqual(expect.arrayContaining(['node', 'libc6']));
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
