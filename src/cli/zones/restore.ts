// `zonestead zones restore` and `deleted`: records as they were, and deleted zones that come back.
import { fetchZones } from '#client/lists.ts';
import * as undoApi from '#contract/operations/undo.ts';
import { DRY_RUN_OPTION, type DryRunOption, YES_OPTION, type YesOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { sendUndo } from '../rest/undo.ts';
import { table } from '../table.ts';

type RestoreOptions = DryRunOption & YesOption & { at?: string };

export const restore = describeRestCommand({
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
  ],
  waits: true,
  examples: [
    'zonestead zones restore shop.example',
    'zonestead zones restore shop.example --at 2026-11-21T10:31:00Z --dry-run',
  ],
  run: (session, [zone = ''], options: RestoreOptions) =>
    options.at === undefined ? restoreZone(session, zone, options) : restoreRecords(session, zone, options.at, options),
});

export const deleted = describeRestCommand({
  name: 'deleted',
  describe: 'list the deleted zones that "zones restore" can bring back, and until when',
  run: listDeletedZones,
});

/** The records of a zone as they were at a time. @throws Error if the service refuses */
async function restoreRecords(
  session: Session,
  nameOrId: string,
  at: string,
  options: DryRunOption & YesOption,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  await sendUndo(session, zone.zoneName, options, (dryRun) =>
    client.call(undoApi.restoreRecords, { params: { id: zone.id }, body: { at, dryRun } }, { signal }),
  );
  if (!options.dryRun) await session.served?.(zone.id);
}

/** The deleted zones that can be brought back, and until when. */
async function listDeletedZones(session: Session): Promise<void> {
  const { zones } = await session.client.call(undoApi.listDeletedZones, {}, { signal: session.signal });
  await show(session, { zones }, () =>
    table(
      ['ZONE', 'RECORDS', 'DELETED AT', 'UNTIL', 'OWNER', 'ID'],
      zones.map(({ zoneName, records, deletedAt, until, owner, zoneId }) => [
        zoneName,
        String(records),
        deletedAt,
        until,
        owner,
        zoneId,
      ]),
      session.print,
    ),
  );
}

/** Brings back a deleted zone. @throws Error if the zone exists, and if the service refuses */
async function restoreZone(session: Session, name: string, { dryRun }: DryRunOption): Promise<void> {
  const { client, signal, print } = session;
  const [exists] = await fetchZones(client, { zoneName: name }, { signal });
  if (exists !== undefined) {
    throw new Error(`${name} exists; to make its records those of an earlier time, say which time with --at`);
  }
  const answer = await client.call(undoApi.restoreZone, { body: { zoneName: name, dryRun } }, { signal });
  if ('dryRun' in answer) {
    const { zoneName, deletedAt, until, records } = answer;
    const what = `${zoneName}, deleted at ${deletedAt}, would come back with ${inWords(records)}; this is possible until ${until}`;
    return show(session, answer, () => print(what));
  }
  const { id, zoneName, records } = answer;
  await show(session, answer, () => print(`${zoneName} is back with ${inWords(records)} and the same DNSSEC key`));
  await session.served?.(id);
}

const inWords = (records: number) => (records === 1 ? '1 record' : `${records} records`);
