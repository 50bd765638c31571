// A registry that answers tags with the content of another publisher: a release signs only what was built here.
import { createHash } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectVersion } from '../../../../deploy/image/images.ts';
import { ensureCosign } from '../../../../deploy/release/cosign.ts';
import { type BuiltRelease, publish } from '../../../../deploy/release/publish.ts';
import type { Manifest } from '../../../../deploy/release/registry.ts';
import { startRegistry, type TestRegistry } from '../../../support/release/registry.ts';
import { signingKeys, smallRelease } from '../../../support/release/release.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const VERSION = projectVersion();
const OCI = 'application/vnd.oci.image.manifest.v1+json';
let folder: string;
let registry: TestRegistry;
let proxy: Server;
let host: string;
let signKey: string;
let ours: BuiltRelease;
/** The manifests that were written, by path. */
const written = new Map<string, Buffer>();
/** The path of the manifest that answers a read of another path. */
const lies = new Map<string, string>();

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

beforeAll(async () => {
  await ensureCosign({ progress: (line) => process.stdout.write(`${line}\n`), signal });
  folder = await temporaryFolder('lying');
  registry = await startRegistry({
    folder: await temporaryFolder('registry'),
    plainHttp: true,
    address: '127.0.0.1',
  });
  const [hostname, port] = registry.host.split(':');
  proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
    const forwarded = request(
      { hostname, port, method: incoming.method, path: (isRead && lies.get(path)) || path, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method === 'PUT' && path.includes('/manifests/')) written.set(path, Buffer.concat(chunks));
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  [signKey] = await signingKeys(folder, 'release');
  ours = await smallRelease(join(folder, 'ours'), 'ours');
}, 1_200_000);
afterAll(async () => {
  proxy?.close();
  await registry?.stop();
});

async function run(path: string, release = ours): Promise<string[]> {
  const lines: string[] = [];
  const options = { registry: `${host}/${path}`, plainHttp: true, signKey };
  await publish(
    options,
    async () => release,
    join(folder, 'out'),
    (line) => lines.push(line),
    signal,
  );
  return lines;
}

const NAMES = ['zonestead', 'nameserver', 'postgres', 'cli', 'charts/zonestead'];
const tagOf = (path: string, name: string) => `/v2/${path}/${name}/manifests/${VERSION}`;
/** Each published part with the digest that the release names. */
const named = (lines: readonly string[]) =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = '', digest = ''] = /^[^/]+\/\w+\/(\S+):\S+@(sha256:\S+) /.exec(line) ?? [];
      return name === '' ? [] : [[name, digest]];
    }),
  );
/** The digests that have a signature. */
async function signedBelow(path: string): Promise<string[]> {
  const tags = (await registry.contents()).flatMap(
    (file) => /repositories\/(\w+)\/.*\/tags\/sha256-([0-9a-f]+)\.sig\/current\/link$/.exec(file) ?? [],
  );
  return tags.flatMap((each, at) => (tags[at - 1] === path ? [`sha256:${each}`] : [])).sort();
}

test('a release names and signs what it has written, if the registry answers its tags with something else', async () => {
  await run('theirs', await smallRelease(join(folder, 'theirs'), 'theirs'));
  // The tags do not exist before the first write, so a lie begins with it.
  const stop = lieAfterWrites('lied');
  const digests = named(await run('lied'));
  stop();
  expect(Object.keys(digests)).toEqual(NAMES);
  for (const name of NAMES) expect([name, digests[name]]).toEqual([name, digestOf(writtenAt(tagOf('lied', name)))]);
  const { manifests } = JSON.parse(writtenAt(tagOf('lied', 'nameserver')).toString()) as Manifest;
  const platforms = (manifests ?? []).map(({ digest }) => digest);
  expect(platforms).toHaveLength(2);
  expect(await signedBelow('lied')).toEqual([...Object.values(digests), ...platforms].sort());
});

test('a release that is there is named by the digest of the manifest that was compared, and not asked for again', async () => {
  const first = named(await run('again'));
  const reads = countReads();
  expect(named(await run('again'))).toEqual(first);
  // The first question of a release is whether the registry answers.
  expect(reads.of(tagOf('again', 'zonestead'))).toBe(2);
  expect(reads.of(tagOf('again', 'postgres'))).toBe(1);
});

test('an image with the same configuration and another layer is other content', async () => {
  await run('layers');
  const path = tagOf('layers', 'zonestead');
  const manifest = JSON.parse(writtenAt(path).toString());
  const { layers } = JSON.parse(writtenAt(tagOf('theirs', 'zonestead')).toString());
  for (const { digest } of layers)
    await send('POST', `/v2/layers/zonestead/blobs/uploads/?mount=${digest}&from=theirs/zonestead`);
  expect(await send('PUT', path, JSON.stringify({ ...manifest, layers }))).toBe(201);
  await expect(run('layers')).rejects.toThrow(`layers/zonestead:${VERSION} is published with other content`);
});

function writtenAt(path: string): Buffer {
  const bytes = written.get(path);
  if (bytes === undefined) throw new Error(`nothing was written to ${path}`);
  return bytes;
}

/** Answers each tag below `path` with the one of the other release as soon as it was written. */
function lieAfterWrites(path: string): () => void {
  const timer = setInterval(() => {
    for (const name of NAMES) if (written.has(tagOf(path, name))) lies.set(tagOf(path, name), tagOf('theirs', name));
  }, 1);
  return () => clearInterval(timer);
}

function countReads() {
  const paths: string[] = [];
  proxy.on('request', ({ method, url }) => {
    if (method === 'GET') paths.push(url ?? '');
  });
  return { of: (path: string) => paths.filter((each) => each === path).length };
}

async function send(method: string, path: string, body?: string): Promise<number> {
  const { status } = await fetch(`http://${host}${path}`, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': OCI } }),
  });
  return status;
}
