// docs/reference/cli.md: every command with its arguments, options and settings, as the files of src/cli
// describe it.

import { COMMANDS } from '#cli/all-commands.ts';
import type { CommandDescription, CommandGroup, OptionDescription } from '#cli/command.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

export interface NamedCommand {
  /** With the names of its groups: "admin keys mint". */
  readonly path: string;
  readonly command: CommandDescription;
}

/** Every command that does something itself and that help shows, in the order of the help. */
export async function readCommands(): Promise<NamedCommand[]> {
  const files = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return files.flatMap(({ command }) => commandsBelow(command)).filter(({ command }) => command.isHidden !== true);
}

/** @param before the groups around it, for instance "admin" */
function commandsBelow(command: CommandDescription | CommandGroup, before: readonly string[] = []): NamedCommand[] {
  const words = [...before, command.name];
  if ('commands' in command) return command.commands.flatMap((each) => commandsBelow(each, words));
  return [{ path: words.join(' '), command }];
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

function describeOption({ describe, default: preset, isRequired, choices, value }: OptionDescription): string {
  const facts = [
    ...(isRequired ? ['required'] : []),
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === undefined ? [] : [`default ${code(preset)}`]),
    ...(value === 'list' ? ['can be repeated'] : []),
  ];
  return facts.length === 0 ? plain(describe) : `${plain(describe)} (${facts.join('; ')})`;
}

function section({ path, command }: NamedCommand): string {
  const { describe, arguments: words = [], options = [], settings = [], notes } = command;
  const rows = [
    ...words.map(({ usage, describe: text }) => [code(usage), plain(text)]),
    ...options.map((option) => [code(option.flags), describeOption(option)]),
  ];
  const parts = [`## zonestead ${path}`, plain(sentence(describe))];
  if (rows.length > 0) parts.push(table(['argument or option', 'meaning'], rows));
  if (notes !== undefined) parts.push(plain(notes));
  if (settings.length > 0) parts.push(paragraph(`[Settings](settings.md): ${settings.map(code).join(', ')}.`));
  return parts.join('\n\n');
}

export async function commandsPage(): Promise<string> {
  return page(
    'Command line',
    paragraph(
      'This page lists the commands of `zonestead` with their arguments, options and settings. Each command prints them with `--help`, and examples too.',
    ),
    paragraph(
      'You can run them [in a cluster](../how-to/first-user-and-keys.md#run-zonestead-commands-in-a-cluster), and [on your machine](../how-to/run-locally.md#commands).',
    ),
    ...(await readCommands()).map(section),
  );
}
