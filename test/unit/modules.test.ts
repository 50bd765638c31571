// Modules of drizzle-orm are found where Node itself finds them.
import { readFile } from 'node:fs/promises';
import type { ResolveHookContext } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { resolveDrizzle } from '#modules.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';

const MODULES = new URL('../../src/modules.ts', import.meta.url).href;
const folder = dirname(fileURLToPath(import.meta.resolve('drizzle-orm')));
const parentURL = pathToFileURL(join(folder, 'pg-core', 'index.js')).href;
const resolve = (specifier: string, parent: string) => {
  const context: ResolveHookContext = { conditions: [], importAttributes: {}, parentURL: parent };
  return resolveDrizzle(specifier, context, () => ({ url: "Node's" }));
};

it('finds a file relative to the one that names it', () => {
  const [column, entity] = [join(folder, 'pg-core', 'table.js'), join(folder, 'entity.js')].map((file) => ({
    url: pathToFileURL(file).href,
    format: 'module',
    shortCircuit: true,
  }));
  expect(resolve('./table.js', parentURL)).toEqual(column);
  expect(resolve('../entity.js', parentURL)).toEqual(entity);
});

it.each([
  ['a package', 'postgres', parentURL],
  ['a package whose name begins like a file', '.hidden.js', parentURL],
  ["a file of another package's", './index.js', pathToFileURL('/x/node_modules/pino/lib/a.js').href],
  ['a file of ours', './a.ts', import.meta.url],
  ['the first module', '/app/src/main.ts', ''],
])('leaves %s to Node', (_what, specifier, parent) => {
  expect(resolve(specifier, parent)).toEqual({ url: "Node's" });
});

// `type` is the field that the fast path relies on.
it('is right that the files of drizzle-orm are ES modules', async () => {
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).type).toBe('module');
});

it('gives the same modules as Node does', async ({ signal }) => {
  const names = async (before: string) => {
    const program = `${before} for (const name of ['drizzle-orm', 'drizzle-orm/postgres-js', 'drizzle-orm/pg-core'])
      console.log(name, import.meta.resolve(name), Object.keys(await import(name)).sort().join(' '));`;
    const args = ['--input-type=module', '-e', program];
    const { code, out } = await runCommand({
      command: process.execPath,
      args,
      cwd: folder,
      timeoutMs: 120_000,
      signal,
    });
    expect(code).toBe(0);
    return out;
  };
  const own = await names('');
  expect(own).toMatch(/drizzle-orm .*\bsql\b/);
  expect(await names(`(await import('${MODULES}')).hastenImports();`)).toBe(own);
});
