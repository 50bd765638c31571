// README's table of settings has every setting that the program reads, and no page invents one.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { PAGES } from '../../support/docs/plan.ts';

const NAME = /\bZONESTEAD_[A-Z_0-9]*[A-Z0-9]\b/g;
const namesIn = (text: string) => new Set([...text.matchAll(NAME)].map(([name]) => name));
const read = (path: string) => readFile(`${PROJECT}${path}`, 'utf8');
const settings = namesIn(await read('src/config.ts'));

it('README says what every setting does', async () => {
  const { spans } = await readPage('README.md');
  const told = new Set(spans.filter(({ section }) => section === 'Settings').flatMap(({ text }) => [...namesIn(text)]));
  expect([...settings].filter((name) => !told.has(name))).toEqual([]);
});

it('the pages name settings that there are', async () => {
  // `.local/env` of `npm run up` has more, for other programs.
  const environment = namesIn(await read('src/cli/up/environment.ts'));
  const strange: string[] = [];
  for (const path of PAGES) {
    for (const name of namesIn(await read(path))) {
      if (!settings.has(name.replace(/_FILE$/, '')) && !settings.has(name) && !environment.has(name))
        strange.push(`${path}: ${name}`);
    }
  }
  expect(strange).toEqual([]);
});
