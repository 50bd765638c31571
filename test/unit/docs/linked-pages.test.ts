// Messages, help, pages of the console and the chart lead to pages and headings that exist.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LINKED_PAGES, type LinkedPage, linkToPage } from '#base/docs-link.ts';
import { anchorOfRule } from '#http/error-links.ts';
import { CATALOGUE, type RuleId } from '#service/refusals/catalogue.ts';
import { toAnchor } from '../../../docs/site/anchors.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { PAGES } from '../../support/docs/plan.ts';

const read = (path: string) => readFile(join(PROJECT, path), 'utf8');
const anchorsOf = async (page: string) => (await readPage(`docs/${page}.md`)).sections.map(toAnchor);

test('a link to a page is its address on the site, or its path in the repository', () => {
  expect(linkToPage('https://docs.example.net/0.1/', 'errors', 'zones')).toBe(
    'https://docs.example.net/0.1/reference/errors.html#zones',
  );
  expect(linkToPage('https://docs.example.net', 'command line')).toBe(
    'https://docs.example.net/how-to/use-the-command-line.html',
  );
  expect(linkToPage(undefined, 'errors', 'zones')).toBe('docs/reference/errors.md#zones');
});

test('the pages that the program links to exist', () => {
  const pages = Object.keys(LINKED_PAGES).map((page) => linkToPage(undefined, page as LinkedPage));
  expect(pages.filter((page) => !PAGES.includes(page))).toEqual([]);
});

test('the link of each refusal leads to the section of the page of errors that lists its rule', async () => {
  const text = await read('docs/reference/errors.md');
  const sections = new Map(
    text.split(/^### /m).map((section) => [toAnchor(section.slice(0, section.indexOf('\n'))), section]),
  );
  const lost = (Object.keys(CATALOGUE) as RuleId[]).filter(
    (rule) => !sections.get(anchorOfRule(rule))?.includes(`\`${rule}\``),
  );
  expect(lost).toEqual([]);
});

test('the pages and headings that the chart links to exist', async () => {
  const files = globSync('charts/zonestead/templates/**', { cwd: PROJECT }).filter((path) =>
    /\.(?:yaml|tpl|txt)$/.test(path),
  );
  const texts = await Promise.all(files.map(read));
  const links = texts.flatMap((text) => [
    ...text.matchAll(/include "zonestead\.docs" \(dict "root" \S+ "page" "([^"]+)"(?: "anchor" "([^"]+)")?/g),
  ]);
  expect(links.length).toBeGreaterThan(4);
  for (const [, page = '', anchor] of links) {
    expect(PAGES).toContain(`docs/${page}.md`);
    if (anchor !== undefined) expect(await anchorsOf(page)).toContain(anchor);
  }
});

test('the chart has no link to a page that the setting of the address does not reach', async () => {
  const files = globSync('charts/zonestead/templates/**', { cwd: PROJECT }).filter((path) =>
    /\.(?:yaml|tpl|txt)$/.test(path),
  );
  const own = files.filter((path) => !path.endsWith('_docs.tpl'));
  const texts = await Promise.all(own.map(read));
  expect(own.filter((_, at) => /docs\/[\w/-]+\.md/.test(texts[at]!))).toEqual([]);
});

test('the runbook of each alert is a heading of the page of alerts', async () => {
  const anchors = await anchorsOf('reference/alerts');
  const texts = await Promise.all(globSync('charts/zonestead/files/alerts/*.yaml', { cwd: PROJECT }).map(read));
  const runbooks = texts.flatMap((text) =>
    [...text.matchAll(/runbook_url: alerts\.md#(\S+)/g)].map(([, anchor = '']) => anchor),
  );
  expect(runbooks.length).toBeGreaterThan(30);
  expect(runbooks.filter((anchor) => !anchors.includes(anchor.replaceAll(/["']/g, '')))).toEqual([]);
});
