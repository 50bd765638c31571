// The first screen of README: an example comes before explanations.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_TTL } from '#dns/record.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';

const text = await readFile(join(PROJECT, 'README.md'), 'utf8');
const { blocks } = await readPage('README.md');

test('README has at most 60 words before its first example', () => {
  const words = text.slice(0, text.indexOf('```')).match(/[\p{L}\p{N}][\p{L}\p{N}.-]*/gu) ?? [];
  expect(words.length).toBeGreaterThan(5);
  expect(words.length).toBeLessThanOrEqual(60);
});

test('README shows an object, its state and the answer of DNS, and then the console', () => {
  const [first, second] = blocks;
  expect([first?.language, second?.language]).toEqual(['yaml', 'console']);
  expect(second?.text).toMatch(/^\$ kubectl get zdr [\s\S]*\n\$ dig /);
  expect(text.indexOf('docs/images/console/')).toBeLessThan(text.indexOf('\n## '));
});

test('README has the answer with the TTL that a zone without one has', () => {
  expect(blocks[1]?.text.split('\n').at(-1)).toBe(`www.mine.example.\t${DEFAULT_TTL}\tIN\tA\t192.0.2.1`);
});

test('README has the state of the record as the tutorial shows it, which a test types', async () => {
  const shown = (block: { text: string } | undefined) =>
    /\$ kubectl get zdr mine-www\n.*\n.*/.exec(block?.text ?? '')?.[0];
  const tutorial = (await readPage('docs/tutorials/first-zone.md')).blocks.find((block) => shown(block) !== undefined);
  expect(shown(blocks[1])).toBe(shown(tutorial));
  expect(shown(tutorial)).toBeDefined();
});

test('pages that let a reader write a file of the same name have the same content for it', async () => {
  const tutorials = await Promise.all(
    ['first-zone', 'real-cluster'].map((name) => readPage(`docs/tutorials/${name}.md`)),
  );
  const contents = tutorials.map(({ blocks }) => blocks.find(({ file }) => file === 'mine.yaml')?.text);
  expect(contents[0]).toContain('kind: DNSZone');
  expect(contents[1]).toBe(contents[0]);
});
