// `zonestead admin zones …`: the names of deleted zones, over the database of the service.
import type { CommandGroup } from '../command.ts';
import { confirm } from '../confirm.ts';
import { DRY_RUN_OPTION, type DryRunOption, sayer, YES_OPTION, type YesOption } from '../options.ts';
import { type Administration, describeAdminCommand } from './command.ts';

const release = describeAdminCommand({
  name: 'release',
  describe: 'let every team use the name of a deleted zone',
  arguments: [{ usage: '<name>', describe: 'name of the deleted zone' }],
  options: [YES_OPTION, DRY_RUN_OPTION],
  notes: 'The records and the private key that are kept for a restore of the zone are deleted.',
  run: (administration, [name = ''], options: YesOption & DryRunOption) => releaseName(administration, name, options),
});

export const zones: CommandGroup = {
  name: 'zones',
  describe: 'release the names of deleted zones',
  commands: [release],
};

async function releaseName(
  { url, print, signal }: Administration,
  name: string,
  options: YesOption & DryRunOption,
): Promise<void> {
  const { adminReleaseName } = await import('#service/zones/quarantine.ts');
  if (!options.dryRun) await confirm(`after this, the deleted zone ${name} cannot be restored`, options, signal);
  sayer(print, options)(`the name ${await adminReleaseName(url, name, new Date(), options)} is free`);
}
