// All commands of `zonestead`, each in a file of its own, and the tree of commander's commands that they make.
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { CommandDescription, CommandGroup } from './command.ts';
import { addToTree, type ProcessContext } from './tree.ts';

/** By the first word of the command line, in the order of the help. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ command: CommandDescription | CommandGroup }>>> = {
  api: () => import('./commands/api.ts'),
  operator: () => import('./commands/operator.ts'),
  solver: () => import('./commands/solver.ts'),
  nameserver: () => import('./commands/nameserver.ts'),
  'external-dns': () => import('./commands/external-dns.ts'),
  'knot-conf': () => import('./commands/knot-conf.ts'),
  'edge-conf': () => import('./commands/edge-conf.ts'),
  migrate: () => import('./commands/migrate.ts'),
  bootstrap: () => import('./commands/bootstrap.ts'),
  'api-certificate': () => import('./commands/api-certificate.ts'),
  'release-finalizers': () => import('./commands/release-finalizers.ts'),
  keys: () => import('./commands/keys.ts'),
  nodes: () => import('./commands/nodes.ts'),
  secondaries: () => import('./commands/secondaries.ts'),
  users: () => import('./commands/users.ts'),
  teams: () => import('./commands/teams.ts'),
  zones: () => import('./commands/zones.ts'),
  records: () => import('./commands/records.ts'),
  owners: () => import('./commands/owners.ts'),
  clusters: () => import('./commands/clusters.ts'),
  acme: () => import('./commands/acme.ts'),
  check: () => import('./commands/check.ts'),
  doctor: () => import('./commands/doctor.ts'),
  crds: () => import('./commands/crds.ts'),
};

const NO_PROCESS: ProcessContext = {
  print: () => undefined,
  program: 'zonestead',
  signal: new AbortController().signal,
  stop: () => undefined,
};

/**
 * The tree of all commands, or of those alone that the words of a command line need: a command starts sooner without the
 * descriptions of the others.
 */
export async function createZonesteadProgram(
  context: ProcessContext = NO_PROCESS,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command('zonestead')
    .description('DNS service for Kubernetes, with zones and records as resources and over a REST API')
    .version(manifest.version, '-V, --version', 'print the version of Zonestead')
    .enablePositionalOptions();
  const named = words?.[0] === undefined ? undefined : COMMANDS[words[0]];
  const loaders = named === undefined ? Object.values(COMMANDS) : [named];
  const files = await Promise.all(loaders.map((load) => load()));
  const { describeSettings } = isHelp(words) ? await import('#config.ts') : {};
  for (const { command } of files) addToTree(program, command, context, describeSettings);
  return program;
}

function isHelp(words: readonly string[] | undefined): boolean {
  return words === undefined || words[0] === 'help' || words.some((word) => word === '--help' || word === '-h');
}
