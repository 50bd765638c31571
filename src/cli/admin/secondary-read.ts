// `zonestead admin secondaries list` and `show`
import { catalogName } from '#dns/secondaries/catalog.ts';
import { endpointText } from '#dns/secondaries/secondary.ts';
import type { ShownSecondary } from '#service/secondaries/administration.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';
import { NAME } from './secondary-options.ts';

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
