// The write of the difference between a zone and a zone file.
import { nameOfOrder } from '#dns/names/name.ts';
import type { Tx } from '#store/database.ts';
import { sumStoredOctets } from '#store/quotas.ts';
import type { ZoneRow } from '#store/zones.ts';
import { writeEdits } from '../change/bulk.ts';
import { countBytes, type Growth } from '../change/growth.ts';
import type { BulkChange } from '../change/locked.ts';
import type { ServiceContext } from '../context.ts';
import type { ZoneDiff } from './diff.ts';

/** The difference as a part of the change of a zone, whose row is locked. */
export async function planImportBulk(
  tx: Tx,
  context: Pick<ServiceContext, 'random'>,
  zone: ZoneRow,
  diff: ZoneDiff,
): Promise<BulkChange> {
  const edits = {
    deletes: diff.deletes.map(({ id }) => id),
    updates: diff.updates.map(({ stored, record, isSameValue }) => ({ id: stored.id, record, isSameValue })),
    creates: diff.creates,
  };
  return {
    write: (to) => writeEdits(tx, context, edits, to),
    growth: await measureGrowth(tx, zone, diff),
    names: listNames(diff),
  };
}

function listNames({ creates, updates, deletes }: ZoneDiff): string[] {
  const orders = [...updates.map(({ stored }) => stored), ...deletes].map(({ ordername }) => ordername);
  return [...new Set([...creates.map(({ name }) => name), ...orders.map(nameOfOrder)])];
}

/**
 * The growth of the zone by the changes. Postgres sums the octets of the stored records, so that their contents are not
 * loaded.
 */
async function measureGrowth(tx: Tx, zone: ZoneRow, { creates, updates, deletes }: ZoneDiff): Promise<Growth> {
  const replacedUpdates = updates.filter(({ isSameValue }) => !isSameValue);
  const listIds = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const deletedBytes = await sumStoredOctets(tx, zone.no, listIds(deletes), { withComments: true });
  // A record that gets another value keeps its comment.
  const old = await sumStoredOctets(tx, zone.no, listIds(replacedUpdates.map(({ stored }) => stored)), {
    withComments: false,
  });
  let bytes = -deletedBytes - old;
  for (const record of creates) bytes += countBytes(record);
  for (const { record } of replacedUpdates) bytes += countBytes(record);
  return { records: creates.length - deletes.length, bytes };
}
