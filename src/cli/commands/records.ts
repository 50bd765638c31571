// `zonestead records …`: records, over the REST API.
import { type CommandGroup, describeCommand, type OptionDescription } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { REST_SETTINGS, withRest } from './rest.ts';

interface WriteOptions extends OutputOption {
  ttl?: number;
  priority?: number;
  comment?: string;
}

const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;
const RECORD_ID = { usage: '<recordId>', describe: 'id of the record, as "records list" prints it' } as const;
const WRITE_OPTIONS: readonly OptionDescription[] = [
  { flags: '--ttl <seconds>', describe: 'TTL (default: the default TTL of the zone)', value: 'number' },
  { flags: '--priority <number>', describe: 'priority of an MX record', value: 'number' },
];
const COMMENT = '--comment <text>';
const load = () => import('../rest/records.ts');

const list = describeCommand({
  name: 'list',
  describe: 'list the records of a zone, with their comments after ";"',
  arguments: [ZONE],
  options: [
    { flags: '--name <name>', describe: 'list only records of this name' },
    { flags: '--type <type>', describe: 'list only records of this type' },
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = ''], options: OutputOption & { name?: string; type?: string }, context) =>
    withRest(context, options, async (session) => (await load()).listRecords(session, zone, options)),
});

const create = describeCommand({
  name: 'create',
  describe: 'create a record',
  arguments: [
    ZONE,
    { usage: '<name>', describe: 'name relative to the zone; "@" is the name of the zone itself' },
    { usage: '<type>', describe: 'record type, for instance A' },
    { usage: '<content>', describe: 'content in zone-file syntax' },
  ],
  options: [...WRITE_OPTIONS, { flags: COMMENT, describe: 'a comment, which is not in DNS' }, OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = '', name = '', type = '', content = ''], options: WriteOptions, context) =>
    withRest(context, options, async (session) =>
      (await load()).createRecord(session, zone, [name, type, content], writesOf(options)),
    ),
});

const update = describeCommand({
  name: 'update',
  describe: 'replace the content, the TTL and the priority of a record',
  arguments: [ZONE, RECORD_ID, { usage: '<content>', describe: 'new content in zone-file syntax' }],
  options: [
    ...WRITE_OPTIONS,
    { flags: COMMENT, describe: 'new comment; "" removes it (default: the record keeps its comment)' },
    OUTPUT_OPTION,
  ],
  settings: REST_SETTINGS,
  run: ([zone = '', recordId = '', content = ''], options: WriteOptions, context) =>
    withRest(context, options, async (session) =>
      (await load()).updateRecord(session, zone, recordId, content, writesOf(options)),
    ),
});

const remove = describeCommand({
  name: 'delete',
  describe: 'delete a record',
  arguments: [ZONE, RECORD_ID],
  options: [OUTPUT_OPTION],
  settings: REST_SETTINGS,
  run: ([zone = '', recordId = ''], options: OutputOption, context) =>
    withRest(context, options, async (session) => (await load()).deleteRecord(session, zone, recordId)),
});

export const command: CommandGroup = {
  name: 'records',
  describe: 'manage records (over the REST API)',
  commands: [list, create, update, remove],
};

function writesOf({ ttl, priority, comment }: WriteOptions) {
  return {
    ...(ttl === undefined ? {} : { ttl }),
    ...(priority === undefined ? {} : { priority }),
    ...(comment === undefined ? {} : { comment }),
  };
}
