// The program `zonestead` as a bundle in the cache, one for each state of the sources. Tests start it some hundred
// times a run, and Node loads it in half of the processor time of src/main.ts with its thousand modules. `npm run up`
// and the image run src/main.ts, and so do all tests if TEST_PROGRAM names it.
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { onlyKubeconfig } from '../../../deploy/cli/only-kubeconfig.ts';
import { cached, cacheKey, cacheRoot, type Progress } from '../../../deploy/local/parts/cache.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;
const NAME = 'program';
/** A bundle that no run used for this time is removed. */
const UNUSED_MS = 6 * 3_600_000;

/** Inputs of the bundle in addition to `src`: the packages, and the code that builds it. */
const OTHER_INPUTS = [
  'package.json',
  'package-lock.json',
  'deploy/cli/only-kubeconfig.ts',
  'test/support/program/program.ts',
];

/** CommonJS packages call `require`; `resolveFrom` stands for import.meta.resolve. */
const BANNER = `import { createRequire as createRequireOfBundle } from 'node:module';
import { pathToFileURL as urlOfBundle } from 'node:url';
const require = createRequireOfBundle(import.meta.url);
const resolveFrom = (file, name) => urlOfBundle(createRequireOfBundle(file).resolve(name)).href;`;

/** The first file of the bundle, which is built if it is missing. @throws Error of esbuild */
export async function ensureProgram(options: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const { TEST_PROGRAM = '' } = process.env;
  if (TEST_PROGRAM !== '') return join(PROJECT, TEST_PROGRAM);
  const key = await keyOfSources();
  const folder = await cached({ ...options, name: NAME, key, fill: buildProgram });
  const now = new Date();
  await utimes(folder, now, now);
  await removeUnused(now);
  return join(folder, 'main.mjs');
}

async function buildProgram(folder: string): Promise<void> {
  await build({
    absWorkingDir: PROJECT,
    entryPoints: ['src/main.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // A command loads only its own modules, as it does in a checkout.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Errors and Drizzle's tables are known by their names, and a stack trace has the names of functions.
    keepNames: true,
    banner: { js: BANNER },
    plugins: [onlyKubeconfig, readCheckout],
    logLevel: 'warning',
  });
}

/** Modules that read files of their folder find those of the checkout. */
const readCheckout: Plugin = {
  name: 'files of the checkout',
  setup: ({ onLoad, onResolve, resolve }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      const contents = text
        .replaceAll('import.meta.resolve(', `resolveFrom(${url}, `)
        .replaceAll('import.meta.url', url);
      return { contents, loader: 'ts' };
    });
    // A package with a compiled library, and one with pages.
    onResolve({ filter: /^(sodium-native|@fastify\/swagger-ui)$/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === RESOLVED) return null;
      const { importer, resolveDir, kind } = from;
      const found = await resolve(path, { importer, resolveDir, kind, pluginData: RESOLVED });
      return { path: found.path, errors: found.errors, external: true };
    });
  },
};
const RESOLVED = Symbol('resolved once');

async function keyOfSources(): Promise<string> {
  const entries = await readdir(join(PROJECT, 'src'), { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = [...sources, ...OTHER_INPUTS.map((name) => join(PROJECT, name))];
  return cacheKey(
    Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const))),
  );
}

async function removeUnused(now: Date): Promise<void> {
  const entries = await readdir(cacheRoot());
  for (const name of entries.filter((entry) => new RegExp(`^${NAME}-[0-9a-f]{16}$`).test(entry))) {
    const folder = join(cacheRoot(), name);
    const used = await stat(folder).catch(() => null);
    if (used !== null && now.getTime() - used.mtimeMs > UNUSED_MS) await rm(folder, { recursive: true, force: true });
  }
}
