// The one writer of records. Requests that wait for the same zone in this process are judged in their order and committed
// together; each succeeds or fails alone, and gets its own serial, history and answer.
//
//     at once    Load everything with one statement → judge → write with one statement. The last one writes nothing if the
//                zone changed in between or if another transaction holds its row lock.
//     locked     If that fails, in a transaction: wait for the row lock → load → judge → write. If the changes do not fit into
//                the zone's reservation, this way reserves more of the quota.
//     alone      If a database constraint rejects a change that the rules allowed, or if the group is too large to load: each
//                member gets a transaction of its own, and each change of a batch a savepoint, so that only the rejected change
//                fails.
import type { RecordInput } from '#dns/record.ts';
import { mustSeeIfBusy } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';
import type { RecordView } from '../zones/view.ts';
import { prepareAliases } from './alias-target.ts';
import type { Batch, BatchResult, RecordChange } from './change.ts';
import { writeGroup } from './group.ts';

/** @throws Refusal no_zone, forbidden, bad_request, conflict, busy */
export async function createRecord(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  record: RecordInput,
): Promise<RecordView> {
  return (await writeSingle(context, caller, zoneId, { action: 'create', record })) as RecordView;
}

/**
 * Replaces content, ttl and priority. If the record has these values already, nothing is written.
 * @throws Refusal no_zone, forbidden, not_found, bad_request, conflict, busy
 */
export async function replaceRecord(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  id: string,
  record: RecordInput,
): Promise<RecordView> {
  return (await writeSingle(context, caller, zoneId, { action: 'update', id, record })) as RecordView;
}

/** @throws Refusal no_zone, forbidden, not_found, conflict, busy */
export async function removeRecord(context: ServiceContext, caller: Caller, zoneId: string, id: string): Promise<void> {
  await writeSingle(context, caller, zoneId, { action: 'delete', id });
}

/**
 * Writes the changes of a batch and returns their results, in their order.
 * @throws Refusal no_zone, unauthorized, busy; if the batch is atomic, the first refusal of a change, with the field
 * `changes.<index>`
 */
export async function applyBatch(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  batch: Batch,
): Promise<BatchResult[]> {
  return (await write(context, caller, zoneId, batch, false)) as BatchResult[];
}

function writeSingle(context: ServiceContext, caller: Caller, zoneId: string, change: RecordChange): Promise<unknown> {
  return write(context, caller, zoneId, { atomic: true, changes: [change] }, true);
}

/** @throws Refusal */
async function write(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  batch: Batch,
  isSingle: boolean,
): Promise<unknown> {
  const records = batch.changes.flatMap((change) => recordOf(change) ?? []);
  await prepareAliases(context, caller.actor, zoneId, records);
  await mustSeeIfBusy(context, caller.actor, zoneId);
  return context.queue.join(
    zoneId,
    { value: { caller, batch, isSingle }, size: batch.changes.length, bytes: bytesOf(records), isGone: caller.isGone },
    (requests) => writeGroup(context, zoneId, requests),
  );
}

function recordOf(change: RecordChange | Refusal): RecordInput | null {
  return 'record' in change ? change.record : null;
}

/** The approximate size of the contents, in octets. */
function bytesOf(records: readonly RecordInput[]): number {
  return records.reduce((sum, { content }) => sum + content.length, 0);
}
