// `zonestead zones delete`, `park` and `unpark`: the end of a zone in DNS.
import { fetchRecords } from '#client/lists.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import { confirm } from '../confirm.ts';
import {
  DRY_RUN_OPTION,
  type DryRunOption,
  FORCE_OPTION,
  type ForceOption,
  YES_OPTION,
  type YesOption,
} from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { confirmOwned, ownedLines } from '../rest/owned.ts';
import { showEffect } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';

type DeleteOptions = YesOption & ForceOption & DryRunOption;

export const remove = describeRestCommand({
  name: 'delete',
  describe: 'delete a zone with all its records',
  arguments: [ZONE],
  options: [YES_OPTION, FORCE_OPTION, DRY_RUN_OPTION],
  examples: ['zonestead zones delete shop.example --dry-run', 'zonestead zones delete shop.example --yes'],
  run: (session, [zone = ''], options: DeleteOptions) => deleteZone(session, zone, options),
});

export const park = describeRestCommand({
  name: 'park',
  describe: 'stop serving the records of a zone, and keep them',
  arguments: [ZONE],
  options: [DRY_RUN_OPTION],
  examples: ['zonestead zones park shop.example'],
  run: (session, [zone = ''], options: DryRunOption) => setParked(session, zone, true, options),
});

export const unpark = describeRestCommand({
  name: 'unpark',
  describe: 'serve the records of a parked zone again',
  arguments: [ZONE],
  options: [DRY_RUN_OPTION],
  run: (session, [zone = ''], options: DryRunOption) => setParked(session, zone, false, options),
});

/**
 * @throws Error unless it is confirmed, because all records are deleted with the zone. Records that have owners need
 * `force`.
 */
async function deleteZone(session: Session, nameOrId: string, options: DeleteOptions): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records = await fetchRecords(client, zone.id, { owners: true }, { signal });
  const owned = ownedLines(records).length;
  if (options.dryRun) {
    const { length } = records;
    const words = `${length} records${owned === 0 ? '' : `, of which ${owned} have owners`}`;
    return showEffect(
      session,
      { delete: zone.id, records: length, owned },
      `would delete ${zone.zoneName} with ${words}`,
    );
  }
  if (owned === 0) await confirm(`this deletes ${zone.zoneName} with all its records`, options, signal);
  else await confirmOwned(records, options, signal, `deletes ${zone.zoneName} with`);
  await client.call(zoneApi.deleteZone, { params: { id: zone.id } }, { signal });
  await show(session, { deleted: zone.id }, () => print(`${zone.zoneName} (${zone.id}) is deleted`));
}

async function setParked(session: Session, nameOrId: string, parked: boolean, { dryRun }: DryRunOption): Promise<void> {
  const { client, signal, print } = session;
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (dryRun) return showEffect(session, { parked }, `would ${parked ? 'park' : 'unpark'} ${zoneName}`);
  const zone = await client.call(parked ? zoneApi.parkZone : zoneApi.unparkZone, { params: { id } }, { signal });
  await show(session, zone, () => print(`${zone.zoneName} is ${zone.state}`));
}
