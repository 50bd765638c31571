// The work of a batch: changes of single records, judged in their order. A single POST, PUT or DELETE is a batch of one
// change.
//
//     batch                   a refused change                    the other changes of the batch
//     single or atomic        refuses the batch                   are not made
//     not atomic              has a refusal as its result         are made if they are accepted
import type { RecordInput } from '#dns/record.ts';
import { inOneStep, type Steps } from '#dns/steps.ts';
import { type Actor, mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import type { Entry } from '../change/history.ts';
import { catchRefusal } from '../change/judge.ts';
import type { Once } from '../change/once.ts';
import { createRow, type Edited, type Judge, keepAnswer, removeRow, storedFor, updateRow } from '../change/state.ts';
import { type Judged, NEEDS_NOTHING, type Needs, type ReadyWork, type Work, writeWhole } from '../change/work.ts';
import { insist, Refusal } from '../refusal.ts';
import type { RecordView } from '../zones/view.ts';
import { type Batch, type BatchChangeResult, listWrittenRecords, type ReadChange, readChange } from './batch.ts';

export function batchWork({ atomic, changes }: Batch): Work<BatchChangeResult[]> {
  return {
    ...measure(changes),
    *read(zoneName) {
      return readyBatch(yield* readChanges(changes, zoneName), atomic);
    },
  };
}

/** The work of one change, with the record after it as its answer; null after a deletion. */
export function singleWork(change: Batch['changes'][number]): Work<RecordView | null> {
  return {
    ...measure([change]),
    *read(zoneName) {
      yield;
      return readySingle(readChange(change, zoneName));
    },
  };
}

function measure(changes: Batch['changes']): Pick<Work<unknown>, 'size' | 'records'> {
  const records = changes.flatMap((change): RecordInput[] => ('record' in change ? [change.record] : []));
  const octets = records.reduce((sum, { content }) => sum + content.length, 0);
  return { size: { changes: changes.length, octets }, records };
}

function* readChanges(changes: Batch['changes'], zoneName: string): Steps<ReadChange[]> {
  const changeList: ReadChange[] = [];
  for (const change of changes) {
    yield;
    changeList.push(readChange(change, zoneName));
  }
  return changeList;
}

function readyBatch(changes: readonly ReadChange[], atomic: boolean): ReadyWork<BatchChangeResult[]> {
  return {
    needs: listNeeds(changes),
    judge: (judge) => judgeBatch(judge, changes, atomic),
    mustRepeat(actor, zoneId, results) {
      const acceptedChanges = changes.filter((_, index) => results[index]?.ok === true);
      mustRepeatChanges(actor, zoneId, acceptedChanges);
    },
    async writeParts(write) {
      const results: BatchChangeResult[] = [];
      for (const [index, change] of changes.entries()) {
        const result = toBatchResult(await write(readyBatch([change], false)));
        if (atomic && !result.ok) throw new Refusal(result.refusal).within(`changes.${index}`);
        results.push(result);
      }
      return results;
    },
  };
}

function toBatchResult(writeResult: BatchChangeResult[] | Refusal): BatchChangeResult {
  if (writeResult instanceof Refusal) return { ok: false, refusal: writeResult.toData() };
  return writeResult[0] as BatchChangeResult;
}

function readySingle(change: ReadChange): ReadyWork<RecordView | null> {
  const work: ReadyWork<RecordView | null> = {
    needs: listNeeds([change]),
    *judge(judge) {
      announceCreated(judge, [change]);
      const { record, entry } = yield* inOneStep(() => judgeChange(judge, change));
      return judgedAs(record, entry === null ? [] : [entry]);
    },
    mustRepeat: (actor, zoneId) => mustRepeatChanges(actor, zoneId, [change]),
    writeParts: (write) => writeWhole(work, write),
  };
  return work;
}

function listNeeds(changes: readonly ReadChange[]): Needs {
  const readable = changes.filter((change): change is Readable => !(change instanceof Refusal));
  return {
    ...NEEDS_NOTHING,
    written: listWrittenRecords(changes),
    ids: readable.flatMap((change) => (change.action === 'create' ? [] : [change.id])),
    tokens: readable.flatMap((change) => (change.action === 'create' && change.once ? [change.once] : [])),
  };
}

/** @throws Refusal of an atomic batch, with the field `changes.<index>` */
function* judgeBatch(
  judge: Judge,
  changes: readonly ReadChange[],
  atomic: boolean,
): Steps<Judged<BatchChangeResult[]>> {
  announceCreated(judge, changes);
  const results: BatchChangeResult[] = [];
  const entries: Entry[] = [];
  for (const [index, change] of changes.entries()) {
    const outcome = yield* catchRefusal(() => inOneStep(() => judgeChange(judge, change)));
    if (outcome instanceof Refusal) {
      if (atomic) throw outcome.within(`changes.${index}`);
      results.push({ ok: false, refusal: outcome.toData() });
      continue;
    }
    results.push({ ok: true, action: outcome.action, record: outcome.record });
    if (outcome.entry !== null) entries.push(outcome.entry);
  }
  return judgedAs(results, entries);
}

/** The answer to changes that wrote nothing is not kept: the same request may be judged again. */
function judgedAs<Answer>(answer: Answer, entries: readonly Entry[]): Judged<Answer> {
  return { answer, entries, stored: entries.length > 0 ? { answer } : null, writes: 0 };
}

/**
 * The NS records of a new delegation are judged one by one, and the addresses of all its name servers may exist
 * already.
 */
function announceCreated({ state }: Judge, changes: readonly ReadChange[]): void {
  const creations = changes.filter((change) => !(change instanceof Refusal) && change.action === 'create');
  state.nearby.announce(listWrittenRecords(creations));
}

type Readable = Exclude<ReadChange, Refusal>;

interface Done {
  action: Readable['action'];
  record: RecordView | null;
  /** Null when the zone does not change. */
  entry: Entry | null;
}

/** @throws Refusal */
function judgeChange(judge: Judge, change: ReadChange): Done {
  if (change instanceof Refusal) throw change;
  const { action, requestId } = change;
  if (action === 'create' && change.once) return createOnce(judge, change, change.once);
  const { view, entry } = edit(judge, change);
  return { action, record: view, entry: entry && requestId !== undefined ? { ...entry, requestId } : entry };
}

function edit(judge: Judge, change: Readable): Edited {
  switch (change.action) {
    case 'create':
      return createRow(judge, change.record);
    case 'update':
      return updateRow(judge, change.id, change.record, change.condition);
    case 'delete':
      return removeRow(judge, change.id, change.condition);
  }
}

function createOnce(judge: Judge, change: Extract<Readable, { action: 'create' }>, once: Once): Done {
  const { state, zone, caller } = judge;
  const { keyId } = caller.actor;
  const earlierAnswer = storedFor(state, keyId, once);
  if (earlierAnswer) {
    mustWriteRecords(caller.actor, zone.id);
    mustWriteRecord(caller.actor, zone.id, insist(change.record));
    return { action: 'create', record: earlierAnswer.answer as RecordView, entry: null };
  }
  const { once: _, ...creation } = change;
  const outcome = judgeChange(judge, creation);
  keepAnswer(state, keyId, once, outcome.record);
  return outcome;
}

/** @throws Refusal forbidden */
function mustRepeatChanges(actor: Actor, zoneId: string, changes: readonly ReadChange[]): void {
  mustWriteRecords(actor, zoneId);
  for (const record of listWrittenRecords(changes)) mustWriteRecord(actor, zoneId, record);
}
