// docs/reference/dns-clients.md lists the clients that tests run, and no others.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/docs/document.ts';
import { TESTED_CLIENTS } from '../../support/doors/clients.ts';

test('the page lists each tested client with its version and the server that it is compared with', async () => {
  const text = await readFile(join(PROJECT, 'docs/reference/dns-clients.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (interface|-)/.test(line));
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells).toEqual(TESTED_CLIENTS.map(({ door, client, version, model }) => [door, client, version, model]));
});

test.for(TESTED_CLIENTS)('the test of $client is there', ({ test: file }) => {
  expect(existsSync(join(PROJECT, file))).toBe(true);
});
