// `zonestead changes …`: the history of a zone, over the REST API.
import { type CommandGroup, describeCommand } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import { DRY_RUN_OPTION, type DryRunOption, YES_OPTION, type YesOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

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
    withRest(context, options, async (session) => (await import('./list.ts')).listChanges(session, zone, options)),
});

const undo = describeCommand({
  name: 'undo',
  describe: 'undo changes of records: the records become as they were before',
  arguments: [ZONE, { usage: '[changeIds...]', describe: 'ids of changes, as "changes list" prints them' }],
  options: [
    { flags: '--request <requestId>', describe: 'undo all changes of a request' },
    { flags: '--key <keyId>', describe: 'undo all changes of an API key since a time' },
    { flags: '--since <time>', describe: 'time in ISO 8601 for --key, for instance 2026-11-21T10:31:00Z' },
    YES_OPTION,
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  notes:
    'If another change of the same records came later, or an owner has them, the service refuses and changes nothing.',
  settings: REST_SETTINGS,
  run: ([zone = '', ...ids], options: OutputOption & DryRunOption & YesOption, context) =>
    withRest(context, options, async (session) => (await import('./undo.ts')).undoChanges(session, zone, ids, options)),
});

export const command: CommandGroup = {
  name: 'changes',
  describe: 'the history of a zone (over the REST API)',
  commands: [list, undo],
};
