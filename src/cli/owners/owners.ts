// `zonestead owners …`: the owners of records, over the REST API.
import { type CommandGroup, describeCommand } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import { DRY_RUN_OPTION, type DryRunOption, YES_OPTION, type YesOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

const list = describeCommand({
  name: 'list',
  describe: 'list the owners in a zone and the records that they own',
  arguments: [{ usage: '<zone>', describe: 'name or id of the zone' }],
  options: [
    { flags: '--prefix <text>', describe: 'list only owners that begin with this text, for instance k8s:prod/' },
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & { prefix?: string }, context) =>
    withRest(context, options, async (session) =>
      (await import('./release.ts')).listOwners(session, zone, options.prefix),
    ),
});

const release = describeCommand({
  name: 'release',
  describe:
    'release everything that an owner has in a zone; its records are deleted, or stay if the owner retains them',
  arguments: [
    { usage: '<zone>', describe: 'name or id of the zone' },
    { usage: '<owner>', describe: 'the owner, as "owners list" prints it' },
  ],
  options: [YES_OPTION, DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = '', owner = ''], options: OutputOption & YesOption & DryRunOption, context) =>
    withRest(context, options, async (session) =>
      (await import('./release.ts')).releaseOwner(session, zone, owner, options),
    ),
});

export const command: CommandGroup = {
  name: 'owners',
  describe: 'owners of records: Kubernetes objects, external-dns and others that apply their own records',
  commands: [list, release],
};
