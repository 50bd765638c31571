// A release in a real registry: its images, signatures, bills of materials, command line and chart, a second run, and a
// run that fails halfway. cosign, openssl and Helm verify the signatures.
import { createHash } from 'node:crypto';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectVersion } from '../../../../deploy/image/images.ts';
import type { Architecture } from '../../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { ensureCosign } from '../../../../deploy/release/cosign.ts';
import { type BuiltRelease, publish, type ReleaseOptions } from '../../../../deploy/release/publish.ts';
import type { Manifest } from '../../../../deploy/release/registry.ts';
import { helm, parseObjects, template } from '../../../support/chart/chart.ts';
import { startRegistry, type TestRegistry } from '../../../support/release/registry.ts';
import { chartKeys, signingKeys, smallRelease } from '../../../support/release/release.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const VERSION = projectVersion();
const SIGNER = 'Releases <releases@example.net>';
let folder: string;
let registry: TestRegistry;
let cosign: string;
let release: BuiltRelease;
let keys: [string, string];
let chartKey: [string, string];

beforeAll(async () => {
  cosign = await ensureCosign({ progress: (line) => process.stdout.write(`${line}\n`), signal });
  folder = await temporaryFolder('release');
  registry = await startRegistry({ folder: await temporaryFolder('registry'), login: true });
  release = await smallRelease(join(folder, 'images'), 'one');
  keys = await signingKeys(folder, 'release');
  chartKey = await chartKeys(folder, SIGNER);
}, 1_200_000);
afterAll(() => registry?.stop());

const access = () => ({ authFile: registry.authFile, caFile: registry.authority.certificateFile });

/** @returns the lines that it prints */
async function run(path: string, more: Partial<ReleaseOptions> = {}, make = async () => release): Promise<string[]> {
  const lines: string[] = [];
  const options = { registry: `${registry.host}/${path}`, ...access(), ...more };
  await publish(options, make, join(folder, 'out'), (line) => lines.push(line), signal);
  return lines;
}

/** By the commands that docs/how-to/publish-a-release.md names. */
async function verify(what: 'signature' | 'attestation', publicKey: string, reference: string) {
  const env = {
    ...process.env,
    DOCKER_CONFIG: join(registry.authFile, '..'),
    SSL_CERT_FILE: registry.authority.certificateFile,
  };
  const kind = what === 'signature' ? ['verify'] : ['verify-attestation', '--type', 'cyclonedx'];
  const args = [...kind, '--key', publicKey, '--insecure-ignore-tlog=true', reference];
  const { code, out, tail } = await runCommand({ command: cosign, args, env, timeoutMs: 120_000, signal });
  return { ok: code === 0, out, tail };
}

/** The manifest or index of the registry, as `skopeo inspect --raw` shows it. */
async function inspect(reference: string): Promise<Manifest> {
  const access = ['--authfile', registry.authFile, '--cert-dir', await folderOf(registry.authority)];
  const args = ['inspect', '--raw', ...access, `docker://${reference}`];
  const { code, out, tail } = await runCommand({ command: 'skopeo', args, timeoutMs: 120_000, signal });
  expect(code, tail).toBe(0);
  return JSON.parse(out);
}

/** skopeo reads authorities from files of a folder that end with .crt. */
async function folderOf({ certificateFile }: TestRegistry['authority']): Promise<string> {
  const target = await temporaryFolder('authority');
  await copyFile(certificateFile, join(target, 'ca.crt'));
  return target;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const withAccess = (...args: string[]) =>
  helm(...args, '--registry-config', registry.authFile, '--ca-file', registry.authority.certificateFile);

/** The published chart, unpacked, and the images that it names without any value. */
async function publishedChart(path: string): Promise<{ chart: string; images: string[] }> {
  const target = join(folder, 'pulled', path);
  await rm(target, { recursive: true, force: true });
  const from = [`oci://${registry.host}/${path}/charts/zonestead`, '--version', VERSION];
  const { ok, words } = await withAccess('pull', ...from, '--untar', '--untardir', target);
  expect(ok, words).toBe(true);
  const { text } = await template({}, { chart: join(target, 'zonestead') });
  const images = JSON.stringify(parseObjects(text)).matchAll(/"image":"([^"]+)"/g);
  return { chart: join(target, 'zonestead'), images: [...new Set([...images].map(([, image = '']) => image))] };
}

