// What is made of the chart's values and of crds/ is what lies in the tree.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFiles } from '../../../../src/cli/chart/chart.ts';
import { withValues } from '../../../../src/cli/chart/readme.ts';
import { readValues } from '../../../../src/cli/chart/value-comments.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

it('the tree holds what `npm run chart` makes', async () => {
  for (const [path, text] of await chartFiles()) expect(await readFile(`${ROOT}${path}`, 'utf8'), path).toBe(text);
});

it('every value of values.yaml is one of the schema', async () => {
  const schema = JSON.parse(await readFile(`${ROOT}charts/zonestead/values.schema.json`, 'utf8'));
  const values = readValues(await readFile(`${ROOT}charts/zonestead/values.yaml`, 'utf8'));
  expect(values.length).toBeGreaterThan(100);
  for (const { path } of values) {
    let node = schema;
    for (const part of path.split('.')) node = node?.properties?.[part] ?? node?.additionalProperties;
    expect(node, path).toBeDefined();
  }
});

it('Chart.yaml carries the newest section of the change log, and the version of the project', async () => {
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

it('comments become descriptions, line after line', () => {
  const text = '# -- What\n# -- it is\na: 1\nb:\n  # -- Inner\n  c: []\n  d: ""\n# no description\ne: { x: y }\n';
  expect(readValues(text)).toEqual([
    { path: 'a', default: '1', description: 'What it is' },
    { path: 'b', default: undefined, description: '' },
    { path: 'b.c', default: '[]', description: 'Inner' },
    { path: 'b.d', default: '""', description: '' },
    { path: 'e', default: '{ x: y }', description: '' },
  ]);
});

it('a README without a place for values is refused', () => {
  expect(() => withValues('# nothing', [])).toThrow('the README needs');
});
