// Rules about the files of the project, as tests: generated files, sizes, versions. The checks run in parallel with the
// tests (test/support/runner/checks.ts).
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import journal from '#store/migrations/meta/_journal.json' with { type: 'json' };
import { crdFiles } from '../../charts/tools/crds.ts';
import { findCircles } from './import-circles.support.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

async function filesBelow(folder: string, ending: string): Promise<string[]> {
  const entries = await readdir(`${ROOT}/${folder}`, { recursive: true });
  return entries.filter((entry) => entry.endsWith(ending)).map((entry) => `${folder}/${entry}`);
}

test('the project has in crds/ the files that the schemas generate, and no other file', async () => {
  const wanted = crdFiles();
  expect((await readdir(`${ROOT}/crds`)).sort()).toEqual([...wanted.keys()].sort());
  for (const [file, text] of wanted) expect(await readFile(`${ROOT}/crds/${file}`, 'utf8')).toBe(text);
});

test('the project lets only the service use the database of its context', async () => {
  const folders = ['src/http', 'src/doors', 'src/console'];
  const others = (await Promise.all(folders.map((folder) => filesBelow(folder, '.ts')))).flat();
  expect(others.length).toBeGreaterThan(50);
  const texts = await Promise.all(others.map((file) => readFile(`${ROOT}/${file}`, 'utf8')));
  expect(others.filter((_, at) => /\bcontext\.db\b|\bdb\b[^'"`]*\} = context/.test(texts[at] ?? ''))).toEqual([]);
});

test('the project has no file of more than 400 lines', async () => {
  const long: string[] = [];
  for (const file of (
    await Promise.all(['src', 'test', 'deploy', 'charts'].map((folder) => filesBelow(folder, '.ts')))
  ).flat()) {
    const lines = (await readFile(`${ROOT}/${file}`, 'utf8')).split('\n').length;
    if (lines > 401) long.push(`${file}: ${lines}`);
  }
  expect(long).toEqual([]);
});

test('the project has comment lines of at most 120 characters, except in drawings and aligned lists', async () => {
  const wrong: string[] = [];
  for (const folder of ['src', 'test', 'deploy', 'charts', 'docs']) {
    for (const file of await filesBelow(folder, '.ts')) {
      const lines = (await readFile(`${ROOT}/${file}`, 'utf8')).split('\n');
      for (const [at, line] of lines.entries())
        if (line.length > 120 && /^\s*(\/\/ ?|\/\*\*|\* )\S/.test(line) && !/[─→]|\S {3,}\S/.test(line))
          wrong.push(`${file}:${at + 1}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the project says at the head of every source file what it is for', async () => {
  const silent: string[] = [];
  for (const file of [...(await filesBelow('src', '.ts')), ...(await filesBelow('deploy', '.ts'))]) {
    if (!/^(\/\/|\/\*)/.test(await readFile(`${ROOT}/${file}`, 'utf8'))) silent.push(file);
  }
  expect(silent).toEqual([]);
});

test('the project writes imports between rooms with #, and imports within a room relative to the file', async () => {
  const wrong: string[] = [];
  for (const file of await filesBelow('src', '.ts')) {
    const room = file.split('/')[1];
    for (const [, name = ''] of (await readFile(`${ROOT}/${file}`, 'utf8')).matchAll(
      /(?:from|import\()\s*'(\.[^']+)'/g,
    )) {
      const target = join(dirname(file), name);
      if (target.startsWith('src/') && target.split('/')[1] !== room) wrong.push(`${file}: ${name}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the project has no circles of imports, imports of types included', async () => {
  const files = await filesBelow('src', '.ts');
  const texts = await Promise.all(files.map((file) => readFile(`${ROOT}/${file}`, 'utf8')));
  const circles = findCircles(new Map(files.map((file, at) => [file, texts[at] ?? ''])));
  expect(circles).toEqual([]);
});

test('the project finds circles of imports of values and of types, also of a file that exports what it imports', () => {
  const files = new Map([
    ['src/a/one.ts', "import { two } from './two.ts';\nimport '#b/alone.ts';"],
    ['src/a/two.ts', "export { three } from './three.ts';"],
    ['src/a/three.ts', "import type {\n  One,\n} from './one.ts';"],
    ['src/b/alone.ts', "const later = () => import('./last.ts');"],
    ['src/b/last.ts', "import { z } from 'zod';"],
  ]);
  expect(findCircles(files)).toEqual([['src/a/one.ts', 'src/a/three.ts', 'src/a/two.ts']]);
});

test('the project applies migrations in the order of their numbers', () => {
  const tags = journal.entries.map(({ tag }) => tag);
  expect(tags).toEqual([...tags].sort());
  const times = journal.entries.map(({ when }) => when);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('the project has at most fourteen scripts of npm, which run under the Node that the lock file pins', async () => {
  const { scripts } = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(14);
  for (const script of Object.values(scripts)) {
    const [, program] = /deploy\/local\/node\.sh (?:--\S+ )*(\S+)/.exec(script) ?? [];
    if (program !== undefined) await readFile(`${ROOT}/${program}`);
  }
});

test('the project runs under the Node that the lock file pins', () => {
  expect(process.versions.node.split('.')[0]).toBe('26');
});
