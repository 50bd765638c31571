// Descriptions of commands → a tree of commander's commands.
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { SettingFacts, SettingName } from '#config.ts';
import type { CommandContext, CommandDescription, CommandGroup, OptionDescription } from './command.ts';
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
    parent.addCommand(command, { hidden: description.isHidden === true });
    return;
  }
  const group = new Command(description.name).description(description.describe);
  if (options.hint) addHint(group, UNKNOWN_COMMAND, options.hint);
  for (const each of description.commands) addToTree(group, each, context, options, words);
  parent.addCommand(group);
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
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  if (describeSettings !== undefined && settings.length > 0) {
    command.addHelpText('after', settingsHelp(describeSettings(settings)));
  }
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

function buildOption({ flags, describe, default: preset, isRequired, choices, value }: OptionDescription): Option {
  const option = new Option(flags, value === 'list' ? `${describe} (can be repeated)` : describe);
  if (preset !== undefined) option.default(preset, preset === '' ? 'none' : undefined);
  if (isRequired) option.makeOptionMandatory();
  if (choices !== undefined) option.choices(choices);
  if (value === 'number') option.argParser(wholeNumber);
  if (value === 'list') option.argParser((text: string, before: string[] | false = []) => [...(before || []), text]);
  return option;
}

function wholeNumber(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

const INDENT = '      ';

/**
 * A line with the name and the default of each setting, and its description below, in lines of at most 80 characters.
 */
export function settingsHelp(settings: readonly SettingFacts[]): string {
  const lines = settings.flatMap(({ name, description, isRequired, isSecret, otherwise, ...setting }) => {
    const remark = isRequired ? 'required' : `default: ${setting.default || otherwise || 'none'}`;
    const file = isSecret ? ` ${name}_FILE can name a file with the value.` : '';
    return [
      `  ${name} (${remark})`,
      ...wrapped(`${description}${file}`, 80 - INDENT.length).map((line) => INDENT + line),
    ];
  });
  return ['', 'Settings (environment variables):', ...lines].join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
