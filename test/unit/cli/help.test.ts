// Help: its groups, its examples, and its lines on a narrow terminal.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '#cli/all-commands.ts';
import type { CommandDescription, CommandGroup } from '#cli/command.ts';
import { notesHelp, settingsHelp } from '#cli/help-text.ts';
import { PEOPLE_COMMANDS } from '#cli/people-commands.ts';
import { SERVER_COMMANDS } from '#cli/server-commands.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';
import { describeSettings } from '#config.ts';

type Described = CommandDescription | CommandGroup;

const loaded: Described[] = await Promise.all(
  Object.values(PEOPLE_COMMANDS).map(async (load) => (await load()).command),
);
const below = (command: Described): Described[] =>
  'commands' in command ? [command, ...command.commands.flatMap(below)] : [command];
const examples = loaded.flatMap(below).flatMap((command) => command.examples ?? []);

async function helpOf(...words: string[]): Promise<string> {
  const program = await createZonesteadProgram(COMMANDS, undefined, words);
  const command = words.reduce(
    (from: Command, word) => from.commands.find((each) => each.name() === word) ?? from,
    program,
  );
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

test('help lists the commands in groups, those for people first and those of servers last', async () => {
  const help = await helpOf();
  const headings = help.split('\n').filter((line) => /^\S.*:$/.test(line) && !line.startsWith('Usage'));
  expect([headings[1], headings.at(-2), headings.at(-1)]).toEqual([
    'Zones and records:',
    'Servers and jobs, which run in the image:',
    'Examples:',
  ]);
  const inOrder = [...help.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
  const listed = inOrder.filter((name = '') => Object.hasOwn(COMMANDS, name));
  expect(listed.slice(-Object.keys(SERVER_COMMANDS).length)).toEqual(Object.keys(SERVER_COMMANDS));
  expect(listed.indexOf('zones')).toBe(0);
  expect(listed.toSorted()).toEqual(
    Object.keys(COMMANDS)
      .filter((name) => name !== 'complete')
      .toSorted(),
  );
});

test('help of every group and of every command for people has examples, except below a group that has them', async () => {
  const silent = loaded.filter((command) => (command.examples ?? []).length === 0).map(({ name }) => name);
  expect(silent).toEqual(['complete']);
  expect(await helpOf('zones')).toMatch(/Examples:\n {2}zonestead zones create shop\.example\n/);
  expect(await helpOf('records', 'set')).toContain("\n  zonestead records set shop.example @ MX '10 mail.example.net'");
});

/** The words of a line as a shell splits it, up to a pipe or a redirection. */
function shellWords(line: string): string[] {
  const [, inner = line] = /<\((.*)\)/.exec(line) ?? [];
  return [...(inner.split(/ [|<] /)[0] ?? '').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

const program = await createZonesteadProgram(COMMANDS);

test.each(examples.filter((line) => !line.startsWith('certbot ')))(
  'the example "%s" is a command line that its command accepts',
  (line) => {
    const [first, ...words] = shellWords(line.replace(/^kubectl zonestead/, 'zonestead kubectl'));
    expect(first).toBe('zonestead');
    let command: Command = program;
    while (command.commands.some((each) => each.name() === words[0])) {
      const name = words.shift();
      command = command.commands.find((each) => each.name() === name) ?? command;
    }
    expect(command.commands, `${line} names no command`).toEqual([]);
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    const { operands, unknown } = command.parseOptions(words);
    expect(unknown).toEqual([]);
    const places = command.registeredArguments;
    expect(operands.length).toBeGreaterThanOrEqual(places.filter(({ required }) => required).length);
    expect(operands.length).toBeLessThanOrEqual(
      places.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : places.length,
    );
    const missing = command.options.filter(
      (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
    );
    expect(missing.map(({ flags }) => flags)).toEqual([]);
  },
);

test('help breaks notes and settings at the width of a narrow terminal, and keeps the words of options whole', () => {
  const texts = loaded.flatMap(below).flatMap((command) => ('notes' in command ? [notesHelp(command.notes, 60)] : []));
  texts.push(settingsHelp(describeSettings(), 60));
  const long = texts
    .join('\n')
    .split('\n')
    .filter((line) => line.length > 60 && line.trim().includes(' '));
  // The line with the name of a setting has its default, which is one piece.
  expect(long.filter((line) => !/^ {2}[A-Z]/.test(line))).toEqual([]);
});
