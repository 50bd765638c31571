// The reference pages that are made from the code are those that `npm run generate` makes now, and leave out nothing.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeSettings } from '#config.ts';
import { readCommands } from '../../../docs/generate/commands.ts';
import { plain, table } from '../../../docs/generate/markdown.ts';
import { GENERATED } from '../../../docs/generate/pages.ts';
import { listReaders } from '../../../docs/generate/settings.ts';
import { PROJECT } from '../../support/docs/document.ts';

test.each(Object.entries(GENERATED))('%s is as `npm run generate` makes it', async (path, make) => {
  expect(await readFile(`${PROJECT}${path}`, 'utf8')).toBe(await make());
});

test('every setting has a description in whole sentences, and a command that reads it', async () => {
  const commands = await readCommands();
  const settings = describeSettings();
  expect(
    settings
      .filter(({ description }) => !/^(?:[A-Z`]|kube-apiserver ).*[.]$/s.test(description))
      .map(({ name }) => name),
  ).toEqual([]);
  expect(settings.filter(({ name }) => listReaders(name, commands).length === 0).map(({ name }) => name)).toEqual([]);
});

test('every command and every option has a description', async () => {
  const text = await readFile(`${PROJECT}docs/reference/cli.md`, 'utf8');
  expect(text.match(/^## zonestead \S/gm)?.length).toBeGreaterThan(25);
  expect(text.match(/^\| `[^`]+` +\| +\|$/gm)).toBeNull();
});

test('text in a table is shown as it is written', () => {
  expect(plain('org:<teamId> or *.dev, `<zone>`')).toBe('org:\\<teamId> or \\*.dev, `<zone>`');
  expect(table(['a', 'b'], [['x|y', 'two\nlines']])).toBe(
    '| a    | b         |\n| ---- | --------- |\n| x\\|y | two lines |',
  );
});
