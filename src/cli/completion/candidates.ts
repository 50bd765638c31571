// The words that can continue a command line, from the descriptions of the commands. Pure.
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import type { CommandOutline, OptionDescription, Outline } from '../command.ts';

export interface Candidate {
  readonly word: string;
  readonly describe: string;
}

/** Words, or the kind of words that the caller must look up. */
export type Candidates = readonly Candidate[] | 'zones' | 'files';

const HELP: OptionDescription = { flags: '--help', describe: 'print help' };
const VERSION: OptionDescription = { flags: '--version', describe: 'print the version of Zonestead' };

/** @param words the words after the program; the last one is the word to complete, and may be empty */
export function completeWords(commands: readonly Outline[], words: readonly string[]): Candidates {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const found = candidatesAfter(commands, before, current);
  return typeof found === 'string' ? found : found.filter(({ word }) => word.startsWith(current));
}

function candidatesAfter(commands: readonly Outline[], before: readonly string[], current: string): Candidates {
  const [first, ...rest] = before;
  if (first === undefined)
    return [...visible(commands), ...(current.startsWith('-') ? [VERSION, HELP].map(ofOption) : [])];
  const named = commands.find(({ name }) => name === first);
  if (named === undefined) return [];
  if ('commands' in named) return candidatesAfter(named.commands, rest, current);
  return completeArgument(named, rest, current);
}

/** The candidates for the words after a command. */
function completeArgument(command: CommandOutline, before: readonly string[], current: string): Candidates {
  const { arguments: places = [], options = [], passThrough = false } = command;
  let position = 0;
  let isOpen = true;
  let waiting: OptionDescription | undefined;
  const given = new Set<string>();
  for (const word of before) {
    if (waiting !== undefined) {
      waiting = undefined;
    } else if (isOpen && word === '--') {
      isOpen = false;
    } else if (isOpen && word.startsWith('-') && word !== '-') {
      const [flag = '', value] = word.split('=', 2);
      const option = options.find(({ flags }) => splitFlags(flags).includes(flag));
      if (option !== undefined && option.value !== 'list') given.add(option.flags);
      if (option !== undefined && value === undefined && /[<[]/.test(option.flags)) waiting = option;
    } else {
      position += 1;
      if (passThrough) isOpen = false;
    }
  }
  if (waiting !== undefined) return listValues(waiting.flags, waiting.choices);
  const free = isOpen ? [...options.filter(({ flags }) => !given.has(flags)), HELP].map(ofOption) : [];
  if (current.startsWith('-')) return free;
  const place = places[position] ?? (places.at(-1)?.usage.includes('...') ? places.at(-1) : undefined);
  return place === undefined ? free : listValues(place.usage, place.choices);
}

/** The values of an argument or an option, by its usage, for instance `<zone>`. */
function listValues(usage: string, choices: readonly string[] = []): Candidates {
  if (choices.length > 0) return choices.map((word) => ({ word, describe: '' }));
  const kind = /[<[](\w+)/.exec(usage)?.[1];
  if (kind === 'zone') return 'zones';
  if (kind === 'file' || kind === 'folder') return 'files';
  return kind === 'type' ? RECORD_TYPES.map((word) => ({ word, describe: '' })) : [];
}

function visible(commands: readonly Outline[]): Candidate[] {
  const shown = commands.filter((command) => 'commands' in command || command.isHidden !== true);
  return shown.map(({ name, describe }) => ({ word: name, describe }));
}

/** The long form of an option. */
function ofOption({ flags, describe }: OptionDescription): Candidate {
  return { word: splitFlags(flags).at(-1) ?? '', describe };
}

/** `-o, --output <format>` → `-o` and `--output`. */
function splitFlags(flags: string): string[] {
  return flags.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
}
