// The tree of commander's commands that the descriptions of commands make.
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { adminHint } from './admin-hint.ts';
import type { CommandMap } from './command.ts';
import { addToTree, type ProcessContext } from './tree.ts';

const NO_PROCESS: ProcessContext = {
  print: () => undefined,
  warn: () => undefined,
  program: 'zonestead',
  signal: new AbortController().signal,
  stop: () => undefined,
};

/**
 * The tree of all commands, or of those alone that the words of a command line need: a command starts sooner without
 * the descriptions of the others.
 */
export async function createZonesteadProgram(
  commands: CommandMap,
  context: ProcessContext = NO_PROCESS,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command('zonestead')
    .description('DNS service for Kubernetes, with zones and records as resources and over a REST API')
    .version(manifest.version, '-V, --version', 'print the version of Zonestead')
    .enablePositionalOptions();
  const loadAll = async (loaders: CommandMap[string][]) =>
    (await Promise.all(loaders.map((load) => load()))).map(({ command }) => command);
  const named = words?.[0] === undefined ? undefined : commands[words[0]];
  const { describeSettings } = isHelp(words) ? await import('#config.ts') : {};
  const load = (first?: string) => {
    const one = first === undefined ? undefined : commands[first];
    return loadAll(one === undefined ? Object.values(commands) : [one]);
  };
  const hint = await adminHint(commands, words ?? []);
  for (const command of await load(named === undefined ? undefined : words?.[0])) {
    addToTree(program, command, { ...context, commands: load }, { settings: describeSettings, hint });
  }
  return program;
}

function isHelp(words: readonly string[] | undefined): boolean {
  return words === undefined || words[0] === 'help' || words.some((word) => word === '--help' || word === '-h');
}
