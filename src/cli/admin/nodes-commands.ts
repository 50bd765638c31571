// `zonestead nodes …`: the name servers that follow the feed, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

const list = describeCommand({
  name: 'list',
  describe: 'list the name servers that reported within a day',
  options: [OUTPUT_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, { output }: OutputOption, { config, print }) => {
    const { runNodesList } = await import('./nodes.ts');
    await runNodesList(config(), { format: output, print });
  },
});

const compare = describeCommand({
  name: 'compare',
  describe: 'ask every name server to compare all its zones with the api, and to correct what differs',
  settings: DATABASE_SETTINGS,
  run: async (_args, _options, { config, print }) => {
    const { runNodesCompare } = await import('./nodes.ts');
    await runNodesCompare(config(), print);
  },
});

const forget = describeCommand({
  name: 'forget',
  describe: 'forget a name server that was removed, so that no alert waits for it',
  arguments: [{ usage: '<name>', describe: 'name of the node' }],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], _options, { config, print }) => {
    const { runNodesForget } = await import('./nodes.ts');
    await runNodesForget(config(), name, print);
  },
});

export const command: CommandGroup = {
  name: 'nodes',
  describe: 'list, compare and forget name servers (over the database)',
  commands: [list, compare, forget],
};
