// The page of labels and annotations has every name below zonestead.dev that the code and the chart use, and no other.
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/docs/document.ts';

const read = (path: string) => readFile(`${PROJECT}${path}`, 'utf8');
const NAME = /\b(?:acme\.)?zonestead\.dev\/[a-z][a-z-]*[a-z]\b/g;
/** API versions and addresses of deployments in examples. */
const isName = (text: string) => !/\/v\d|\/v$/.test(text);

async function namesIn(pattern: string): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(pattern, { cwd: PROJECT })) found.push(...((await read(file)).match(NAME) ?? []));
  return found;
}

test('the page of labels and annotations has the names that the code and the chart use', async () => {
  const used = new Set(
    (await Promise.all(['src/**/*.ts', 'charts/zonestead/templates/*.{yaml,tpl}'].map(namesIn))).flat().filter(isName),
  );
  expect(used.size).toBeGreaterThan(12);
  const documented = new Set((await namesIn('docs/reference/labels-annotations.md')).filter(isName));
  expect([...documented].sort()).toEqual([...used].sort());
});
