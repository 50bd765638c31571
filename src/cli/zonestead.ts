// The tree of commander's commands that the descriptions of commands make.
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
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
  const all = () => loadAll(Object.values(commands));
  for (const command of await (named === undefined ? all() : loadAll([named]))) {
    addToTree(program, command, { ...context, commands: all }, describeSettings);
  }
  return program;
}

function isHelp(words: readonly string[] | undefined): boolean {
  return words === undefined || words[0] === 'help' || words.some((word) => word === '--help' || word === '-h');
}
