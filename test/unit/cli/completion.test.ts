// The words that continue a command line, for the outlines of all commands.
import { expect, test } from 'vitest';
import { COMMANDS } from '#cli/all-commands.ts';
import { completeWords } from '#cli/completion/candidates.ts';
import { OUTLINES } from '#cli/completion/outlines.ts';
import { STANDALONE_COMMANDS } from '#cli/standalone.ts';
import { RECORD_TYPES } from '#dns/types/record-type.ts';

const commands = OUTLINES;

/** The candidates after a line; the text after the last blank is the word to complete. */
function offered(line: string): string[] | string {
  const found = completeWords(commands, line.split(' '));
  return typeof found === 'string' ? found : found.map(({ word }) => word);
}

test.each([
  ['zon', ['zones']],
  ['--v', ['--version']],
  ['zones par', ['park']],
  ['zones get ', 'zones'],
  ['zones get sh', 'zones'],
  ['zones get shop.example --out', ['--output']],
  ['zones list --output ', ['table', 'json', 'yaml']],
  ['zones list -o y', ['yaml']],
  ['zones list -o json --o', []],
  ['records list shop.example --type MX --', ['--name', '--etags', '--output', '--context', '--help']],
  ['records create shop.example www ', [...RECORD_TYPES]],
  ['records create shop.example www C', RECORD_TYPES.filter((type) => type.startsWith('C'))],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['zones create --comment -x ', []],
  ['admin sec', ['secondaries']],
  ['admin keys m', ['mint']],
  ['admin secondaries add ns --catalog --', expect.arrayContaining(['--help'])],
  ['admin secondaries apply ', 'files'],
  ['nothing ', []],
  ['zones nothing ', []],
])('completion after "%s" offers the right words', (line, words) => {
  expect(offered(line)).toEqual(words);
});

test('completion offers the options again if an option can be repeated', () => {
  expect(offered('zones secondaries shop.example --add a --ad')).toEqual(['--add']);
  expect(offered('zones create shop.example --comment a --comm')).toEqual([]);
});

test('completion offers all commands that help shows, with their descriptions, and no others', () => {
  const [first] = completeWords(commands, ['zones', '']) as { word: string; describe: string }[];
  expect(first).toEqual({ word: 'list', describe: 'list the zones that the API key can see' });
  expect(offered('')).toEqual(Object.keys(COMMANDS).filter((name) => name !== 'complete'));
});

test('the commands of the single file are all commands, and those of servers say where they run', async () => {
  expect(Object.keys(STANDALONE_COMMANDS).sort()).toEqual(Object.keys(COMMANDS).sort());
  const { command } = (await STANDALONE_COMMANDS.api?.()) ?? {};
  if (command === undefined || 'commands' in command) throw new Error('api is not a command');
  await expect(command.run([], {}, {} as never)).rejects.toThrow('Run it in the image of Zonestead');
});
