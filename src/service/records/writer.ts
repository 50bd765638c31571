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
import { placesBefore } from '../limits.ts';
import { octetsOf, type SetBatch, type SetInput, type SetResult } from '../owners/set.ts';
import { Refusal } from '../refusal.ts';
import type { RecordView } from '../zones/view.ts';
import { prepareAliases } from './alias-target.ts';
import type { Batch, BatchResult, RecordChange } from './change.ts';
import { type Request, writeGroup } from './group.ts';
import { type Places, takeBefore } from './places.ts';

/** @throws Refusal no_zone, forbidden, precondition_failed, bad_request, conflict, busy */
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
 * @throws Refusal no_zone, forbidden, not_found, precondition_failed, bad_request, conflict, busy
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

/** @throws Refusal no_zone, forbidden, not_found, precondition_failed, conflict, busy */
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

/**
 * Applies the sets of owners and returns their results, in their order. A set that is as it should be writes nothing.
 * @param places counts the sets that write something or are refused in the write window, and one write for every 100 values before
 * anything is judged; null: no limit
 * @throws Refusal no_zone, unauthorized, rate_limited, busy; if the batch is atomic, the first refusal of a set, with the field
 * `sets.<index>`
 */
export async function applySets(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  work: SetBatch,
  places: Places | null,
): Promise<SetResult[]> {
  const before = placesBefore(work.sets.reduce((sum, set) => sum + valuesIn(set), 0));
  if (places !== null && before > places.taken) await takeBefore(places, before);
  const inputs = work.sets.flatMap((set) => (set instanceof Refusal ? [] : recordsIn(set)));
  return (await join(context, { caller, work, isSingle: false, places }, zoneId, {
    inputs,
    size: work.sets.length,
    bytes: work.sets.reduce((sum, set) => sum + octetsOf(set), 0),
  })) as SetResult[];
}

/**
 * Releases sets whose lease has ended. One that was renewed or released meanwhile stays as it is.
 * @throws Refusal no_zone, busy
 */
export async function releaseEnded(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  leases: readonly { owner: string; name: string; type: string }[],
): Promise<SetResult[]> {
  const sets = leases.map(({ owner, name, type }) => ({ owner, name, type, values: [], onlyEnded: true }));
  return applySets(context, caller, zoneId, { atomic: false, sets }, null);
}

/** The values of a set, and 1 for one without values. */
function valuesIn(set: SetInput | Refusal): number {
  return set instanceof Refusal ? 1 : Math.max(1, set.values?.length ?? 0);
}

function recordsIn({ name = '', type = '', values = [] }: SetInput): RecordInput[] {
  return type === 'ALIAS' ? values.map(({ content }) => ({ name, type, content })) : [];
}

function writeSingle(context: ServiceContext, caller: Caller, zoneId: string, change: RecordChange): Promise<unknown> {
  // The condition of a creation is one of the zone's records.
  if (change.action === 'create') return write(context, caller, zoneId, { atomic: true, changes: [change] }, true);
  const { condition = null } = caller;
  const changes = [{ ...change, condition }];
  return write(context, { ...caller, condition: null }, zoneId, { atomic: true, changes }, true);
}

/** @throws Refusal */
async function write(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  batch: Batch,
  isSingle: boolean,
): Promise<unknown> {
  const inputs = batch.changes.flatMap((change) => recordOf(change) ?? []);
  const size = { inputs, size: batch.changes.length, bytes: bytesOf(inputs) };
  return join(context, { caller, work: batch, isSingle, places: null }, zoneId, size);
}

/** Waits for the turn of a request. @throws Refusal */
export async function join(
  context: ServiceContext,
  request: Request,
  zoneId: string,
  { inputs, size, bytes }: { inputs: readonly RecordInput[]; size: number; bytes: number },
): Promise<unknown> {
  const { actor, isGone } = request.caller;
  await prepareAliases(context, actor, zoneId, inputs);
  await mustSeeIfBusy(context, actor, zoneId);
  return context.queue.join(zoneId, { value: request, size, bytes, isGone }, (requests) =>
    writeGroup(context, zoneId, requests),
  );
}

function recordOf(change: RecordChange | Refusal): RecordInput | null {
  return 'record' in change ? change.record : null;
}

/** The approximate size of the contents, in octets. */
function bytesOf(records: readonly RecordInput[]): number {
  return records.reduce((sum, { content }) => sum + content.length, 0);
}
