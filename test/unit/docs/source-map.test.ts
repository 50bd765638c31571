// src/README.md names every room with the imports that the linter permits, and leads to files that exist.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/docs/document.ts';

const SRC = join(PROJECT, 'src');
const text = await readFile(join(SRC, 'README.md'), 'utf8');
const section = (name: string) => text.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
/** The cells of a table without its head; "/" in code stays. */
const rows = (part: string) =>
  part
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .slice(2);
const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

const ALWAYS = ['base', 'telemetry'];
const rooms = new Map(rows(section('Rooms')).map(([, room, , imports]) => [codeIn(room)[0], codeIn(imports)]));

test('the map of the source has a row for every room', async () => {
  const entries = await readdir(SRC, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect([...rooms.keys()].sort()).toEqual(folders.sort());
});

test('the map of the source permits in each row the imports that the linter permits', async () => {
  const { overrides } = JSON.parse(await readFile(join(PROJECT, 'biome.json'), 'utf8'));
  for (const [room, imports] of rooms) {
    const override = overrides.find(({ includes }: { includes: string[] }) => includes[0] === `src/${room}/**`);
    const group: string[] = override.linter.rules.style.noRestrictedImports.options.patterns[0].group;
    const permitted = group.flatMap((pattern) => /^!#\{?([^}*]+)\}?\/\*\*$/.exec(pattern)?.[1]?.split(',') ?? []);
    const others = permitted.filter((name) => !ALWAYS.includes(name));
    expect([room, [...imports].sort()]).toEqual([room, others.sort()]);
  }
});

test('the map of the source leads to files and folders that exist', () => {
  const tables = ['From a request to its file', 'Where a new line goes'];
  const named = tables.flatMap((name) => rows(section(name)).flatMap(([, , ...cells]) => cells.flatMap(codeIn)));
  const paths = named.filter((code) => /^[\w./-]+(\/|\.\w+)$/.test(code));
  expect(paths.length).toBeGreaterThan(30);
  // In addition to the first path of a row, a name may be one of its folder's.
  const exists = (path: string) =>
    [SRC, PROJECT, join(SRC, 'service'), join(SRC, 'console')].some((folder) => existsSync(join(folder, path)));
  expect(paths.filter((path) => path !== 'metrics.ts' && !exists(path))).toEqual([]);
});
