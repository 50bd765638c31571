// `zonestead secondaries …`: name servers of others that transfer zones, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand, type OptionDescription } from '../command.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import type { AddOptions, ConfigOptions, SecondaryOptions } from './secondaries.ts';

const NAME = [{ usage: '<name>', describe: 'name of the secondary' }];
const load = () => import('./secondaries.ts');

const ADDRESS: OptionDescription = {
  flags: '--address <address>',
  describe: 'where it answers and gets NOTIFY: 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:5353',
  value: 'list',
};
const TRANSFERS_FROM: OptionDescription = {
  flags: '--transfers-from <address>',
  describe: 'a further address or network (10.244.0.0/16) that it transfers from',
  value: 'list',
};
const NS: OptionDescription = {
  flags: '--ns <host>',
  describe: 'a host name for the NS records of its zones; without one it is hidden',
  value: 'list',
};
const OFFERS: readonly OptionDescription[] = [
  { flags: '--offer-to-all', describe: 'the owner of any zone may choose it (default: no offer)' },
  { flags: '--offer-to-team <team>', describe: 'this team may choose it for its zones', value: 'list' },
  {
    flags: '--offer-to-namespace <team/namespace>',
    describe: "DNSZones of this Kubernetes namespace may choose it; the operator's key belongs to the team",
    value: 'list',
  },
];
const ALGORITHMS = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];

const add = describeCommand({
  name: 'add',
  describe: 'add a secondary',
  arguments: NAME,
  options: [
    { ...ADDRESS, isRequired: true },
    TRANSFERS_FROM,
    NS,
    { flags: '--all-zones', describe: 'it gets all zones (default: only listed ones)' },
    { flags: '--zone <zone>', describe: 'a zone that it gets', value: 'list' },
    ...OFFERS,
    { flags: '--no-catalog', describe: 'it gets no catalog zone' },
    { flags: '--no-notify', describe: 'it gets no NOTIFY and finds changes by itself' },
    { flags: '--tsig-name <name>', describe: 'name of its TSIG key (default: <name>.zonestead)' },
    {
      flags: '--tsig-algorithm <algorithm>',
      describe: 'algorithm of the key (default: hmac-sha256)',
      choices: ALGORITHMS,
    },
    { flags: '--tsig-secret-file <file>', describe: 'file with the secret in base64 (default: a new secret is made)' },
    DRY_RUN_OPTION,
  ],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: AddOptions, { config, print, signal }) =>
    (await load()).runSecondariesAdd(config(), name, options, print, signal),
});

const change = describeCommand({
  name: 'change',
  describe: 'change a secondary; everything that no option names stays as it is',
  arguments: NAME,
  options: [
    ADDRESS,
    TRANSFERS_FROM,
    { flags: '--no-transfers-from', describe: 'it transfers only from its addresses' },
    NS,
    { flags: '--no-ns', describe: 'it leaves the NS records of its zones' },
    { flags: '--all-zones', describe: 'it gets all zones' },
    { flags: '--no-all-zones', describe: 'it gets only listed zones' },
    { flags: '--zone <zone>', describe: 'a zone that it gets; the list becomes these zones', value: 'list' },
    ...OFFERS,
    { flags: '--no-offer', describe: 'ends the offer; zones that have it keep it' },
    { flags: '--catalog', describe: 'it gets a catalog zone' },
    { flags: '--no-catalog', describe: 'it gets no catalog zone' },
    { flags: '--notify', describe: 'it gets NOTIFY' },
    { flags: '--no-notify', describe: 'it gets no NOTIFY and finds changes by itself' },
    { flags: '--tsig-name <name>', describe: 'name of its TSIG key' },
    {
      flags: '--tsig-algorithm <algorithm>',
      describe: 'algorithm of the key; another one needs a new secret, which is made without a file',
      choices: ALGORITHMS,
    },
    { flags: '--tsig-secret-file <file>', describe: 'file with the secret in base64' },
    DRY_RUN_OPTION,
  ],
  notes: 'An option that can be repeated replaces the list: name all addresses, hosts, zones or offers.',
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: SecondaryOptions, { config, print, signal }) =>
    (await load()).runSecondariesChange(config(), name, options, print, signal),
});

const apply = describeCommand({
  name: 'apply',
  describe: 'make the secondaries of a JSON file what the file says; others stay as they are',
  arguments: [
    {
      usage: '<file>',
      describe:
        'a list of objects with name, addresses, transfersFrom, nameservers, zones, offer, catalog, notify, tsig',
    },
  ],
  options: [DRY_RUN_OPTION],
  settings: DATABASE_SETTINGS,
  run: async ([path = ''], options: DryRunOption, { config, print, signal }) =>
    (await load()).runSecondariesApply(config(), path, options, print, signal),
});

const list = describeCommand({
  name: 'list',
  describe: 'list the secondaries with their state',
  options: [OUTPUT_OPTION],
  settings: DATABASE_SETTINGS,
  run: async (_args, { output }: OutputOption, { config, print }) =>
    (await load()).runSecondariesList(config(), { format: output, print }),
});

const show = describeCommand({
  name: 'show',
  describe: 'print a secondary with the zones that are behind',
  arguments: NAME,
  options: [{ ...OUTPUT_OPTION, choices: ['json', 'yaml'], default: 'json' }],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], { output }: OutputOption, { config, print }) =>
    (await load()).runSecondariesShow(config(), name, { format: output, print }),
});

const zones = describeCommand({
  name: 'zones',
  describe: 'change the list of the zones that a secondary gets',
  arguments: NAME,
  options: [
    { flags: '--add <zone>', describe: 'a zone that it gets from now on; may be repeated', value: 'list' },
    { flags: '--remove <zone>', describe: 'a zone that it gets no longer; may be repeated', value: 'list' },
    DRY_RUN_OPTION,
  ],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: DryRunOption & { add?: string[]; remove?: string[] }, { config, print }) =>
    (await load()).runSecondariesZones(config(), name, options, print),
});

const remove = describeCommand({
  name: 'remove',
  describe: 'remove a secondary',
  arguments: NAME,
  options: [DRY_RUN_OPTION],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: DryRunOption, { config, print }) =>
    (await load()).runSecondariesRemove(config(), name, options, print),
});

const config = describeCommand({
  name: 'config',
  describe: 'print the configuration for the other side, with the secret of its key',
  arguments: NAME,
  options: [
    { flags: '--for <server>', describe: 'its name server', isRequired: true, choices: ['bind', 'knot', 'nsd'] },
    {
      flags: '--primary <address>',
      describe: 'an address of one of your name servers, the usual source first; may be repeated',
      isRequired: true,
      value: 'list',
    },
    {
      flags: '--listen <address>',
      describe: 'an address that it listens on; may be repeated (default: its addresses)',
      value: 'list',
    },
    { flags: '--folder <folder>', describe: 'its folder for zones', default: '/var/lib/zonestead-secondary' },
  ],
  settings: DATABASE_SETTINGS,
  run: async ([name = ''], options: ConfigOptions, context) =>
    (await load()).runSecondariesConfig(context.config(), name, options, context.print),
});

export const command: CommandGroup = {
  name: 'secondaries',
  describe: 'administer the secondaries that transfer zones (over the database)',
  commands: [add, change, apply, list, show, zones, remove, config],
};
