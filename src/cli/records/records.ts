// `zonestead records …`: records, over the REST API.
import { type CommandGroup, describeCommand, type OptionDescription } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import {
  DRY_RUN_OPTION,
  type DryRunOption,
  FORCE_OPTION,
  type ForceOption,
  quotingHint,
  YES_OPTION,
  type YesOption,
} from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

interface WriteOptions extends OutputOption, DryRunOption {
  /** False after --no-ttl. */
  ttl?: number | false;
  priority?: number;
  comment?: string;
}

const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;
const NAME = { usage: '<name>', describe: 'name relative to the zone; "@" is the name of the zone itself' } as const;
const TYPE = { usage: '<type>', describe: 'record type, for instance A' } as const;
const RECORD_ID = { usage: '<recordId>', describe: 'id of the record, as "records list" prints it' } as const;
const CONTENT = 'content in zone-file syntax; for MX, the priority may be first';
const TTL = '--ttl <seconds>';
const NO_TTL: OptionDescription = { flags: '--no-ttl', describe: 'use the default TTL of the zone' };
const PRIORITY: OptionDescription = {
  flags: '--priority <number>',
  describe: 'priority of an MX record',
  value: 'number',
};
const COMMENT = '--comment <text>';
const IF_MATCH: OptionDescription = {
  flags: '--if-match <etag>',
  describe: 'do so only if the record still has this ETag, as "records list --etags" prints it',
};
const load = () => import('./write.ts');

const list = describeCommand({
  name: 'list',
  describe: 'list the records of a zone, with their comments after ";"',
  arguments: [ZONE],
  options: [
    { flags: '--name <name>', describe: 'list only records of this name' },
    { flags: '--type <type>', describe: 'list only records of this type' },
    { flags: '--etags', describe: 'print the ETag of each record, for --if-match' },
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & { name?: string; type?: string; etags?: boolean }, context) =>
    withRest(context, options, async (session) => (await load()).listRecords(session, zone, options)),
});

const create = describeCommand({
  name: 'create',
  describe: 'create a record',
  arguments: [ZONE, NAME, TYPE, { usage: '<content>', describe: CONTENT }],
  options: [
    { flags: TTL, describe: 'TTL (default: the default TTL of the zone)', value: 'number' },
    PRIORITY,
    { flags: COMMENT, describe: 'a comment, which is not in DNS' },
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  hint: quotingHint(),
  settings: REST_SETTINGS,
  run: ([zone = '', name = '', type = '', content = ''], options: WriteOptions, context) =>
    withRest(context, options, async (session) =>
      (await load()).createRecord(session, zone, { name, type, content }, options),
    ),
});

const set = describeCommand({
  name: 'set',
  describe: 'make the records of a name and type exactly these values',
  arguments: [
    ZONE,
    NAME,
    TYPE,
    { usage: '<values...>', describe: 'contents in zone-file syntax; for MX, with the priority first' },
  ],
  options: [
    { flags: TTL, describe: 'TTL of all values (default: the records keep the TTL that they share)', value: 'number' },
    NO_TTL,
    { flags: COMMENT, describe: 'comment of all values; "" removes it (default: records keep their comments)' },
    YES_OPTION,
    FORCE_OPTION,
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  hint: quotingHint(),
  settings: REST_SETTINGS,
  run: ([zone = '', name = '', type = '', ...values], options: WriteOptions & YesOption & ForceOption, context) =>
    withRest(context, options, async (session) =>
      (await import('./set.ts')).setRecords(session, zone, { name, type, values }, options),
    ),
});

const update = describeCommand({
  name: 'update',
  describe: 'change a record; values without an option or argument stay as they are',
  arguments: [ZONE, RECORD_ID, { usage: '[content]', describe: `new ${CONTENT}` }],
  options: [
    { flags: TTL, describe: 'new TTL', value: 'number' },
    NO_TTL,
    PRIORITY,
    { flags: COMMENT, describe: 'new comment; "" removes it' },
    IF_MATCH,
    FORCE_OPTION,
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = '', recordId = '', content], options: WriteOptions & ForceOption & { ifMatch?: string }, context) =>
    withRest(context, options, async (session) =>
      (await load()).updateRecord(session, zone, recordId, { ...options, content }),
    ),
});

const remove = describeCommand({
  name: 'delete',
  describe: 'delete a record by its id, or the records of a name and type',
  arguments: [
    ZONE,
    { usage: '<recordIdOrName>', describe: 'id of the record, as "records list" prints it, or the name of records' },
    { usage: '[type]', describe: 'type of the records, after a name' },
    { usage: '[content]', describe: 'delete only the record with this content' },
  ],
  options: [IF_MATCH, YES_OPTION, FORCE_OPTION, DRY_RUN_OPTION, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: (
    [zone = '', name = '', type, content],
    options: OutputOption & YesOption & ForceOption & DryRunOption & { ifMatch?: string },
    context,
  ) =>
    withRest(context, options, async (session) =>
      (await load()).deleteRecords(session, zone, { name, type, content }, options),
    ),
});

export const command: CommandGroup = {
  name: 'records',
  describe: 'manage records (over the REST API)',
  commands: [list, create, set, update, remove],
};
