// Packages of another platform, by the real npm and a registry of this test. The digest in the lock file decides.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureNpmPackage } from '../../../../deploy/image/npm-package.ts';
import { cacheRoot } from '../../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const around = { progress: () => {}, signal };
// A name that no cache has.
const NAME = `native-of-a-test-${process.pid}`;
const FOLDER = `node_modules/${NAME}`;
let archive: Buffer;
let server: Server;
let project: string;

const digestOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

beforeAll(async () => {
  const source = await temporaryFolder('npm-source');
  await mkdir(join(source, 'bin'));
  await writeFile(join(source, 'bin/program'), `program of ${NAME}`);
  await writeFile(join(source, 'package.json'), JSON.stringify({ name: NAME, version: '1.0.0' }));
  const packed = await runCommand({ command: 'npm', args: ['pack'], cwd: source, timeoutMs: 120_000, signal });
  expect(packed.code, packed.tail).toBe(0);
  archive = await readFile(join(source, `${NAME}-1.0.0.tgz`));
  server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(archive);
    if (request.url !== `/${NAME}`) return response.writeHead(404).end('{}');
    const dist = { integrity: digestOf(archive), tarball: `http://${request.headers.host}/${NAME}-1.0.0.tgz` };
    const version = { name: NAME, version: '1.0.0', dist };
    return response.end(
      JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project = await temporaryFolder('npm-project');
  const { port } = server.address() as AddressInfo;
  await writeFile(join(project, '.npmrc'), `registry=http://127.0.0.1:${port}/\nfetch-retries=0\n`);
  await writeFile(join(project, 'package.json'), '{}');
});
afterAll(async () => {
  server?.close();
  for (const name of await entries()) await rm(join(cacheRoot(), name), { recursive: true });
});

const entries = async () => (await readdir(cacheRoot())).filter((name) => name.includes(NAME));

const lock = (packages: object) => writeFile(join(project, 'package-lock.json'), JSON.stringify({ packages }));

test('a package with another digest than the lock file says is not used, and nothing of it stays', async () => {
  const integrity = digestOf(Buffer.from('another archive'));
  await lock({ [FOLDER]: { version: '1.0.0', integrity } });
  await expect(ensureNpmPackage(project, FOLDER, around)).rejects.toThrow(
    `npm gave ${NAME}@1.0.0 with the digest ${digestOf(archive)}, and package-lock.json has ${integrity}. Run npm cache clean --force and build again; if the digest stays, do not use this package and report it`,
  );
  expect(await entries()).toEqual([]);
});

test('a package of the lock file is unpacked, and found again without npm', async () => {
  await lock({ [FOLDER]: { version: '1.0.0', integrity: digestOf(archive) } });
  const folder = await ensureNpmPackage(project, FOLDER, around);
  expect(await readFile(join(folder, 'bin/program'), 'utf8')).toBe(`program of ${NAME}`);
  await writeFile(join(project, '.npmrc'), 'registry=http://127.0.0.1:1/\nfetch-retries=0\n');
  expect(await ensureNpmPackage(project, FOLDER, around)).toBe(folder);
});

test('a package that npm does not give, or that the lock file has not, is said', async () => {
  await lock({ [`${FOLDER}-absent`]: { version: '1.0.0', integrity: 'sha512-x' } });
  await expect(ensureNpmPackage(project, `${FOLDER}-absent`, around)).rejects.toThrow(
    new RegExp(
      `^npm does not give ${NAME}-absent@1\\.0\\.0 \\(npm pack, code 1\\)\\. Check that the registry of npm answers and has this package:`,
    ),
  );
  await expect(ensureNpmPackage(project, `${FOLDER}-unknown`, around)).rejects.toThrow(
    `package-lock.json has no package ${NAME}-unknown with a digest: this platform cannot be built`,
  );
});
