// The site of the documentation, built once: links, navigation, search, and the parts of its pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findPlace } from '../../../docs/site/places.ts';
import packageFile from '../../../package.json' with { type: 'json' };
import { PAGES } from '../../support/docs/plan.ts';
import { QUESTIONS } from '../../support/docs/questions.ts';
import { type Step, scenario } from '../../support/docs/scenario.ts';
import {
  buildSite,
  getFromAuthorsSite,
  openSearch,
  readNavigation,
  readSite,
  resolveAddress,
  type SitePage,
} from '../../support/docs/site.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const BASE = '/zonestead/0.1/';
const folder = join(await temporaryFolder('site'), 'site');
const [develop, build] = (await scenario('documentation site')) as [Step, Step];
let pages: Map<string, SitePage>;

beforeAll(async () => {
  const settings = {
    DOCS_BASE: BASE,
    DOCS_REPOSITORY: 'https://git.example.net/dns/zonestead',
    DOCS_VERSIONS: 'next=https://docs.example.net/next/',
  };
  await buildSite(build.text, folder, settings, AbortSignal.timeout(500_000));
  pages = new Map((await readSite(folder)).map((page) => [page.path, page]));
}, 520_000);

test('the site has every page of the documentation', () => {
  const wanted = PAGES.map(findPlace).filter((place) => place !== undefined);
  expect(wanted.length).toBeGreaterThan(100);
  expect([...pages.keys()].sort()).toEqual(wanted.map((place) => place.replace(/\.md$/, '.html')).sort());
});

test('the site has no link, picture or anchor that leads nowhere', () => {
  const broken = new Set<string>();
  let checked = 0;
  for (const page of pages.values()) {
    for (const address of page.addresses) {
      const target = resolveAddress(page.path, address, BASE);
      if (target === undefined) continue;
      checked += 1;
      const { path, id } = target;
      if (!existsSync(join(folder, path))) broken.add(`${page.path}: ${address}`);
      else if (id !== '' && !pages.get(path)?.ids.has(id)) broken.add(`${page.path}: ${address}`);
    }
  }
  expect([...broken]).toEqual([]);
  expect(checked).toBeGreaterThan(10_000);
});

test('the site leads from its navigation to every page', () => {
  const index = pages.get('index.html')!;
  const led = new Set(readNavigation(index).map((address) => resolveAddress('index.html', address, BASE)?.path));
  expect([...pages.keys()].filter((path) => path !== 'index.html' && !led.has(path))).toEqual([]);
});

test('the site finds the page for each question that users ask among its first three pages', async () => {
  const search = await openSearch(folder);
  const questions = Object.entries(QUESTIONS);
  expect(questions.length).toBeGreaterThanOrEqual(30);
  const missed = questions.flatMap(([question, page]) => {
    const first = search(question)
      .map((path) => path.slice(BASE.length - 1))
      .slice(0, 3);
    return first.includes(`${page}.html`) ? [] : [`${question}: ${first.join(', ')}`];
  });
  expect(missed).toEqual([]);
});

test('the site shows on a page its contents, its version, a link to edit it, and a switch for the dark mode', () => {
  const { html } = pages.get('how-to/undo.html')!;
  expect(html).toContain('href="https://git.example.net/dns/zonestead/edit/main/docs/how-to/undo.md"');
  expect(html).toContain(`>${packageFile.version}<`);
  expect(html).toContain('href="https://docs.example.net/next/"');
  expect(html).toContain('class="VPDocOutlineItem');
  expect(html).toContain('VPSwitchAppearance');
});

test('the site loads nothing from other hosts', () => {
  const outside = [...pages.values()].flatMap(({ path, html }) =>
    [...html.matchAll(/<(?:script|img|source|link)\b[^>]*\s(?:src|href)="(https?:[^"]+)"/g)].map(
      ([, address]) => `${path}: ${address}`,
    ),
  );
  expect(outside).toEqual([]);
});

test('the site is served to an author who changes a page', async () => {
  const answer = await getFromAuthorsSite(develop.text, 'how-to/undo', AbortSignal.timeout(200_000));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html']);
  expect(await answer.text()).toContain('<div id="app"></div>');
}, 220_000);
