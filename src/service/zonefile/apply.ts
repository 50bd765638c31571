// The write of the difference between a zone and a zone file.
import { nameOfOrder } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';
import type { Tx } from '#store/database.ts';
import { octetsOf } from '#store/quotas.ts';
import type { ZoneWrite } from '#store/zone-values.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Outcome } from '../change.ts';
import type { ServiceContext } from '../context.ts';
import { bytesOf, type Growth } from '../records/growth.ts';
import { newRecordId } from '../records/write.ts';
import { writeValues } from '../records/write-values.ts';
import { digestText, type ZoneDiff, type ZoneUpdate } from './diff.ts';

/** The difference as a part of the change of a zone, whose row is locked. */
export async function bulkOf(
  tx: Tx,
  context: ServiceContext,
  zone: ZoneRow,
  diff: ZoneDiff,
): Promise<NonNullable<Outcome<unknown>['bulk']>> {
  const write = (to: ZoneWrite) => applyDiff(tx, context, diff, to);
  return { write, growth: await growthOf(tx, zone, diff), names: namesOf(diff) };
}

function namesOf({ creates, updates, deletes }: ZoneDiff): string[] {
  const orders = [...updates.map(({ stored }) => stored), ...deletes].map(({ ordername }) => ordername);
  return [...new Set([...creates.map(({ name }) => name), ...orders.map(nameOfOrder)])];
}

/** The growth of the zone by the changes. Postgres sums the octets of the stored records, so that their contents are not loaded. */
async function growthOf(tx: Tx, zone: ZoneRow, { creates, updates, deletes }: ZoneDiff): Promise<Growth> {
  const replaced = updates.filter(({ isSameValue }) => !isSameValue);
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const gone = await octetsOf(tx, zone.no, idsOf(deletes), { withComments: true });
  // A record that gets another value keeps its comment.
  const old = await octetsOf(tx, zone.no, idsOf(replaced.map(({ stored }) => stored)), { withComments: false });
  let bytes = -gone - old;
  for (const record of creates) bytes += bytesOf(record);
  for (const { record } of replaced) bytes += bytesOf(record);
  return { records: creates.length - deletes.length, bytes };
}

async function applyDiff(
  tx: Tx,
  context: ServiceContext,
  { creates, updates, deletes }: ZoneDiff,
  to: ZoneWrite,
): Promise<void> {
  const changing = updates.filter(({ isSameValue }) => !isSameValue);
  await writeValues(tx, to, {
    deletes: deletes.map(({ id }) => id),
    updates: updatedRows(updates),
    exchanging: mayExchangeValues(changing) ? changing.map(({ stored }) => stored.id) : [],
    creates: createdRows(context, creates),
  });
}

/** Whether two updated records are in one record set, so that one could get the value that the other one had. */
function mayExchangeValues(updates: readonly ZoneUpdate[]): boolean {
  const sets = new Set(updates.map(({ stored }) => `${stored.ordername}\n${stored.type}`));
  return sets.size < updates.length;
}

function* updatedRows(updates: readonly ZoneUpdate[]) {
  for (const { stored, record, isSameValue } of updates) {
    if (isSameValue) yield { id: stored.id, ttl: record.ttl };
    else yield { id: stored.id, ...storedForm(record) };
  }
}

function* createdRows(context: ServiceContext, records: readonly ParsedRecord[]) {
  for (const record of records) {
    const { name, ordername, type } = record;
    yield { id: newRecordId(context), name, ordername, type, ...storedForm(record) };
  }
}

function storedForm({ content, rdata, wire, ttl, priority }: ParsedRecord) {
  return { content, rdata, digest: digestText(wire), ttl, priority };
}
