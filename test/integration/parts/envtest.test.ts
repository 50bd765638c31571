// Prebuilt Kubernetes programs from a local index, by the real setup-envtest: an archive with the right digest is used,
// and any other network makes `npm run up` build the programs.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureEnvtest } from '../../../deploy/local/parts/envtest.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const BUILD_MS = 600_000;
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

/** A server of an index with one archive. */
function release(digest: string, sendArchive: (answer: Parameters<RequestListener>[1]) => void): Promise<string> {
  return listen((request, answer) => {
    if (request.url !== '/index.yaml') return sendArchive(answer);
    const selfLink = `http://${request.headers.host}/${NAME}`;
    answer.end(JSON.stringify({ releases: { 'v1.36.2': { [NAME]: { hash: digest, selfLink } } } }));
  });
}

const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex');
let caches = 0;
const limits = { answerMs: 5_000, stallMs: 10_000 };
async function ensure(base: string, hasty: Partial<typeof limits> = {}): Promise<{ dir: string; root: string }> {
  caches += 1;
  const root = join(folder, `cache-${caches}`);
  return {
    root,
    dir: await ensureEnvtest({
      index: `${base}/index.yaml`,
      root,
      limits: { ...limits, ...hasty },
      progress: () => {},
      signal,
    }),
  };
}
/** Nothing incomplete stays in the cache: the next start asks again. */
const entries = async () =>
  (await readdir(join(folder, `cache-${caches}`))).filter((name) => name.startsWith('envtest-'));

test('the programs of an archive with the right digest run', { timeout: BUILD_MS }, async () => {
  const { dir, root } = await ensure(await release(sha512(archive), (answer) => answer.end(archive)));
  expect((await readdir(dir)).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
  expect((await run(join(dir, 'kubectl'))).out).toBe('kubectl 1.36.2');
  // The second start asks nobody.
  expect(await ensureEnvtest({ index: 'http://127.0.0.1:1/', root, progress: () => {}, signal })).toBe(dir);
});

test('an archive with another digest is refused', { timeout: BUILD_MS }, async () => {
  const base = await release(sha512(Buffer.from('another')), (answer) => answer.end(archive));
  await expect(ensure(base)).rejects.toThrow('checksum mismatch');
  expect(await entries()).toEqual([]);
});

test('an archive that stops in the middle is given up', { timeout: BUILD_MS }, async () => {
  const base = await release(sha512(archive), (answer) => {
    answer.writeHead(200, { 'content-length': archive.length });
    answer.write(archive.subarray(0, 10));
  });
  await expect(ensure(base, { stallMs: 1_000 })).rejects.toThrow(/nothing arrived for 1 s/);
  expect(await entries()).toEqual([]);
});

test('a server of archives that refuses is named, before any tool is built', async () => {
  const base = await release(sha512(archive), (answer) => answer.writeHead(403).end());
  await expect(ensure(base)).rejects.toThrow(`${base}/${NAME}: status 403`);
});

test('a network that hangs is given up after seconds', { timeout: 120_000 }, async () => {
  const base = await listen(() => undefined);
  await expect(ensure(base, { answerMs: 500 })).rejects.toThrow(`${base}/index.yaml: no answer within 0.5 s`);
});

test('a network that refuses is given up at once', async () => {
  await expect(ensure('http://127.0.0.1:1')).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1\/index\.yaml: /);
});
