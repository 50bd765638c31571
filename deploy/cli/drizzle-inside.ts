// Puts drizzle into a bundle. src/store/drizzle.ts loads its CommonJS files by a `require` of its own, which esbuild
// does not follow; with the plain one, it does.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

export const drizzleInside: Plugin = {
  name: 'drizzle inside of the bundle',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/store\/drizzle\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const calls = text
        .replace('const load = createRequire(import.meta.url);\n', '')
        .replaceAll(/\bload\(/g, 'require(');
      if (/\bload\(|createRequire\(/.test(calls)) throw new Error(`${path} loads drizzle in a new way; follow it here`);
      return { contents: calls, loader: 'ts' };
    });
  },
};
