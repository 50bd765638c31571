// docs/reference/dns-clients.md lists the clients that tests run, and no others.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/docs/document.ts';
import { OMITTED } from '../../support/doors/suites.ts';
import { SUITE_MODULES } from '../../support/tools/suites.ts';
import { TESTED_CLIENTS } from './dns-clients.support.ts';

/** The cells of the rows that have as many as this. */
async function rowsOf(cells: number): Promise<string[][]> {
  const text = await readFile(join(PROJECT, 'docs/reference/dns-clients.md'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (interface|client|-)/.test(line))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(({ length }) => length === cells);
}

test('the page lists each tested client with its version and the server that it is compared with', async () => {
  const listed = TESTED_CLIENTS.map(({ door, client, version, model }) => [door, client, version, model]);
  expect(await rowsOf(4)).toEqual(listed);
});

test('the page lists each omitted test of a suite, with the reason', async () => {
  const omitted = (['mittwald', 'joeig'] as const).flatMap((suite) =>
    OMITTED[suite].flatMap(({ tests, reason }) =>
      tests.map((name) => [SUITE_MODULES[suite].client, `\`${name}\``, reason]),
    ),
  );
  expect(await rowsOf(3)).toEqual(omitted);
});

test.for(TESTED_CLIENTS)('the test of $client is there', ({ test: file }) => {
  expect(existsSync(join(PROJECT, file))).toBe(true);
});
