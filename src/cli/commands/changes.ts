// `zonestead changes …`: the history of a zone, over the REST API.
import { type CommandGroup, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { REST_SETTINGS, withRest } from './rest.ts';

const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;

const list = describeCommand({
  name: 'list',
  describe: 'list the changes of a zone and of its records, newest first',
  arguments: [ZONE],
  options: [
    { flags: '--limit <number>', describe: 'list at most this many changes (default: 100)', value: 'number' },
    { flags: '--name <name>', describe: 'list only changes of records of this name, among these' },
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & { limit?: number; name?: string }, context) =>
    withRest(context, options, async (session) =>
      (await import('../rest/changes.ts')).listChanges(session, zone, options),
    ),
});

export const command: CommandGroup = {
  name: 'changes',
  describe: 'the history of a zone (over the REST API)',
  commands: [list],
};
