// `zonestead keys …`: API keys, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand, type OptionDescription } from '../command.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

/** The rights of keys and of trusts. */
export const RIGHTS_OPTIONS: readonly OptionDescription[] = [
  {
    flags: '--records <level>',
    describe: 'access to the records of all zones: none, read or write',
    default: 'write',
  },
  { flags: '--manage-zones <level>', describe: 'access to zones: none, read or write', default: 'none' },
  {
    flags: '--clusters <level>',
    describe: 'heartbeats of clusters, for a key of the operator: none or write',
    default: 'none',
  },
  {
    flags: '--grant <zoneId=level>',
    describe: 'access to the records of one zone; overrides --records; can be repeated',
    value: 'list',
  },
  {
    flags: '--only-name <pattern>',
    describe: 'allow only names that match, for instance _acme-challenge.*; can be repeated',
    value: 'list',
  },
  { flags: '--only-type <type>', describe: 'allow only records of this type; can be repeated', value: 'list' },
  { flags: '--network <cidr>', describe: 'accept requests only from this network; can be repeated', value: 'list' },
  { flags: '--expires <time>', describe: 'end in ISO 8601, for instance 2027-01-31T00:00:00Z' },
  { flags: '--zone-writes <number>', describe: 'zone writes a minute, instead of the limit of the service' },
  { flags: '--record-writes <number>', describe: 'record writes a minute, instead of the limit of the service' },
];

const create = describeCommand({
  name: 'mint',
  describe: 'create an API key for a team, or for a name server, and print it once',
  options: [
    {
      flags: '--team <team>',
      describe: 'team by name or by id ("teams list")',
    },
    CREATE_TEAM_OPTION,
    { flags: '--name <name>', describe: 'purpose of the key' },
    {
      flags: '--node <name>',
      describe:
        'name of a name server, instead of --team and --name: the key can only read the feed, with the private keys of all zones, and report',
    },
    ...RIGHTS_OPTIONS,
    {
      flags: '--tsig',
      describe: 'also make a TSIG key with the same rights, for DNS updates and transfers, and print it as a key file',
    },
    {
      flags: '--tsig-algorithm <algorithm>',
      describe:
        'algorithm of the TSIG key: hmac-sha1, hmac-sha224, hmac-sha256 (the default), hmac-sha384, hmac-sha512, or hmac-md5 for old clients; implies --tsig',
    },
  ],
  notes: 'Give --team and --name, or --node. With --node, only --network and --expires restrict the key.',
  settings: DATABASE_SETTINGS,
  run: async (_args, options: object, { config, print }) => {
    const { runKeysMint } = await import('./keys.ts');
    await runKeysMint(config(), options, print);
  },
});

const list = describeCommand({
  name: 'list',
  describe: 'list API keys, without their secrets',
  options: [{ flags: '--team <name>', describe: 'list only the keys of this team' }, OUTPUT_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, { team, output }: OutputOption & { team?: string }, { config, print }) => {
    const { runKeysList } = await import('./keys.ts');
    await runKeysList(config(), team, { format: output, print });
  },
});

const revoke = describeCommand({
  name: 'revoke',
  describe: 'revoke an API key permanently',
  arguments: [{ usage: '<keyId>', describe: 'id of the key, as "keys list" prints it' }],
  options: [DRY_RUN_OPTION],
  settings: DATABASE_SETTINGS,
  run: async ([keyId = ''], options: DryRunOption, { config, print }) => {
    const { runKeysRevoke } = await import('./keys.ts');
    await runKeysRevoke(config(), keyId, options, print);
  },
});

export const command: CommandGroup = {
  name: 'keys',
  describe: 'manage API keys (over the database)',
  commands: [create, list, revoke],
};
