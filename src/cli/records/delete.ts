// `zonestead records delete`
import { fetchRecords, type RecordFilter } from '#client/lists.ts';
import * as recordApi from '#contract/operations/records.ts';
import type { ListedRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import { confirm } from '../confirm.ts';
import { listDifferences } from '../difference.ts';
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
import { confirmOwned } from '../rest/owned.ts';
import { showPreview } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { parsedRecords } from '../rest/stored-records.ts';
import { IF_MATCH, typeOf } from './options.ts';
import { formatRecord, recordOf } from './write.ts';

type DeleteOptions = YesOption & ForceOption & DryRunOption & { ifMatch?: string };

export const remove = describeRestCommand({
  name: 'delete',
  describe: 'delete a record by its id, or the records of a name and type',
  arguments: [
    ZONE,
    { usage: '<recordIdOrName>', describe: 'id of the record, as "records list" prints it, or the name of records' },
    { usage: '[type]', describe: 'type of the records, after a name' },
    { usage: '[content]', describe: 'delete only the record with this content' },
  ],
  options: [IF_MATCH, YES_OPTION, FORCE_OPTION, DRY_RUN_OPTION],
  waits: true,
  examples: [
    'zonestead records delete shop.example www A',
    'zonestead records delete shop.example www A 192.0.2.1',
    'zonestead records delete shop.example rec_4d1f0a4c8b62e7d03a95',
  ],
  run: (session, [zone = '', name = '', type, content], options: DeleteOptions) =>
    deleteRecords(session, zone, { name, type, content }, options),
});

/**
 * Deletes one record by its id, or the records of a name and type.
 * @throws Error if there is none, and unless the deletion of several is confirmed
 */
export async function deleteRecords(
  session: Session,
  nameOrId: string,
  { name, type, content }: { name: string; type: string | undefined; content: string | undefined },
  options: DeleteOptions,
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records: ListedRecord[] =
    type === undefined
      ? [(await recordOf(session, zone, name)).record]
      : await found(session, zone, { name, type: typeOf(type), content });
  if (options.dryRun)
    return showPreview(session, listDifferences(parsedRecords(zone, records), [], zone.defaultTtl), records);
  await confirmOwned(records, options, signal);
  const [only] = records;
  if (records.length === 1 && only !== undefined) {
    const params = { id: zone.id, recordId: only.id };
    await client.call(recordApi.deleteRecord, { params }, { signal, ifMatch: options.ifMatch });
  } else {
    if (options.ifMatch !== undefined) throw new Error(`--if-match is for one record, and ${records.length} match`);
    const what = `${name} ${type}`;
    await confirm(`this deletes ${records.length} records of ${what} in ${zone.zoneName}`, options, signal);
    const changes = records.map(({ id, etag: ifMatch }) => ({ action: 'delete' as const, id, ifMatch }));
    await client.call(recordApi.applyBatch, { params: { id: zone.id }, body: { changes } }, { signal });
  }
  await show(session, { deleted: records.map(({ id }) => id) }, () => {
    for (const record of records) print(`${formatRecord(record)} is deleted (${record.id})`);
  });
  await session.served?.(zone.id);
}

async function found({ client, signal }: Session, zone: Zone, filter: RecordFilter): Promise<ListedRecord[]> {
  const records = await fetchRecords(client, zone.id, { ...filter, etags: true, owners: true }, { signal });
  if (records.length > 0) return records;
  throw new Error(`no record matches in ${zone.zoneName}; "zonestead records list ${zone.zoneName}" lists its records`);
}
