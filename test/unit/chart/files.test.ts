// The generated files of the chart are up to date.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { chartFiles } from '../../../charts/tools/chart.ts';
import { readValues } from '../../../charts/tools/value-comments.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;

test('the committed files equal the output of `npm run generate`', async () => {
  for (const [path, text] of await chartFiles()) expect(await readFile(`${ROOT}${path}`, 'utf8'), path).toBe(text);
});

test('the schema has every value of values.yaml', async () => {
  const schema = JSON.parse(await readFile(`${ROOT}charts/zonestead/values.schema.json`, 'utf8'));
  const values = readValues(await readFile(`${ROOT}charts/zonestead/values.yaml`, 'utf8'));
  expect(values.length).toBeGreaterThan(100);
  const resolved = (node: { $ref?: string } | undefined) =>
    node?.$ref === undefined ? node : schema.$defs[node.$ref.replace('#/$defs/', '')];
  for (const { path } of values) {
    let node = schema;
    for (const part of path.split('.')) node = resolved(node?.properties?.[part] ?? node?.additionalProperties);
    expect(node, path).toBeDefined();
  }
});

test('Chart.yaml has the newest section of the change log, and the version of the project', async () => {
  const text = async (file: string) => readFile(`${ROOT}${file}`, 'utf8');
  const chart = parse(await text('charts/zonestead/Chart.yaml'));
  const [, version, body = ''] =
    /^## (\S+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(await text('charts/zonestead/CHANGELOG.md')) ?? [];
  expect(chart.version).toBe(version);
  expect(chart.appVersion).toBe(JSON.parse(await text('package.json')).version);
  const lines = [...body.matchAll(/^- (\w+): (.*)$/gm)].map(([, kind, description]) => ({ kind, description }));
  expect(parse(chart.annotations['artifacthub.io/changes'])).toEqual(lines);
  expect(lines.length).toBeGreaterThan(0);
});

test('comments become descriptions, line after line', () => {
  const text = '# -- The first\n# -- value\na: 1\nb:\n  # -- Inner\n  c: []\n  d: ""\n# no description\ne: { x: y }\n';
  expect(readValues(text)).toEqual([
    { path: 'a', default: '1', description: 'The first value' },
    { path: 'b', default: undefined, description: '' },
    { path: 'b.c', default: '[]', description: 'Inner' },
    { path: 'b.d', default: '""', description: '' },
    { path: 'e', default: '{ x: y }', description: '' },
  ]);
});

test('values.schema.json defines each shared form once, and uses every definition', async () => {
  const text = await readFile(`${ROOT}charts/zonestead/values.schema.json`, 'utf8');
  const defined = Object.keys(JSON.parse(text).$defs);
  const used = new Set([...text.matchAll(/"\$ref": "#\/\$defs\/(\w+)"/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual(defined.sort());
  expect(text.split('\n').length).toBeLessThan(1_550);
});

test('crds/ is a link into the chart, and the chart has no links, because Flux leaves links out of a GitRepository', async () => {
  expect(await readlink(`${ROOT}crds`)).toBe('charts/zonestead/files/crds');
  const entries = await readdir(`${ROOT}charts/zonestead`, { recursive: true, withFileTypes: true });
  expect(entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)).toEqual([]);
  expect(entries.map(({ name }) => name)).toContain('zonestead.dev_dnszones.yaml');
});

test('no template has a random value, a time, or a list in the order of a map: a second rendering is the same', async () => {
  const folder = `${ROOT}charts/zonestead/templates`;
  const random = /\b(rand[A-Z]\w+|uuidv4|gen(CA|PrivateKey|SelfSigned\w*|Signed\w*)|bcrypt|htpasswd|shuffle|now|ago)\b/;
  const found: string[] = [];
  for (const file of (await readdir(folder, { recursive: true })).filter((name) => /\.(yaml|tpl|txt)$/.test(name))) {
    const text = await readFile(`${folder}/${file}`, 'utf8');
    for (const [action] of text.matchAll(/\{\{-?(?!\s*\/\*)[\s\S]*?\}\}/g)) {
      const code = action.replaceAll(/"[^"]*"/g, '""');
      if (random.test(code) || (/[({ ](keys|values) [($]/.test(code) && !code.includes('sortAlpha')))
        found.push(action);
    }
  }
  expect(found).toEqual([]);
});
