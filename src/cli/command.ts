// The description of one command of `zonestead` as data. A file has the description of a command and its work, and
// `<group>/<group>.ts` the list of a group. A group is loaded by its first word. Servers, the database, the HTTP client
// and YAML are loaded when a command runs, so that help and completion need not wait for them.
import type { Config, SettingName } from '#config.ts';

export interface CommandContext<Name extends SettingName> {
  /**
   * The settings that the command names.
   * @param environment instead of the environment of the process
   * @throws Error that names each missing or wrong setting
   */
  config(environment?: NodeJS.ProcessEnv): Config<Name>;
  print(line: string): void;
  /** Prints a line on standard error: progress, and remarks that are not a part of the result. */
  warn(line: string): void;
  /** The path of the first module of this process. Files that start `zonestead` again name it. */
  readonly program: string;
  /** Aborts when the process is told to end. */
  readonly signal: AbortSignal;
  /** Ends the process in the same way as a signal does. */
  stop(reason: Error): void;
  /** The words of this command, for instance "zones" and "list". */
  readonly words: readonly string[];
  /** The commands of servers, if the program has none of them. */
  readonly missing: readonly string[];
}

interface ArgumentDescription {
  /** <name> for one that is required, [names...] for any number. */
  readonly usage: string;
  readonly describe: string;
  readonly choices?: readonly string[];
}

export interface OptionDescription {
  /** For instance "--yes" or "--ttl <time>". */
  readonly flags: string;
  readonly describe: string;
  readonly default?: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
  /**
   * Text by default. A number is whole and not negative; seconds are a number, or a time with units such as `1h30m`; a
   * fraction is the same, and may be less than a second; a list takes the option several times.
   */
  readonly value?: 'number' | 'seconds' | 'fraction' | 'list';
}

export interface CommandDescription<Name extends SettingName = SettingName, Options = object> {
  readonly name: string;
  readonly describe: string;
  readonly arguments?: readonly ArgumentDescription[];
  readonly options?: readonly OptionDescription[];
  /** A sentence after an error about an unknown option or a surplus word. */
  readonly hint?: string;
  /** Paragraphs that help prints after the options. */
  readonly notes?: string;
  /** Whole command lines that help prints, the most common one first. */
  readonly examples?: readonly string[];
  /** The settings that help lists, and that `config` reads. */
  readonly settings?: readonly Name[];
  /** Whether options end at the first argument: all words from there on belong to another program. */
  readonly passThrough?: boolean;
  /** Whether help leaves the command out, because only programs call it. */
  readonly isHidden?: boolean;
  /** The exit code after an error, or after a wrong option. (Default: 1.) */
  readonly errorCode?: number;
  /**
   * @returns the exit code of the process, 0 if there is none
   * @throws Error with a message for people
   */
  run(args: readonly string[], options: Options, context: CommandContext<Name>): Promise<number> | Promise<void>;
}

/**
 * Commands with a common first word, for instance "zones list" and "zones create". Those of "admin" are groups
 * themselves.
 */
export interface CommandGroup {
  readonly name: string;
  readonly describe: string;
  readonly commands: readonly (CommandDescription | CommandGroup)[];
  /** Whole command lines that help prints, the most common one first. */
  readonly examples?: readonly string[];
}

/** The parts of a description that help of the whole program, completion and hints read. They need not load it. */
export type CommandOutline = Pick<
  CommandDescription,
  'name' | 'describe' | 'arguments' | 'options' | 'passThrough' | 'isHidden'
>;

export interface GroupOutline extends Pick<CommandGroup, 'name' | 'describe'> {
  readonly commands: readonly Outline[];
}

export type Outline = CommandOutline | GroupOutline;

/** Loads the description of a command when it is needed, by the first word of the command line. */
export type CommandMap = Readonly<Record<string, () => Promise<{ command: CommandDescription | CommandGroup }>>>;

/** Checks the parts of a description against each other and forgets their types. */
export function describeCommand<const Name extends SettingName, Options>(
  command: CommandDescription<Name, Options>,
): CommandDescription {
  return command as unknown as CommandDescription;
}