describe('a signed release', () => {
  const PATH = 'dns/signed';
  const options = () => ({ signKey: keys[0], chartKey: chartKey[0], chartSigner: 'releases@example.net' });
  let printed: string[];

  beforeAll(async () => {
    printed = await run(PATH, { ...options(), home: 'https://dns.example.net', artifactHubId: 'an-id' });
  });

  test('a signed release has a chart that names its own images by digest, each signed', async () => {
    const { images } = await publishedChart(PATH);
    expect(images.map((image) => image.replace(/sha256:[0-9a-f]{64}$/, 'digest')).sort()).toEqual(
      ['nameserver', 'postgres', 'zonestead'].map((name) => `${registry.host}/${PATH}/${name}@digest`),
    );
    for (const image of images) {
      const { ok, out, tail } = await verify('signature', keys[1], image);
      expect(ok, tail).toBe(true);
      expect(JSON.parse(out)[0].critical).toMatchObject({
        identity: { 'docker-reference': image.replace(/@.*/, `:${VERSION}`) },
        image: { 'docker-manifest-digest': image.split('@')[1] },
      });
    }
  });

  test('a signed release ends with the command that installs it', () => {
    const chart = `oci://${registry.host}/${PATH}/charts/zonestead --version ${VERSION}`;
    expect(printed.at(-1)).toBe(`install it: helm install zonestead ${chart}`);
  });

  test('a signed release is refused with another key', async () => {
    const [, other] = await signingKeys(folder, 'other');
    const image = `${registry.host}/${PATH}/zonestead:${VERSION}`;
    expect((await verify('signature', other, image)).ok).toBe(false);
    expect((await verify('attestation', other, image)).ok).toBe(false);
  });

  test('a signed release has no bill of materials of the command line, and cosign refuses it', async () => {
    const { ok, tail } = await verify('attestation', keys[1], `${registry.host}/${PATH}/cli:${VERSION}`);
    expect(ok).toBe(false);
    expect(tail).toContain('no matching attestations');
  });

  const billOf = async (reference: string) => {
    const { ok, out, tail } = await verify('attestation', keys[1], reference);
    expect(ok, tail).toBe(true);
    return JSON.parse(Buffer.from(JSON.parse(out).payload, 'base64').toString()).predicate;
  };
  const builtBill = async (name: string, architecture: Architecture) => {
    const { bills } = release.images.find((image) => image.name === name) as BuiltRelease['images'][0];
    return JSON.parse(await readFile(bills[architecture] ?? '', 'utf8'));
  };

  test.each(['zonestead', 'postgres'])('a signed release has the signed bill of materials of %s', async (name) => {
    expect(await billOf(`${registry.host}/${PATH}/${name}:${VERSION}`)).toEqual(await builtBill(name, 'x64'));
  });

  test('a signed release of two platforms has one digest for both, and each platform has a signature and its own bill of materials', async () => {
    const image = `${registry.host}/${PATH}/nameserver`;
    const { manifests } = await inspect(`${image}:${VERSION}`);
    expect(manifests?.map(({ platform }) => platform)).toEqual([
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ]);
    for (const [at, architecture] of (['x64', 'arm64'] as const).entries()) {
      const reference = `${image}@${manifests?.[at]?.digest}`;
      expect(await verify('signature', keys[1], reference)).toMatchObject({ ok: true });
      expect(await billOf(reference)).toEqual(await builtBill('nameserver', architecture));
      expect(await inspect(reference)).toMatchObject({ layers: [{ mediaType: expect.stringContaining('tar+gzip') }] });
    }
  });

  test('a signed release has a chart whose signature and provenance file are valid', async () => {
    const chart = `${registry.host}/${PATH}/charts/zonestead`;
    const { ok, tail } = await verify('signature', keys[1], `${chart}:${VERSION}`);
    expect(ok, tail).toBe(true);
    const pull = ['pull', `oci://${chart}`, '--version', VERSION, '--destination', folder, '--verify'];
    const verified = await withAccess(...pull, '--keyring', chartKey[1]);
    expect(verified.ok, verified.words).toBe(true);
    const [, wrong] = await chartKeys(await temporaryFolder('gpg'), SIGNER);
    expect((await withAccess(...pull, '--keyring', wrong)).ok).toBe(false);
  });

  test('a signed release has the given address and its images in the metadata of the chart, and the values keep their comments', async () => {
    const { chart, images } = await publishedChart(PATH);
    const [metadata] = parseObjects(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as unknown as [
      { home: string; annotations: Record<string, string> },
    ];
    expect(metadata.home).toBe('https://dns.example.net');
    for (const image of images) expect(metadata.annotations['artifacthub.io/images']).toContain(image.split('@')[1]);
    expect(await readFile(join(chart, 'values.yaml'), 'utf8')).toContain('# -- Registry of all images');
  });

  test('a signed release has the command line as an artifact whose layers name its files, signed', async () => {
    const reference = `${registry.host}/${PATH}/cli:${VERSION}`;
    const target = join(folder, 'artifact');
    const access = ['--src-authfile', registry.authFile, '--src-cert-dir', await folderOf(registry.authority)];
    const args = ['--insecure-policy', 'copy', ...access, `docker://${reference}`, `dir:${target}`];
    const { code, tail } = await runCommand({ command: 'skopeo', args, timeoutMs: 120_000, signal });
    expect(code, tail).toBe(0);
    const { layers } = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8')) as Manifest;
    const files = new Map<string, string>();
    for (const { digest, annotations = {} } of layers ?? []) {
      const text = await readFile(join(target, digest.replace('sha256:', '')), 'utf8');
      files.set(annotations['org.opencontainers.image.title'] ?? '', text);
    }
    expect([...files.keys()]).toEqual(['zonestead', 'zonestead.tgz', 'SHA256SUMS']);
    for (const name of ['zonestead', 'zonestead.tgz']) {
      expect(files.get(name)).toBe(`${name} one`);
      expect(files.get('SHA256SUMS')).toContain(`${sha256(`${name} one`)}  ${name}\n`);
    }
    expect(await verify('signature', keys[1], reference)).toMatchObject({ ok: true });
  });

  test('a signed release has digests of the files of the command line, and a signature of them', async () => {
    const { folder: cwd } = release.commandLine;
    const check = async (...[command = '', ...args]: string[]) =>
      (await runCommand({ command, args, cwd, timeoutMs: 120_000, signal })).code;
    const verified = ['openssl', 'dgst', '-sha256', '-signature', 'SHA256SUMS.sig', '-verify'];
    expect(await check('sha256sum', '--check', 'SHA256SUMS')).toBe(0);
    expect(await check(...verified, keys[1], 'SHA256SUMS')).toBe(0);
    const [, other] = await signingKeys(folder, 'another');
    expect(await check(...verified, other, 'SHA256SUMS')).not.toBe(0);
    await writeFile(join(cwd, 'zonestead'), 'another program');
    expect(await check('sha256sum', '--check', 'SHA256SUMS')).not.toBe(0);
    await writeFile(join(cwd, 'zonestead'), 'zonestead one');
  });

  test('a signed release is not pushed again by a second run', async () => {
    const before = await registry.contents();
    const again = await run(PATH, { ...options(), home: 'https://dns.example.net' });
    expect(await registry.contents()).toEqual(before);
    expect(again.filter((line) => line.endsWith(' pushed'))).toEqual([]);
  });

  test('a signed release can be signed with a second key, and the first signature stays', async () => {
    const [file, publicKey] = await signingKeys(folder, 'second', 'a passphrase');
    const passphraseFile = join(folder, 'passphrase');
    await writeFile(passphraseFile, 'a passphrase\n');
    const home = 'https://dns.example.net';
    await run(PATH, { signKey: file, signPassphraseFile: passphraseFile, home });
    const image = `${registry.host}/${PATH}/zonestead:${VERSION}`;
    expect(await verify('signature', publicKey, image)).toMatchObject({ ok: true });
    expect(await verify('signature', keys[1], image)).toMatchObject({ ok: true });
  });
});

test('an image that another publisher puts under a signed tag has no valid signature and no bill of materials', async () => {
  await run('dns/replaced', { signKey: keys[0] });
  const image = `${registry.host}/dns/replaced/zonestead:${VERSION}`;
  expect(await verify('signature', keys[1], image)).toMatchObject({ ok: true });
  const { images } = await smallRelease(join(folder, 'replaced'), 'two');
  const access = ['--dest-authfile', registry.authFile, '--dest-cert-dir', await folderOf(registry.authority)];
  const file = `oci-archive:${images[0]?.archive.file}`;
  const args = ['--insecure-policy', 'copy', ...access, file, `docker://${image}`];
  const { code, tail } = await runCommand({ command: 'skopeo', args, timeoutMs: 120_000, signal });
  expect(code, tail).toBe(0);
  expect((await verify('signature', keys[1], image)).tail).toContain('no signatures found');
  expect((await verify('attestation', keys[1], image)).tail).toContain('no matching attestations');
});

test('a version that is published with other content is refused before anything is pushed', async () => {
  await run('dns/kept');
  const before = await registry.contents();
  const other = await smallRelease(join(folder, 'other'), 'two');
  await expect(run('dns/kept', {}, async () => other)).rejects.toThrow(
    `dns/kept/zonestead:${VERSION} is published with other content, and a published version is never overwritten. Raise the version`,
  );
  expect(await registry.contents()).toEqual(before);
});

test('a command line that is published with other content is refused before anything is pushed', async () => {
  await run('dns/program');
  const before = await registry.contents();
  const { commandLine } = await smallRelease(join(folder, 'program'), 'two');
  await expect(run('dns/program', {}, async () => ({ ...release, commandLine }))).rejects.toThrow(
    `dns/program/cli:${VERSION} is published with other content, and a published version is never overwritten. Raise the version`,
  );
  expect(await registry.contents()).toEqual(before);
});

test('a release that failed halfway has no chart, and the next run completes it', async () => {
  const [first, second, third] = release.images as [
    BuiltRelease['images'][0],
    BuiltRelease['images'][0],
    BuiltRelease['images'][0],
  ];
  const lost = { ...third, archive: { ...third.archive, file: join(folder, 'lost.tar') } };
  const images = [first, second, lost];
  await expect(run('dns/halfway', {}, async () => ({ ...release, images }))).rejects.toThrow('lost.tar');
  expect((await registry.contents()).filter((path) => path.includes('/dns/halfway/charts/'))).toEqual([]);
  const printed = await run('dns/halfway');
  expect(printed.map((line) => line.replace(/^\S+\/(\w+):\S+@\S+ /, '$1 '))).toEqual([
    'zonestead is there already',
    'nameserver is there already',
    'postgres pushed',
    'cli pushed',
    'zonestead pushed',
    'nothing is signed: add --sign-key to sign images and chart',
    expect.stringMatching(/^install it: helm install/),
  ]);
});
