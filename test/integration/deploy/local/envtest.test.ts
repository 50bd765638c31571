// Prebuilt Kubernetes programs from a local server: an archive with the pinned digest is used, and everything else
// makes `npm run up` build the programs.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { ensureEnvtest } from '../../../../deploy/local/parts/envtest.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('envtest');
const platform = `linux-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const NAME = `envtest-v1.36.2-${platform}.tar.gz`;
const { signal } = new AbortController();
const servers: Server[] = [];
let archive: Buffer;

const run = (command: string, ...args: string[]) => runCommand({ command, args, timeoutMs: 60_000, signal });

beforeAll(async () => {
  const programs = join(folder, 'controller-tools/envtest');
  await mkdir(programs, { recursive: true });
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
    await writeFile(join(programs, name), `#!/bin/sh\necho ${name} 1.36.2\n`);
    await chmod(join(programs, name), 0o755);
  }
  const packed = await run(
    'sh',
    '-c',
    `cd '${folder}' && tar -czf archive.tar.gz controller-tools && base64 archive.tar.gz`,
  );
  archive = Buffer.from(packed.out, 'base64');
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex');
let caches = 0;
const limits = { answerMs: 5_000, stallMs: 10_000 };
/** @param pinned the digest that the project has */
async function ensure(
  archives: string,
  { pinned = sha512(archive), ...hasty }: Partial<typeof limits> & { pinned?: string } = {},
): Promise<{ dir: string; root: string }> {
  caches += 1;
  const root = join(folder, `cache-${caches}`);
  const digests = { [platform]: pinned };
  const dir = await ensureEnvtest({
    ...{ archives, root, digests, signal },
    limits: { ...limits, ...hasty },
    progress: () => {},
  });
  return { root, dir };
}
/** Nothing incomplete stays in the cache: the next start asks again. */
const entries = async () =>
  (await readdir(join(folder, `cache-${caches}`))).filter((name) => name.startsWith('envtest-'));

test('the programs of the pinned archive run, and a second start asks no server', async () => {
  const { dir, root } = await ensure(await listen((_, answer) => answer.end(archive)));
  expect((await readdir(dir)).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
  expect((await run(join(dir, 'kubectl'))).out).toBe('kubectl 1.36.2');
  const digests = { [platform]: sha512(archive) };
  expect(await ensureEnvtest({ archives: 'http://127.0.0.1:1/', root, digests, progress: () => {}, signal })).toBe(dir);
});

test('an archive with another digest is refused with both digests and the file that pins one, and nothing stays', async () => {
  const base = await listen((_, answer) => answer.end(archive));
  const pinned = sha512(Buffer.from('another'));
  await expect(ensure(base, { pinned })).rejects.toThrow(
    `${base}/${NAME}: the content has the SHA-512 digest ${sha512(archive)}, and not ${pinned}, so it is not used. If the publisher gives the new digest on another way too, write it into deploy/local/parts/envtest.ts`,
  );
  expect(await entries()).toEqual([]);
});

test('the project pins the archive of each platform of Linux', async () => {
  const base = await listen((_, answer) => answer.end(archive));
  const root = join(folder, 'cache-of-the-project');
  await expect(ensureEnvtest({ archives: base, root, limits, progress: () => {}, signal })).rejects.toThrow(
    /and not [0-9a-f]{128}, so it is not used/,
  );
});

test('an archive that stops in the middle is given up', async () => {
  const base = await listen((_, answer) => {
    answer.writeHead(200, { 'content-length': archive.length });
    answer.write(archive.subarray(0, 10));
  });
  await expect(ensure(base, { stallMs: 1_000 })).rejects.toThrow(`${base}/${NAME}: nothing arrived for 1 s`);
  expect(await entries()).toEqual([]);
});

test('a server that refuses is named', async () => {
  const base = await listen((_, answer) => answer.writeHead(403).end());
  await expect(ensure(base)).rejects.toThrow(`${base}/${NAME}: status 403`);
});

test('a network that hangs is given up after seconds', async () => {
  const base = await listen(() => undefined);
  await expect(ensure(base, { answerMs: 500 })).rejects.toThrow(`${base}/${NAME}: no answer within 0.5 s`);
});

test('a network that refuses is given up immediately', async () => {
  await expect(ensure('http://127.0.0.1:1')).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1\/envtest-v1\.36\.2-/);
});
