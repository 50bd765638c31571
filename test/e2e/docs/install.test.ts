// Types the commands of the pages that bring images to a cluster, word for word: into kind, into the containerd of a
// node, and into a registry, signed. The test of the real node installs from a registry.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { familiar } from '../../../deploy/image/archive.ts';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { cacheRoot } from '../../../deploy/local/parts/cache.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';
import { parseObjects, template } from '../../support/chart/chart.ts';
import { type Checkout, copyCheckout } from '../../support/docs/checkout.ts';
import { PROJECT } from '../../support/docs/document.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell, type Shell } from '../../support/docs/shell.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { startRegistry, type TestRegistry } from '../../support/release/registry.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startContainerd, type TestContainerd } from './containerd.support.ts';

const images = await scenario('images');
const kind = await scenario('images in kind');
const nodes = await scenario('images in containerd');
const published = await scenario('published');
/** The first build of an image on a machine makes all its layers. */
const SECONDS = 380;
const { signal } = new AbortController();
let checkout: Checkout;
let registry: TestRegistry;
let containerd: TestContainerd;
let shell: Shell;

/**
 * Stands for kind, which gives the archive to the containerd of each node; here to a namespace of the one that runs.
 * Without unpacking, because the next commands do that.
 */
const KIND = `#!/bin/sh
[ "$1 $2" = 'load image-archive' ] || exit 2
exec ctr --namespace=kind images import --all-platforms --digests --no-unpack - <"$3"
`;
/** The reader answers the questions of gpg with this passphrase. */
const PASSPHRASE = 'a-passphrase';

/** The pages say that the reader has them. */
const TOOLS = ['skopeo', 'gpg', 'gpg-agent', 'gpgconf', 'openssl'].map((name) => ({ command: name, package: name }));

beforeAll(async () => {
  await ensureTools(TOOLS, { progress: (line) => process.stdout.write(`${line}\n`), signal });
  const [helm, home, bin] = [
    await ensureHelm({ progress: (line) => process.stdout.write(`${line}\n`), signal }),
    await temporaryFolder('home'),
    await temporaryFolder('bin'),
  ];
  checkout = await copyCheckout();
  registry = await startRegistry({ folder: await temporaryFolder('registry'), login: true });
  containerd = await startContainerd(await temporaryFolder('containerd'));
  await writeFile(join(bin, 'kind'), KIND);
  await chmod(join(bin, 'kind'), 0o755);
  await mkdir(join(home, '.gnupg'), { mode: 0o700 });
  const secret = join(checkout.folder, 'chart-passphrase.txt');
  await writeFile(secret, PASSPHRASE);
  await writeFile(join(home, '.gnupg/gpg.conf'), `batch\npinentry-mode loopback\npassphrase-file ${secret}\n`);
  await writeFile(join(checkout.folder, 'password.txt'), 'a-password');
  const env = {
    PATH: [bin, dirname(helm), `${PROJECT}node_modules/.bin`, process.env.PATH].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    XDG_CACHE_HOME: dirname(cacheRoot()),
    CONTAINERD_ADDRESS: containerd.socket,
    SSL_CERT_FILE: registry.authority.certificateFile,
    ...COMPILED,
  };
  shell = openShell({ cwd: checkout.folder, env });
}, 1_200_000);
afterAll(async () => {
  await shell?.type('gpgconf --kill gpg-agent');
  await shell?.close();
  await containerd?.stop();
  await registry?.stop();
  await checkout?.remove();
});

const own = () => ({ 'registry.example.net': registry.host, USER: 'tester' });
const typeAll = (steps: typeof images) =>
  test.each(steps)('$text works', async (step) => void (await follow(step, { shell, own: own(), seconds: SECONDS })));

/** The images of the chart with its default values, as containerd names them. */
async function imagesOfChart(): Promise<string[]> {
  const { ok, text } = await template({});
  if (!ok) throw new Error(text);
  const named = JSON.stringify(parseObjects(text)).matchAll(/"image":"([^"]+)"/g);
  return [...new Set([...named].map(([, image = '']) => familiar(image)))].sort();
}

describe('the pages that bring images to a cluster', () => {
  typeAll(images);

  describe('kind', () => {
    typeAll(kind);

    test('kind has every image of the chart', async () => {
      expect(await containerd.images('kind')).toEqual(expect.arrayContaining(await imagesOfChart()));
    });
  });

  describe('the containerd of a node', () => {
    typeAll(nodes);

    test('the containerd of a node has every image of the chart', async () => {
      expect(await containerd.images('k8s.io')).toEqual(expect.arrayContaining(await imagesOfChart()));
    });
  });

  describe('a registry', () => {
    typeAll(published);
  });
});
