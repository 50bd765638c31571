// `zonestead admin secondaries list`, `show` and `config`
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import { endpointText } from '#dns/secondaries/secondary.ts';
import type { ShownSecondary } from '#service/secondaries/administration.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';
import { NAME } from './secondary-options.ts';

const KINDS = { bind: bindConfig, knot: knotConfig, nsd: nsdConfig };

interface ConfigOptions {
  for: keyof typeof KINDS;
  primary?: string[];
  listen?: string[];
  folder: string;
}

const load = () => import('#service/secondaries/administration.ts');

export const list = describeAdminCommand({
  name: 'list',
  describe: 'list the secondaries with their state',
  options: [OUTPUT_OPTION],
  run: (administration, _args, options: OutputOption) => listSecondaries(administration, options),
});

export const showCommand = describeAdminCommand({
  name: 'show',
  describe: 'print a secondary with the zones that are behind',
  arguments: NAME,
  options: [{ ...OUTPUT_OPTION, choices: ['json', 'yaml'], default: 'json' }],
  run: (administration, [name = ''], options: OutputOption) => showSecondary(administration, name, options),
});

export const config = describeAdminCommand({
  name: 'config',
  describe: 'print the configuration for the other side, with the secret of its key',
  arguments: NAME,
  options: [
    { flags: '--for <server>', describe: 'its name server', isRequired: true, choices: ['bind', 'knot', 'nsd'] },
    {
      flags: '--primary <address>',
      describe: 'an address of one of your name servers, the usual source first',
      isRequired: true,
      value: 'list',
    },
    {
      flags: '--listen <address>',
      describe: 'an address that it listens on (default: its addresses)',
      value: 'list',
    },
    { flags: '--folder <folder>', describe: 'its folder for zones', default: '/var/lib/zonestead-secondary' },
  ],
  run: (administration, [name = ''], options: ConfigOptions) => printConfig(administration, name, options),
});

async function listSecondaries(administration: Administration, options: OutputOption): Promise<void> {
  const { adminListSecondaries } = await load();
  const all = await adminListSecondaries(administration.url);
  const rows = all.map((each) => [
    each.name,
    each.addresses.map(endpointText).join(' '),
    each.nameservers.join(' '),
    each.allZones ? 'all' : String(each.zones.length),
    offerOf(each),
    stateOf(each),
  ]);
  await show(outputOf(administration, options), { secondaries: all.map(withoutSecret) }, () =>
    table(['NAME', 'ADDRESSES', 'NAME SERVERS', 'ZONES', 'OFFERED TO', 'STATE'], rows, administration.print),
  );
}

async function showSecondary(administration: Administration, name: string, options: OutputOption): Promise<void> {
  const { adminShowSecondary } = await load();
  const found = await adminShowSecondary(administration.url, name);
  const secondary = { ...withoutSecret(found), catalogZone: catalogName(name) };
  const output = outputOf(administration, options);
  await show(output, secondary, () => output.print(JSON.stringify(secondary, null, 2)));
}

/** Prints the configuration, with the secret of the key. @throws Error if the zones would be missing */
async function printConfig({ url, print }: Administration, name: string, options: ConfigOptions): Promise<void> {
  const { adminShowSecondary, toSecondary } = await load();
  const { parseSecondaryEndpoint } = await import('#service/secondaries/input.ts');
  const found = await adminShowSecondary(url, name);
  const { key, zones } = toSecondary(found, found.zones);
  const byCatalog = found.catalog && options.for !== 'nsd';
  if (!byCatalog && zones === 'all') {
    throw new Error(
      `${options.for} needs the names of the zones: list them (admin secondaries zones ${name} --add …), or use knot or bind`,
    );
  }
  const view = {
    primaries: (options.primary ?? []).map(parseSecondaryEndpoint),
    key,
    zones: byCatalog ? null : (zones as readonly string[]),
    catalog: catalogName(name),
  };
  const listen = (options.listen ?? found.addresses.map(endpointText)).map(parseSecondaryEndpoint);
  print(KINDS[options.for](view, { listen, folder: options.folder }));
}

function withoutSecret({ tsigSecret: _, ...rest }: ShownSecondary) {
  return rest;
}

function offerOf({ offer: { all, teams, namespaces } }: ShownSecondary): string {
  return all ? 'all teams' : [...teams, ...namespaces].join(', ') || 'none';
}

function stateOf({ report }: ShownSecondary): string {
  if (report === null) return 'not asked yet';
  if (report.silent !== null) return `silent: ${report.silent}`;
  return report.current === report.zones ? `current (${report.zones})` : `${report.current} of ${report.zones} current`;
}
