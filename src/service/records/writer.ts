// The operations that write records.
import type { RecordInput } from '#dns/record.ts';
import { changeZone } from '../change/change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import type { RecordView } from '../zones/view.ts';
import type { Batch, BatchChange, BatchChangeResult } from './batch.ts';
import { batchWork, singleWork } from './batch-work.ts';

/** @throws Refusal no_zone, forbidden, precondition_failed, bad_request, conflict, busy */
export async function createRecord(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  record: RecordInput,
): Promise<RecordView> {
  // The condition of a creation is one of the zone's records.
  const work = singleWork({ action: 'create', record });
  return (await changeZone(context, caller, zoneId, work)) as RecordView;
}

/**
 * Replaces content, ttl and priority. If the record has these values already, nothing is written.
 * @throws Refusal no_zone, forbidden, not_found, precondition_failed, bad_request, conflict, busy
 */
export async function replaceRecord(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  id: string,
  record: RecordInput,
): Promise<RecordView> {
  return (await changeOne(context, caller, zoneId, { action: 'update', id, record })) as RecordView;
}

/** @throws Refusal no_zone, forbidden, not_found, precondition_failed, conflict, busy */
export async function removeRecord(context: ServiceContext, caller: Caller, zoneId: string, id: string): Promise<void> {
  await changeOne(context, caller, zoneId, { action: 'delete', id });
}

/** The condition of the request is one of the record. */
function changeOne(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  change: Exclude<BatchChange, { action: 'create' }>,
): Promise<RecordView | null> {
  const { condition = null } = caller;
  return changeZone(context, { ...caller, condition: null }, zoneId, singleWork({ ...change, condition }));
}

/**
 * Writes the changes of a batch and returns their results, in their order.
 * @throws Refusal no_zone, unauthorized, busy; if the batch is atomic, the first refusal of a change, with the field
 * `changes.<index>`
 */
export function applyBatch(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  batch: Batch,
): Promise<BatchChangeResult[]> {
  return changeZone(context, caller, zoneId, batchWork(batch));
}
