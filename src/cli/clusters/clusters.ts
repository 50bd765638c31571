// `zonestead clusters …`: the installations that write records, over the REST API.
import { type CommandGroup, describeCommand } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

const NAME = [{ usage: '<name>', describe: 'name of the cluster' }];
const OWNER = {
  flags: '--owner <owner>',
  describe: 'org:<teamId>, or personal (default: all clusters that the API key can see)',
};
const load = () => import('./change.ts');
type Options = OutputOption & DryRunOption & { owner?: string };
const CHANGE = [OWNER, DRY_RUN_OPTION, OUTPUT_OPTION];
const NOTES =
  'It needs the personal key of an owner of the team. A dry run shows the cluster, and does not check this right.';

const list = describeCommand({
  name: 'list',
  describe: 'list the clusters with their state and last heartbeat',
  options: [OWNER, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: (_args, options: Options, context) =>
    withRest(context, options, async (session) => (await load()).listClusters(session, options.owner)),
});

const drain = describeCommand({
  name: 'drain',
  describe: 'withdraw the records of a cluster wherever other records are at their name and type',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  settings: REST_SETTINGS,
  run: ([name = ''], options: Options, context) =>
    withRest(context, options, async (session) => (await load()).drainCluster(session, name, options)),
});

const restore = describeCommand({
  name: 'restore',
  describe: 'serve the records of a drained cluster again',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  settings: REST_SETTINGS,
  run: ([name = ''], options: Options, context) =>
    withRest(context, options, async (session) => (await load()).restoreCluster(session, name, options)),
});

const release = describeCommand({
  name: 'release',
  describe: 'give the name of a cluster to the next API key, after the key of its operator was replaced',
  arguments: NAME,
  options: CHANGE,
  notes: `${NOTES} The cluster and its records stay.`,
  settings: REST_SETTINGS,
  run: ([name = ''], options: Options, context) =>
    withRest(context, options, async (session) => (await load()).releaseCluster(session, name, options)),
});

const remove = describeCommand({
  name: 'remove',
  describe: 'remove a cluster that sends no heartbeats and owns no records',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  settings: REST_SETTINGS,
  run: ([name = ''], options: Options, context) =>
    withRest(context, options, async (session) => (await load()).removeCluster(session, name, options)),
});

export const command: CommandGroup = {
  name: 'clusters',
  describe: 'installations that write records: their heartbeats, and which of them are served',
  commands: [list, drain, restore, release, remove],
};
