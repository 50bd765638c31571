// Every command of the pages is one that a test types, or one of the few exceptions; every choice of the plan is a
// command that there is; every link leads somewhere.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { toAnchor } from '../../../docs/site/anchors.ts';
import { isCommand } from '../../support/docs/commands.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { EXCEPTIONS } from '../../support/docs/exceptions.ts';
import { PAGES, PLAN, type ScenarioName } from '../../support/docs/plan.ts';
import { allCommands, scenario } from '../../support/docs/scenario.ts';

const NAMES = Object.keys(PLAN) as ScenarioName[];
const commands = await allCommands();
const planned = (await Promise.all(NAMES.map(scenario))).flat();
/** Without the comment at its end, and without how wide it is set. */
const words = (text: string) =>
  text
    .replace(/\s+# .*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const typed = planned.map(({ text }) => words(text));

/** Text that only names a command that is typed elsewhere: its first words. */
const isMention = (text: string) => typed.some((each) => `${each} `.startsWith(`${text} `));
const isException = (text: string) => Object.keys(EXCEPTIONS).some((start) => text.startsWith(start));

test('the commands of the pages are typed by a test, every one', () => {
  const forgotten = commands.filter(
    ({ text, form }) =>
      !typed.includes(words(text)) && !isException(text) && !(form === 'inline' && isMention(words(text))),
  );
  expect(forgotten.map(({ page, section, text }) => `${page}, ${section}: ${text}`)).toEqual([]);
});

test('the commands of the pages have few exceptions, each of a command that there is, with a reason', () => {
  expect(Object.keys(EXCEPTIONS).length).toBeLessThanOrEqual(6);
  for (const [start, reason] of Object.entries(EXCEPTIONS)) {
    expect(
      commands.filter(({ text }) => text.startsWith(start)),
      start,
    ).not.toEqual([]);
    expect(reason.length, start).toBeGreaterThan(20);
  }
});

test.each(NAMES)('the page %s is followed by the test that the plan names', async (name) => {
  const text = await readFile(join(PROJECT, PLAN[name].test), 'utf8').catch(() => '');
  expect(
    [`('${name}')`, `walk('${name}', `].some((call) => text.includes(call)),
    PLAN[name].test,
  ).toBe(true);
});

test('the commands of the pages do not hide in a block that shows something', async () => {
  const hidden: string[] = [];
  for (const path of PAGES) {
    for (const { language, text } of (await readPage(path)).blocks) {
      if (language !== '') continue;
      const lines = text.split('\n').filter((line) => isCommand(line) && !typed.includes(words(line)));
      hidden.push(...lines.map((line) => `${path}: ${line}`));
    }
  }
  // The output of `npm run up` about its own queries.
  expect(hidden).toEqual([
    'docs/tutorials/first-zone.md: kubectl get zdz,zdr',
    'docs/tutorials/first-zone.md: dig +dnssec any.preview.quickstart.example CNAME',
  ]);
});

test.each(PAGES)(
  'on the page %s, every link and picture leads to a file, and every anchor to a heading',
  async (path) => {
    const broken: string[] = [];
    for (const link of (await readPage(path)).links) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(PROJECT, target))) broken.push(link);
      else if (anchor !== undefined && !(await readPage(target)).sections.map(toAnchor).includes(anchor))
        broken.push(link);
    }
    expect(broken).toEqual([]);
  },
);

test('the links of all pages lead from the index to every page of the documentation', async () => {
  const listed = (await readPage('docs/index.md')).links.map((link) => normalize(join('docs', link)));
  const pages = PAGES.filter((path) => path.startsWith('docs/') && path !== 'docs/index.md');
  expect(pages.filter((path) => !listed.includes(path))).toEqual([]);
});

test.each(PAGES)('the files of the project that the page %s names are there', async (path) => {
  const { spans, blocks } = await readPage(path);
  const named = [...spans, ...blocks.filter(({ language }) => language !== '')].flatMap(({ text }) =>
    [...text.matchAll(/(?<![\w/.-])(?:src|deploy|charts|crds|test|docs)\/[\w./-]*\w(?![\w<])/g)].map(([name]) => name),
  );
  expect(named.filter((name) => !existsSync(join(PROJECT, name)))).toEqual([]);
});
