// Descriptions of commands → a tree of commander's commands.
import { Argument, Command } from 'commander';
import type { SettingFacts, SettingName } from '#config.ts';
import type { CommandContext, CommandDescription, CommandGroup } from './command.ts';
import { addHelp, examplesHelp, notesHelp, settingsHelp } from './help-text.ts';
import { buildOption } from './option-values.ts';
import { headingOf } from './people-commands.ts';
import { CommandFailed } from './program.ts';

/** The context that all commands of a process have. */
export type ProcessContext = Omit<CommandContext<never>, 'config' | 'words'>;
type DescribeSettings = (names: readonly SettingName[]) => readonly SettingFacts[];

interface TreeOptions {
  /** For the list of settings in help. Absent: help has no such list. */
  readonly settings?: DescribeSettings | undefined;
  /** A sentence after an error about an unknown command of a group. */
  readonly hint?: string | null;
}

/** @param before the groups around it */
export function addToTree(
  parent: Command,
  description: CommandDescription | CommandGroup,
  context: ProcessContext,
  options: TreeOptions = {},
  before: readonly string[] = [],
): void {
  const words = [...before, description.name];
  if (!('commands' in description)) {
    const command = buildCommand(description, { ...context, words }, options.settings);
    parent.addCommand(inGroup(command, before), { hidden: description.isHidden === true });
    return;
  }
  const group = new Command(description.name).description(description.describe);
  if (options.hint) addHint(group, UNKNOWN_COMMAND, options.hint);
  for (const each of description.commands) addToTree(group, each, context, options, words);
  addHelp(group, () => examplesHelp(description.examples));
  parent.addCommand(inGroup(group, before));
}

/** Help of the whole program lists the commands below headings. */
function inGroup(command: Command, before: readonly string[]): Command {
  return before.length === 0 ? command.helpGroup(headingOf(command.name())) : command;
}

/** Prints a sentence after the errors of commander that match. */
function addHint(command: Command, about: RegExp, hint: string): void {
  const outputError = (text: string, write: (text: string) => void) =>
    write(about.test(text) ? `${text}${hint}\n` : text);
  command.configureOutput({ outputError });
}

function buildCommand(
  description: CommandDescription,
  context: ProcessContext & Pick<CommandContext<never>, 'words'>,
  describeSettings: DescribeSettings | undefined,
): Command {
  const {
    name,
    describe,
    arguments: words = [],
    options = [],
    notes,
    examples,
    hint,
    settings = [],
    passThrough,
    errorCode,
  } = description;
  const command = new Command(name).description(describe);
  for (const { usage, describe: text, choices } of words) {
    command.addArgument(choices ? new Argument(usage, text).choices(choices) : new Argument(usage, text));
  }
  for (const option of options) command.addOption(buildOption(option));
  if (hint !== undefined) addHint(command, ABOUT_WORDS, hint);
  addHelp(command, (width) => notesHelp(notes, width));
  addHelp(command, (width) => settingsHelp(describeSettings?.(settings), width));
  addHelp(command, () => examplesHelp(examples));
  if (passThrough) command.passThroughOptions();
  if (errorCode !== undefined) {
    command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : errorCode));
  }
  return command.action(async () => {
    const { readConfig } = settings.length > 0 ? await import('#config.ts') : { readConfig: () => ({}) };
    const given = command.processedArgs.flat().filter((word): word is string => word !== undefined);
    const config: CommandContext<SettingName>['config'] = (environment) => {
      try {
        return readConfig(settings, environment) as never;
      } catch (error) {
        throw withDatabaseHint(error);
      }
    };
    const running: Promise<unknown> = (async () => description.run(given, command.opts(), { ...context, config }))();
    const code = await running.catch((error: unknown) => {
      throw errorCode === undefined ? error : new CommandFailed(error, errorCode);
    });
    if (typeof code === 'number') process.exitCode = code;
  });
}

/** The errors of commander about words that the shell may have split off a value. */
const ABOUT_WORDS = /^error: (unknown option|too many arguments)/;
const UNKNOWN_COMMAND = /^error: unknown command/;

/** A person who calls a command has no idea where the address of the database comes from. */
function withDatabaseHint(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes('DATABASE_URL is missing')) return error;
  return new Error(
    `${error.message} It is the address of the Postgres database of the service. In a checkout, "source .local/env" sets it for the stack of "npm run up".`,
  );
}
