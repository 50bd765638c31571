// `zonestead zones …`: zones, over the REST API.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand, type OptionDescription } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import {
  DRY_RUN_OPTION,
  type DryRunOption,
  FORCE_OPTION,
  type ForceOption,
  sayer,
  YES_OPTION,
  type YesOption,
} from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import type { ManifestFormat } from './export.ts';

interface PropertyOptions extends OutputOption, DryRunOption {
  defaultTtl?: number;
  comment?: string;
}

interface ExportOptions {
  format: 'zonefile' | 'manifests';
  namespace?: string;
  output?: ManifestFormat;
}

type ApplyOptions = OutputOption & DryRunOption & YesOption & ForceOption & { zone?: string };

const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;
const DEFAULT_TTL: OptionDescription = {
  flags: '--default-ttl <seconds>',
  describe: 'TTL of records that have none of their own',
  value: 'number',
};
const COMMENT = '--comment <text>';
const load = () => import('./properties.ts');

const list = describeCommand({
  name: 'list',
  describe: 'list the zones that the API key can see',
  options: [OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: (_args, options: OutputOption, context) =>
    withRest(context, options, async (session) => (await load()).listZones(session)),
});

const create = describeCommand({
  name: 'create',
  describe: 'create a zone',
  arguments: [{ usage: '<name>', describe: 'name of the zone' }],
  options: [
    {
      flags: '--owner <owner>',
      describe: 'org:<teamId>, or personal (default: the team or the user of the API key)',
    },
    DEFAULT_TTL,
    { flags: COMMENT, describe: 'a comment, which is not in DNS' },
    { flags: '--new-key', describe: 'make a new DNSSEC key, also if a zone of this name was deleted lately' },
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([name = ''], options: PropertyOptions & { owner?: string; newKey?: boolean }, context) =>
    withRest(context, options, async (session) => (await load()).createZone(session, name, options)),
});

const update = describeCommand({
  name: 'update',
  describe: 'change the default TTL or the comment of a zone',
  arguments: [ZONE],
  options: [DEFAULT_TTL, { flags: COMMENT, describe: 'new comment; "" removes it' }, DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: PropertyOptions, context) =>
    withRest(context, options, async (session) => (await load()).updateZone(session, zone, options)),
});

const get = describeCommand({
  name: 'get',
  describe: 'show a zone with the records for its parent zone',
  arguments: [ZONE],
  options: [OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption, context) =>
    withRest(context, options, async (session) => (await load()).getZone(session, zone)),
});

const remove = describeCommand({
  name: 'delete',
  describe: 'delete a zone with all its records',
  arguments: [ZONE],
  options: [YES_OPTION, FORCE_OPTION, DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & YesOption & ForceOption & DryRunOption, context) =>
    withRest(context, options, async (session) => (await load()).deleteZone(session, zone, options)),
});

const status = describeCommand({
  name: 'status',
  describe:
    'show which nodes and secondaries have a zone as it is stored, and the serial that each name server answers with',
  arguments: [ZONE],
  options: [OUTPUT_OPTION],
  settings: [...REST_SETTINGS, 'ZONESTEAD_NAMESERVER_ADDRESSES'],
  run: ([zone = ''], options: OutputOption, context) =>
    withRest(context, options, async (session) =>
      (await import('./status.ts')).showStatus(session, zone, context.config().ZONESTEAD_NAMESERVER_ADDRESSES),
    ),
});

const secondaries = describeCommand({
  name: 'secondaries',
  describe: 'show the secondaries of a zone, and choose among those that are offered',
  arguments: [ZONE],
  options: [
    { flags: '--add <secondary>', describe: 'a secondary that is to have the zone', value: 'list' },
    { flags: '--remove <secondary>', describe: 'a secondary that you chose and no longer want', value: 'list' },
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & DryRunOption & { add?: string[]; remove?: string[] }, context) =>
    withRest(context, options, async (session) =>
      (await import('./secondaries.ts')).zoneSecondaries(session, zone, options),
    ),
});

const park = describeCommand({
  name: 'park',
  describe: 'stop serving the records of a zone, and keep them',
  arguments: [ZONE],
  options: [DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & DryRunOption, context) =>
    withRest(context, options, async (session) => (await load()).setParked(session, zone, true, options)),
});

const unpark = describeCommand({
  name: 'unpark',
  describe: 'serve the records of a parked zone again',
  arguments: [ZONE],
  options: [DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & DryRunOption, context) =>
    withRest(context, options, async (session) => (await load()).setParked(session, zone, false, options)),
});

const release = describeCommand({
  name: 'release',
  describe: 'let every team use the name of a deleted zone (over the database)',
  arguments: [{ usage: '<name>', describe: 'name of the deleted zone' }],
  options: [YES_OPTION, DRY_RUN_OPTION],
  notes: 'The records and the private key that are kept for a restore of the zone are deleted.',
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: YesOption & DryRunOption, { config, print, signal }) => {
    const { DATABASE_URL: url } = config();
    const { adminReleaseName } = await import('#service/zones/quarantine.ts');
    const { confirm } = await import('../confirm.ts');
    if (!options.dryRun) await confirm(`after this, the deleted zone ${name} cannot be restored`, options, signal);
    sayer(print, options)(`the name ${await adminReleaseName(url, name, new Date(), options)} is free`);
  },
});

const exportZone = describeCommand({
  name: 'export',
  describe: 'print a zone as a zone file, or as the DNSZone and the DNSRecords that take it over',
  arguments: [ZONE],
  options: [
    {
      flags: '--format <format>',
      describe: 'format of the file',
      choices: ['zonefile', 'manifests'],
      default: 'zonefile',
    },
    { flags: '-n, --namespace <namespace>', describe: 'namespace of the objects, for manifests' },
    {
      flags: '-o, --output <format>',
      describe: 'for manifests: YAML documents, or a List in JSON (default: yaml)',
      choices: ['yaml', 'json'],
    },
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], { format, namespace, output }: ExportOptions, context) => {
    if (format === 'zonefile' && output !== undefined) {
      throw new Error('--output is for --format manifests; a zone file has one form');
    }
    return withRest(context, { output: 'table' }, async (session) => {
      if (format === 'zonefile') return (await load()).exportZoneFile(session, zone);
      const { exportManifests } = await import('./export.ts');
      await exportManifests(session, zone, { format: output ?? 'yaml', namespace });
    });
  },
});

