// No page names a setting that the program does not read. The page of settings itself is generated (generated.test.ts).
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeSettings } from '#config.ts';
import { PROJECT } from '../../support/docs/document.ts';
import { PAGES } from '../../support/docs/plan.ts';

const NAME = /\bZONESTEAD_[A-Z_0-9]*[A-Z0-9]\b/g;
const namesIn = (text: string) => new Set([...text.matchAll(NAME)].map(([name]) => name));
const read = (path: string) => readFile(`${PROJECT}${path}`, 'utf8');
const settings = namesIn(
  describeSettings()
    .map(({ name }) => name)
    .join(' '),
);

test('the pages name settings that there are', async () => {
  // `.local/env` of `npm run up` has more, for other programs.
  const environment = namesIn(await read('deploy/local/environment.ts'));
  const strange: string[] = [];
  for (const path of PAGES) {
    for (const name of namesIn(await read(path))) {
      if (!settings.has(name.replace(/_FILE$/, '')) && !settings.has(name) && !environment.has(name))
        strange.push(`${path}: ${name}`);
    }
  }
  expect(strange).toEqual([]);
});