const apply = describeCommand({
  name: 'apply',
  describe: 'make the records of a zone those of a zone file, all or nothing',
  arguments: [{ usage: '<file>', describe: 'zone file; "-" reads standard input' }],
  options: [
    { flags: '--zone <zone>', describe: 'name or id of the zone (default: the first $ORIGIN of the file)' },
    YES_OPTION,
    FORCE_OPTION,
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  notes: 'Records of the zone that the file does not contain are deleted.',
  settings: REST_SETTINGS,
  run: async ([path = ''], options: ApplyOptions, context) => {
    const { readInput } = await import('../input.ts');
    const text = await readInput(path, context.signal);
    await withRest(context, options, async (session) =>
      (await import('./apply.ts')).applyZoneFile(session, { path, text }, options),
    );
  },
});

const restore = describeCommand({
  name: 'restore',
  describe: 'bring back a deleted zone, or make the records of a zone those of an earlier time',
  arguments: [{ usage: '<zone>', describe: 'name of the zone; with --at, also its id' }],
  options: [
    {
      flags: '--at <time>',
      describe:
        'time of the records in ISO 8601, for instance 2026-11-21T10:31:00Z (default: bring back a deleted zone)',
    },
    YES_OPTION,
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & DryRunOption & YesOption & { at?: string }, context) =>
    withRest(context, options, async (session) => {
      const { restoreRecords, restoreZone } = await import('../changes/undo.ts');
      return options.at === undefined
        ? restoreZone(session, zone, options)
        : restoreRecords(session, zone, options.at, options);
    }),
});

const deleted = describeCommand({
  name: 'deleted',
  describe: 'list the deleted zones that "zones restore" can bring back, and until when',
  options: [OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: (_args, options: OutputOption, context) =>
    withRest(context, options, async (session) => (await import('../changes/undo.ts')).listDeletedZones(session)),
});

const ds = describeCommand({
  name: 'ds',
  describe: 'print the DS records for the parent zone',
  arguments: [ZONE],
  options: [OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption, context) =>
    withRest(context, options, async (session) => (await load()).showDs(session, zone)),
});

export const command: CommandGroup = {
  name: 'zones',
  describe: 'manage zones (over the REST API)',
  commands: [
    list,
    create,
    update,
    get,
    status,
    secondaries,
    remove,
    deleted,
    park,
    unpark,
    exportZone,
    apply,
    restore,
    release,
    ds,
  ],
};
